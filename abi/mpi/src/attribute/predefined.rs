//! Attributes that every communicator has (MPI 5.0, section 9.1.2).

use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::abi::{Abi, Numbers};
use crate::constants as c;
use crate::error_codes;

/// Values at permanent addresses: programs get a pointer to an int.
static VALUES: [AtomicI32; 7] = [const { AtomicI32::new(0) }; 7];

/// The value of a predefined key, and its address. `None`: it has no value here. `Err`: the key is not
/// predefined.
pub(super) fn value<A: Abi>(keyval: i32) -> Result<Option<(c_int, *mut c_int)>, ()> {
    let value = match keyval {
        c::TAG_UB => i32::MAX,
        c::IO => A::raw_number(Numbers::Rank, c::ANY_SOURCE),
        c::HOST => A::raw_number(Numbers::Rank, c::PROC_NULL),
        // Clocks of hosts differ.
        c::WTIME_IS_GLOBAL => 0,
        c::LASTUSEDCODE => A::raw_number(Numbers::ErrorCode, error_codes::last_used()),
        c::APPNUM => match from_environment(&["OMPI_COMM_WORLD_APP_CTX", "PMI_APPNUM"]) {
            Some(number) => number,
            None => return Ok(None),
        },
        c::UNIVERSE_SIZE => match from_environment(&["OMPI_UNIVERSE_SIZE", "PMI_UNIVERSE_SIZE"]) {
            Some(size) => size,
            None => return Ok(None),
        },
        _ => return Err(()),
    };
    let place = &VALUES[(keyval - c::TAG_UB) as usize];
    place.store(value, Ordering::Relaxed);
    Ok(Some((value, place.as_ptr())))
}

/// A number that a launcher has set in the environment.
fn from_environment(names: &[&str]) -> Option<i32> {
    names.iter().find_map(|name| std::env::var(name).ok()?.parse().ok().filter(|number| *number >= 0))
}

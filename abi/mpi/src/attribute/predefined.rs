//! Attributes that every communicator has (MPI 5.0, section 9.1.2).

use std::ffi::c_int;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

use anyccl_engine::bootstrap;

use crate::abi::{Abi, Numbers};
use crate::constants as c;
use crate::error_codes;

/// Values at permanent addresses: programs get a pointer to an int.
static VALUES: [AtomicI32; 7] = [const { AtomicI32::new(0) }; 7];

/// Answers of the launcher, which is asked once.
static PROGRAM_NUMBER: OnceLock<Option<c_int>> = OnceLock::new();
static UNIVERSE_SIZE: OnceLock<Option<c_int>> = OnceLock::new();

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
        c::APPNUM => match *PROGRAM_NUMBER.get_or_init(|| int(bootstrap::program_number())) {
            Some(number) => number,
            None => return Ok(None),
        },
        c::UNIVERSE_SIZE => match *UNIVERSE_SIZE.get_or_init(|| int(bootstrap::universe_size())) {
            Some(size) => size,
            None => return Ok(None),
        },
        _ => return Err(()),
    };
    let place = &VALUES[(keyval - c::TAG_UB) as usize];
    place.store(value, Ordering::Relaxed);
    Ok(Some((value, place.as_ptr())))
}

fn int(number: Option<u32>) -> Option<c_int> {
    number.and_then(|number| number.try_into().ok())
}

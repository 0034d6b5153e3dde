//! Queries about memory that ranks share.

use std::ffi::c_void;

use super::target::{Place, Target};
use super::with::with;
use crate::arguments::{Output, WinHandle};
use crate::constants::{PROC_NULL, WIN_FLAVOR_DYNAMIC};
use crate::error::{Class, Error, Result};

/// The memory of a rank in this process, and its displacement unit.
fn query(win: WinHandle, rank: i32, size: &Output<i64>, baseptr: *mut c_void) -> Result<i64> {
    with(win, |win| {
        if win.flavor == WIN_FLAVOR_DYNAMIC {
            return Err(Error::new(Class::RMA_FLAVOR, "a dynamic window has no shared memory"));
        }
        if baseptr.is_null() {
            return Err(Error::new(Class::ARG, "baseptr is NULL"));
        }
        let target = match rank {
            // The first rank that has memory, which may be out of reach.
            PROC_NULL => {
                let has_memory = |target: &&Target| target.bytes > 0;
                win.targets.iter().find(has_memory).unwrap_or(&win.targets[win.rank() as usize])
            }
            rank => &win.targets[win.check_rank(rank)? as usize],
        };
        let (base, bytes) = match target.place {
            Place::Here => (target.base, target.bytes),
            Place::There(_) | Place::Distant => (0, 0),
        };
        // SAFETY: the program passes the address of a pointer.
        unsafe { baseptr.cast::<*mut c_void>().write(std::ptr::with_exposed_provenance_mut(base)) };
        size.set(bytes.cast_signed());
        Ok(target.disp_unit)
    })
}

/// `MPI_Win_shared_query`.
pub unsafe fn small_query(
    win: WinHandle,
    rank: i32,
    size: Output<i64>,
    disp_unit: Output<i32>,
    baseptr: *mut c_void,
) -> Result<()> {
    let unit = query(win, rank, &size, baseptr)?;
    disp_unit.set(i32::try_from(unit).unwrap_or(i32::MAX));
    Ok(())
}

/// `MPI_Win_shared_query_c`.
pub unsafe fn large_query(
    win: WinHandle,
    rank: i32,
    size: Output<i64>,
    disp_unit: Output<i64>,
    baseptr: *mut c_void,
) -> Result<()> {
    disp_unit.set(query(win, rank, &size, baseptr)?);
    Ok(())
}

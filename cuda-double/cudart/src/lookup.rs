//! The driver's functions for programs that ask the runtime for them, and versions.

use std::ffi::{c_char, c_int, c_void};

use crate::driver;
use crate::entry::{call, write};
use crate::error::{Error, Result};

/// The version of CUDA that this runtime is like.
const VERSION: c_int = 12_080;

/// `cudaRuntimeGetVersion`; it needs no driver.
#[unsafe(no_mangle)]
pub extern "C" fn cudaRuntimeGetVersion(version: *mut c_int) -> Error {
    Error::remember(write(version, VERSION))
}

/// `cudaDriverGetVersion`; 0 without a driver.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDriverGetVersion(version: *mut c_int) -> Error {
    let outcome = match driver::opened() {
        Ok(driver) => (driver.cuDriverGetVersion)(version).check(),
        Err(_) => write(version, 0),
    };
    Error::remember(outcome)
}

fn look_up(
    name: *const c_char,
    place: *mut *mut c_void,
    version: c_int,
    flags: u64,
    found: *mut c_int,
) -> Result {
    let mut status = 0;
    let driver = driver::get()?;
    let outcome = (driver.cuGetProcAddress_v2)(name, place, version, flags, &raw mut status).check();
    // Without a place for it, the status is the outcome.
    if found.is_null() {
        return outcome.and(if status == 0 { Ok(()) } else { Err(Error::SYMBOL_NOT_FOUND) });
    }
    write(found, status)?;
    outcome
}

/// `cudaGetDriverEntryPoint`: a function in the form of this runtime's version.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDriverEntryPoint(
    name: *const c_char,
    place: *mut *mut c_void,
    flags: u64,
    found: *mut c_int,
) -> Error {
    call(|_| look_up(name, place, VERSION, flags, found))
}

/// `cudaGetDriverEntryPointByVersion`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDriverEntryPointByVersion(
    name: *const c_char,
    place: *mut *mut c_void,
    version: u32,
    flags: u64,
    found: *mut c_int,
) -> Error {
    call(|_| look_up(name, place, version as c_int, flags, found))
}

//! Devices: how many there are, which one a thread uses, and what is known about them.

use std::ffi::{c_char, c_int};

use crate::context;
use crate::driver::Driver;
use crate::entry::{call, forward, write};
use crate::error::{Error, Result, require};
use crate::properties::{CUDA_12, CUDA_13, Layout};

/// `cudaGetDeviceCount`. Where there is no device, or no driver, the count is 0 and the error says so.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDeviceCount(count: *mut c_int) -> Error {
    let outcome = call(|driver| (driver.cuDeviceGetCount)(count).check());
    if outcome != Error::SUCCESS {
        // The error of the call is the one to tell.
        let _ = write(count, 0);
    }
    outcome
}

/// `cudaSetDevice`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaSetDevice(device: c_int) -> Error {
    call(|driver| context::set_device(driver, device))
}

/// `cudaInitDevice`: makes the primary context; the thread keeps its device.
#[unsafe(no_mangle)]
pub extern "C" fn cudaInitDevice(device: c_int, _flags: u32, _are_valid: u32) -> Error {
    call(|driver| context::primary(driver, device).map(drop))
}

/// `cudaGetDevice`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDevice(device: *mut c_int) -> Error {
    call(|driver| write(device, context::device(driver)?))
}

/// `cudaDeviceReset`: ends all that the program has on the device.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceReset() -> Error {
    call(context::reset)
}

/// `cudaSetDeviceFlags`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaSetDeviceFlags(flags: u32) -> Error {
    call(|driver| (driver.cuDevicePrimaryCtxSetFlags_v2)(context::device(driver)?, flags).check())
}

/// `cudaGetDeviceFlags`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDeviceFlags(flags: *mut u32) -> Error {
    call(|driver| {
        let mut is_active = 0;
        require(!flags.is_null())?;
        (driver.cuDevicePrimaryCtxGetState)(context::device(driver)?, flags, &raw mut is_active).check()
    })
}

/// `cudaDeviceGetAttribute`; attributes have the driver's numbers.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int) -> Error {
    call(|driver| (driver.cuDeviceGetAttribute)(value, attribute, device).check())
}

/// `cudaDeviceGetPCIBusId`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetPCIBusId(text: *mut c_char, size: c_int, device: c_int) -> Error {
    call(|driver| (driver.cuDeviceGetPCIBusId)(text, size, device).check())
}

/// `cudaDeviceGetByPCIBusId`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetByPCIBusId(device: *mut c_int, text: *const c_char) -> Error {
    call(|driver| (driver.cuDeviceGetByPCIBusId)(device, text).check())
}

/// `cudaDeviceGetDefaultMemPool`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetDefaultMemPool(pool: *mut usize, device: c_int) -> Error {
    call(|driver| (driver.cuDeviceGetDefaultMemPool)(pool, device).check())
}

/// `cudaProfilerStart`: there is no profiler.
#[unsafe(no_mangle)]
pub extern "C" fn cudaProfilerStart() -> Error {
    Error::SUCCESS
}

/// `cudaProfilerStop`: there is no profiler.
#[unsafe(no_mangle)]
pub extern "C" fn cudaProfilerStop() -> Error {
    Error::SUCCESS
}

/// `cudaGetDeviceProperties_v2`, which the header of CUDA 12 calls `cudaGetDeviceProperties`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDeviceProperties_v2(place: *mut [u8; CUDA_12.size], device: c_int) -> Error {
    call(|driver| write(place, filled(driver, device, &CUDA_12)?))
}

/// `cudaGetDeviceProperties` as in CUDA 13. Programs of CUDA 12 call the other name.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDeviceProperties(place: *mut [u8; CUDA_13.size], device: c_int) -> Error {
    call(|driver| write(place, filled(driver, device, &CUDA_13)?))
}

fn filled<const SIZE: usize>(driver: &Driver, device: c_int, layout: &Layout) -> Result<[u8; SIZE]> {
    context::check_device(driver, device)?;
    let mut bytes = [0; SIZE];
    layout.fill(driver, device, &mut bytes)?;
    Ok(bytes)
}

forward! {
    /// `cudaDeviceSynchronize`.
    cudaDeviceSynchronize() => cuCtxSynchronize();

    /// `cudaDeviceSetLimit`.
    cudaDeviceSetLimit(limit: c_int, value: usize) => cuCtxSetLimit(limit, value);

    /// `cudaDeviceGetLimit`.
    cudaDeviceGetLimit(value: *mut usize, limit: c_int) => cuCtxGetLimit(value, limit);
}

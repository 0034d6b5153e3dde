//! Access of one device to the memory of another.

use std::ffi::c_int;

use crate::context;
use crate::entry::{call, call_in_context};
use crate::error::Error;

/// `cudaDeviceCanAccessPeer`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) -> Error {
    call(|driver| (driver.cuDeviceCanAccessPeer)(can, device, peer).check())
}

/// `cudaDeviceEnablePeerAccess`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceEnablePeerAccess(peer: c_int, flags: u32) -> Error {
    call_in_context(|driver| {
        let peer = context::primary(driver, peer)?;
        (driver.cuCtxEnablePeerAccess)(peer, flags).check()
    })
}

/// `cudaDeviceDisablePeerAccess`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceDisablePeerAccess(peer: c_int) -> Error {
    call_in_context(|driver| {
        let peer = context::primary(driver, peer)?;
        (driver.cuCtxDisablePeerAccess)(peer).check()
    })
}

/// `cudaDeviceGetP2PAttribute`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetP2PAttribute(
    value: *mut c_int,
    attribute: c_int,
    source: c_int,
    destination: c_int,
) -> Error {
    call(|driver| (driver.cuDeviceGetP2PAttribute)(value, attribute, source, destination).check())
}

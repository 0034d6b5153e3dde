//! Memory of devices: `cudaMalloc`, `cudaFree`, their asynchronous forms, and managed memory.

use crate::entry::{call_in_context, forward, write};
use crate::error::{Error, require};

/// `cudaMalloc`. No bytes are NULL and no error.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMalloc(address: *mut usize, bytes: usize) -> Error {
    call_in_context(|driver| match bytes {
        0 => write(address, 0),
        _ => (driver.cuMemAlloc_v2)(address, bytes).check(),
    })
}

/// `cudaMallocAsync`. No bytes are NULL and no error.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocAsync(address: *mut usize, bytes: usize, stream: usize) -> Error {
    call_in_context(|driver| match bytes {
        0 => write(address, 0),
        _ => (driver.cuMemAllocAsync)(address, bytes, stream).check(),
    })
}

/// `cudaFreeAsync`; NULL is nothing to free.
#[unsafe(no_mangle)]
pub extern "C" fn cudaFreeAsync(address: usize, stream: usize) -> Error {
    call_in_context(|driver| match address {
        0 => Ok(()),
        _ => (driver.cuMemFreeAsync)(address, stream).check(),
    })
}

/// `cudaMallocManaged`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocManaged(address: *mut usize, bytes: usize, flags: u32) -> Error {
    call_in_context(|driver| {
        require(!address.is_null())?;
        (driver.cuMemAllocManaged)(address, bytes, flags).check()
    })
}

forward! {
    /// `cudaFree`; NULL is nothing to free.
    cudaFree(address: usize) => cuMemFree_v2(address);

    /// `cudaMemGetInfo`.
    cudaMemGetInfo(free: *mut usize, total: *mut usize) => cuMemGetInfo_v2(free, total);
}

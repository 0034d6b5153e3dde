//! Pinned host memory: `cudaMallocHost`, `cudaHostAlloc`, `cudaHostRegister` and what undoes them.

use crate::entry::{call_in_context, forward};
use crate::error::Error;

/// `cudaFreeHost`; NULL is nothing to free.
#[unsafe(no_mangle)]
pub extern "C" fn cudaFreeHost(memory: usize) -> Error {
    call_in_context(|driver| match memory {
        0 => Ok(()),
        _ => (driver.cuMemFreeHost)(memory).check(),
    })
}

forward! {
    /// `cudaMallocHost`.
    cudaMallocHost(memory: *mut usize, bytes: usize) => cuMemHostAlloc(memory, bytes, 0);

    /// `cudaHostAlloc`; its flags are the driver's.
    cudaHostAlloc(memory: *mut usize, bytes: usize, flags: u32) => cuMemHostAlloc(memory, bytes, flags);

    /// `cudaHostRegister`; its flags are the driver's.
    cudaHostRegister(memory: usize, bytes: usize, flags: u32) => cuMemHostRegister_v2(memory, bytes, flags);

    /// `cudaHostUnregister`.
    cudaHostUnregister(memory: usize) => cuMemHostUnregister(memory);

    /// `cudaHostGetDevicePointer`.
    cudaHostGetDevicePointer(device: *mut usize, memory: usize, flags: u32) =>
        cuMemHostGetDevicePointer_v2(device, memory, flags);

    /// `cudaHostGetFlags`.
    cudaHostGetFlags(flags: *mut u32, memory: usize) => cuMemHostGetFlags(flags, memory);
}

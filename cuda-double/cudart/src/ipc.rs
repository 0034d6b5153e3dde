//! Memory and events of other processes (`cudaIpc*`).

use crate::entry::forward;

/// A `cudaIpcMemHandle_t` or a `cudaIpcEventHandle_t`: bytes that another process may open.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Handle {
    reserved: [u8; 64],
}

forward! {
    /// `cudaIpcGetMemHandle`.
    cudaIpcGetMemHandle(handle: *mut Handle, address: usize) => cuIpcGetMemHandle(handle, address);

    /// `cudaIpcOpenMemHandle`.
    cudaIpcOpenMemHandle(address: *mut usize, handle: Handle, flags: u32) =>
        cuIpcOpenMemHandle_v2(address, handle, flags);

    /// `cudaIpcCloseMemHandle`.
    cudaIpcCloseMemHandle(address: usize) => cuIpcCloseMemHandle(address);

    /// `cudaIpcGetEventHandle`.
    cudaIpcGetEventHandle(handle: *mut Handle, event: usize) => cuIpcGetEventHandle(handle, event);

    /// `cudaIpcOpenEventHandle`.
    cudaIpcOpenEventHandle(event: *mut usize, handle: Handle) => cuIpcOpenEventHandle(event, handle);
}

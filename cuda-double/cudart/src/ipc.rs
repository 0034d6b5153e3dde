//! Memory and events of other processes (`cudaIpc*`).

use crate::arguments::Handle;
use crate::entry::forward;

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

//! Streams (`cudaStream*`), and functions of the host in them.

use std::ffi::c_int;

use crate::context;
use crate::entry::{call_in_context, forward, write};
use crate::error::Error;

/// `cudaStreamGetDevice`: the device of the current context, to which a stream of the driver double belongs.
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetDevice(stream: usize, device: *mut c_int) -> Error {
    call_in_context(|driver| {
        let mut flags = 0;
        (driver.cuStreamGetFlags)(stream, &raw mut flags).check()?;
        write(device, context::device(driver)?)
    })
}

forward! {
    /// `cudaStreamCreate`.
    cudaStreamCreate(stream: *mut usize) => cuStreamCreate(stream, 0);

    /// `cudaStreamCreateWithFlags`.
    cudaStreamCreateWithFlags(stream: *mut usize, flags: u32) => cuStreamCreate(stream, flags);

    /// `cudaStreamCreateWithPriority`.
    cudaStreamCreateWithPriority(stream: *mut usize, flags: u32, priority: c_int) =>
        cuStreamCreateWithPriority(stream, flags, priority);

    /// `cudaStreamDestroy`. It returns at once; queued work still runs.
    cudaStreamDestroy(stream: usize) => cuStreamDestroy_v2(stream);

    /// `cudaStreamSynchronize`.
    cudaStreamSynchronize(stream: usize) => cuStreamSynchronize(stream);

    /// `cudaStreamQuery`.
    cudaStreamQuery(stream: usize) => cuStreamQuery(stream);

    /// `cudaStreamWaitEvent`.
    cudaStreamWaitEvent(stream: usize, event: usize, flags: u32) => cuStreamWaitEvent(stream, event, flags);

    /// `cudaStreamIsCapturing`.
    cudaStreamIsCapturing(stream: usize, status: *mut u32) => cuStreamIsCapturing(stream, status);

    /// `cudaStreamBeginCapture`.
    cudaStreamBeginCapture(stream: usize, mode: u32) => cuStreamBeginCapture_v2(stream, mode);

    /// `cudaStreamEndCapture`.
    cudaStreamEndCapture(stream: usize, graph: *mut usize) => cuStreamEndCapture(stream, graph);

    /// `cudaStreamGetCaptureInfo_v2`.
    cudaStreamGetCaptureInfo_v2(
        stream: usize,
        status: *mut u32,
        id: *mut u64,
        graph: *mut usize,
        dependencies: *mut usize,
        count: *mut usize
    ) => cuStreamGetCaptureInfo_v2(stream, status, id, graph, dependencies, count);

    /// `cudaStreamGetCaptureInfo`. Since CUDA 13 it has the graph behind these, which stays unwritten: in
    /// CUDA 12 no such arguments are passed.
    cudaStreamGetCaptureInfo(stream: usize, status: *mut u32, id: *mut u64) =>
        cuStreamGetCaptureInfo_v2(stream, status, id, std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());

    /// `cudaStreamGetPriority`.
    cudaStreamGetPriority(stream: usize, priority: *mut c_int) => cuStreamGetPriority(stream, priority);

    /// `cudaStreamGetFlags`.
    cudaStreamGetFlags(stream: usize, flags: *mut u32) => cuStreamGetFlags(stream, flags);

    /// `cudaStreamGetId`.
    cudaStreamGetId(stream: usize, id: *mut u64) => cuStreamGetId(stream, id);

    /// `cudaDeviceGetStreamPriorityRange`.
    cudaDeviceGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) =>
        cuCtxGetStreamPriorityRange(least, greatest);

    /// `cudaThreadExchangeStreamCaptureMode`.
    cudaThreadExchangeStreamCaptureMode(mode: *mut u32) => cuThreadExchangeStreamCaptureMode(mode);

    /// `cudaLaunchHostFunc`.
    cudaLaunchHostFunc(stream: usize, function: usize, data: usize) =>
        cuLaunchHostFunc(stream, function, data);

    /// `cudaStreamAddCallback`.
    cudaStreamAddCallback(stream: usize, callback: usize, data: usize, flags: u32) =>
        cuStreamAddCallback(stream, callback, data, flags);
}

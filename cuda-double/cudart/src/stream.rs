//! Streams (`cudaStream*`), and functions of the host in them.

use std::ffi::c_int;
use std::sync::LazyLock;

use crate::context;
use crate::entry::{call_in_context, forward, write};
use crate::error::Error;

/// Whether this library was loaded as `libcudart.so.13`.
fn is_cuda_13() -> bool {
    static IS: LazyLock<bool> = LazyLock::new(|| {
        let here = is_cuda_13 as *const () as usize;
        let covers = |line: &&str| {
            let ends = line.split(' ').next().and_then(|range| range.split_once('-'));
            let end = |text| usize::from_str_radix(text, 16).unwrap_or(0);
            ends.is_some_and(|(start, stop)| (end(start)..end(stop)).contains(&here))
        };
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        maps.lines().find(covers).is_some_and(|line| line.ends_with("libcudart.so.13"))
    });
    *IS
}

/// `cudaStreamGetCaptureInfo`. Programs of CUDA 12 pass only the first three arguments, so that the others
/// are looked at under CUDA 13's name alone. No edge has data.
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetCaptureInfo(
    stream: usize,
    status: *mut u32,
    id: *mut u64,
    graph: *mut usize,
    dependencies: *mut usize,
    edges: *mut usize,
    count: *mut usize,
) -> Error {
    call_in_context(|driver| {
        let none = std::ptr::null_mut;
        let rest =
            if is_cuda_13() { (graph, dependencies, edges, count) } else { (none(), none(), none(), none()) };
        let (graph, dependencies, edges, count) = rest;
        if !edges.is_null() {
            write(edges, 0)?;
        }
        (driver.cuStreamGetCaptureInfo_v2)(stream, status, id, graph, dependencies, count).check()
    })
}

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

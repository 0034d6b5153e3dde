//! Events (`cudaEvent*`).

use crate::entry::forward;

forward! {
    /// `cudaEventCreate`.
    cudaEventCreate(event: *mut usize) => cuEventCreate(event, 0);

    /// `cudaEventCreateWithFlags`.
    cudaEventCreateWithFlags(event: *mut usize, flags: u32) => cuEventCreate(event, flags);

    /// `cudaEventRecord`.
    cudaEventRecord(event: usize, stream: usize) => cuEventRecord(event, stream);

    /// `cudaEventRecordWithFlags`.
    cudaEventRecordWithFlags(event: usize, stream: usize, flags: u32) =>
        cuEventRecordWithFlags(event, stream, flags);

    /// `cudaEventQuery`.
    cudaEventQuery(event: usize) => cuEventQuery(event);

    /// `cudaEventSynchronize`.
    cudaEventSynchronize(event: usize) => cuEventSynchronize(event);

    /// `cudaEventElapsedTime`.
    cudaEventElapsedTime(milliseconds: *mut f32, start: usize, end: usize) =>
        cuEventElapsedTime(milliseconds, start, end);

    /// `cudaEventDestroy`.
    cudaEventDestroy(event: usize) => cuEventDestroy_v2(event);
}

//! The functions `cudaMemset*`.

use std::ffi::c_int;

use crate::entry::forward;

forward! {
    /// `cudaMemset`: each byte becomes the lowest byte of `value`.
    cudaMemset(address: usize, value: c_int, bytes: usize) => cuMemsetD8_v2(address, value as u8, bytes);

    /// `cudaMemsetAsync`: each byte becomes the lowest byte of `value`.
    cudaMemsetAsync(address: usize, value: c_int, bytes: usize, stream: usize) =>
        cuMemsetD8Async(address, value as u8, bytes, stream);
}

//! Copies on a device, and memory for them, in the order of a stream.

use std::ffi::{c_int, c_uchar};
use std::sync::OnceLock;

use crate::base::{Error, Result};
use crate::device::driver::{CudaDriver, LIBRARY, driver_table};
use crate::device::handles::CudaStream;
use crate::sys::foreign_library::ForeignLibrary;

driver_table! {
    copy: c"cuMemcpyAsync", (u64, u64, usize, CudaStream);
    fill: c"cuMemsetD8Async", (u64, c_uchar, usize, CudaStream);
    allocate: c"cuMemAllocAsync", (*mut u64, usize, CudaStream);
    free: c"cuMemFreeAsync", (u64, CudaStream);
}

fn table() -> Result<&'static Table> {
    static TABLE: OnceLock<std::result::Result<Table, String>> = OnceLock::new();
    let opened = TABLE.get_or_init(|| {
        // SAFETY: the driver's own name; it is open already.
        Table::of(&unsafe { ForeignLibrary::open(LIBRARY) }?)
    });
    opened.as_ref().map_err(|why| Error::Unsupported(format!("the CUDA driver cannot order memory: {why}")))
}

/// Whether the driver has all functions that copies need.
pub fn check_moves() -> Result<()> {
    table().map(drop)
}

/// Puts a copy into a stream, between devices, and host memory that the driver knows.
///
/// # Safety
/// The destination belongs to the call.
pub unsafe fn copy_in(
    driver: &CudaDriver,
    to: u64,
    from: u64,
    bytes: usize,
    stream: CudaStream,
) -> Result<()> {
    // SAFETY: passed on from our caller. The driver checks the addresses.
    let result = unsafe { (table()?.copy)(to, from, bytes, stream) };
    driver.check("cuMemcpyAsync", result)
}

/// Puts a fill of memory of the device into a stream.
///
/// # Safety
/// The memory belongs to the call.
pub unsafe fn fill_in(
    driver: &CudaDriver,
    address: u64,
    byte: u8,
    bytes: usize,
    stream: CudaStream,
) -> Result<()> {
    // SAFETY: passed on from our caller. The driver checks the address.
    let result = unsafe { (table()?.fill)(address, byte, bytes, stream) };
    driver.check("cuMemsetD8Async", result)
}

/// Allocates memory of the device for the work that follows in a stream.
pub fn allocate_in(driver: &CudaDriver, bytes: usize, stream: CudaStream) -> Result<u64> {
    let mut address = 0;
    // SAFETY: writes one address; a live stream.
    let result = unsafe { (table()?.allocate)(&mut address, bytes, stream) };
    driver.check("cuMemAllocAsync", result)?;
    Ok(address)
}

/// Frees memory of [`allocate_in`] when the stream comes to it.
pub fn free_in(driver: &CudaDriver, address: u64, stream: CudaStream) -> Result<()> {
    // SAFETY: memory of `allocate_in`, which the work before in the stream used last.
    let result = unsafe { (table()?.free)(address, stream) };
    driver.check("cuMemFreeAsync", result)
}

//! MPI's functions that read and write without the other ranks: at explicit offsets, and at the individual
//! file pointer.

use super::transfer::{Access, Direction, Start};
use super::with::with;
use crate::arguments::{DatatypeHandle, FileHandle, RecvAddress, SendAddress, StatusPlaces};
use crate::error::Result;

impl Access {
    /// A read into a buffer.
    pub fn read(start: Start, buf: RecvAddress, count: i64, datatype: DatatypeHandle) -> Access {
        Access { direction: Direction::Read, start, buffer: buf.pointer(), count, datatype }
    }

    /// A write from a buffer.
    pub fn write(start: Start, buf: SendAddress, count: i64, datatype: DatatypeHandle) -> Access {
        Access { direction: Direction::Write, start, buffer: buf.pointer().cast_mut(), count, datatype }
    }
}

/// Runs an access.
///
/// # Safety
/// The program passes a buffer for it.
unsafe fn run(fh: FileHandle, access: &Access, status: &StatusPlaces) -> Result<()> {
    // SAFETY: passed on from our caller.
    status.set(&with(fh, |file| unsafe { file.run(access) })?);
    Ok(())
}

/// `MPI_File_read`.
pub unsafe fn read(
    fh: FileHandle,
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    status: StatusPlaces,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { run(fh, &Access::read(Start::Individual, buf, count, datatype), &status) }
}

/// `MPI_File_read_at`.
pub unsafe fn read_at(
    fh: FileHandle,
    offset: i64,
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    status: StatusPlaces,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { run(fh, &Access::read(Start::Offset(offset), buf, count, datatype), &status) }
}

/// `MPI_File_write`.
pub unsafe fn write(
    fh: FileHandle,
    buf: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    status: StatusPlaces,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { run(fh, &Access::write(Start::Individual, buf, count, datatype), &status) }
}

/// `MPI_File_write_at`.
pub unsafe fn write_at(
    fh: FileHandle,
    offset: i64,
    buf: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    status: StatusPlaces,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { run(fh, &Access::write(Start::Offset(offset), buf, count, datatype), &status) }
}

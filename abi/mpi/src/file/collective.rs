//! MPI's functions that read and write together with all ranks of the file.

use super::transfer::{Access, Start, Transfer};
use super::with::with;
use super::{File, agree, two_phase};
use crate::arguments::{DatatypeHandle, FileHandle, RecvAddress, SendAddress, StatusPlaces};
use crate::error::Result;
use crate::status::Status;

impl File {
    /// Runs an access of all ranks.
    ///
    /// # Safety
    /// The buffer is valid for the access.
    pub(super) unsafe fn run_collective(&self, access: &Access) -> Result<Status> {
        let before = self.state.lock().pointer;
        let transfer = match access.start {
            // SAFETY: passed on from our caller.
            Start::Shared => unsafe { self.begin_in_order(access) },
            // SAFETY: passed on from our caller.
            Start::Offset(_) | Start::Individual => unsafe { self.begin(access) },
        };
        let outcome = two_phase::run(self, transfer);
        if outcome.is_err() && access.start == Start::Individual {
            // It goes back on all ranks, whichever has failed.
            self.state.lock().pointer = before;
        }
        let (transfer, bytes) = outcome?;
        self.finish(access.start, transfer, bytes)
    }

    /// Begins an access at the shared file pointer, in the order of the ranks.
    ///
    /// # Safety
    /// The buffer is valid for the access until the transfer is dropped.
    unsafe fn begin_in_order(&self, access: &Access) -> Result<Transfer> {
        // SAFETY: passed on from our caller.
        let prepared = agree(&self.engine, unsafe { self.prepare(access) })?;
        let first = self.take_in_order(prepared.etypes)?;
        prepared.at(first)
    }
}

/// Runs an access of all ranks.
///
/// # Safety
/// The program passes a buffer for it.
unsafe fn run(fh: FileHandle, access: &Access, status: &StatusPlaces) -> Result<()> {
    // SAFETY: passed on from our caller.
    status.set(&with(fh, |file| unsafe { file.run_collective(access) })?);
    Ok(())
}

/// `MPI_File_read_all`.
pub unsafe fn read_all(
    fh: FileHandle,
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    status: StatusPlaces,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { run(fh, &Access::read(Start::Individual, buf, count, datatype), &status) }
}

/// `MPI_File_read_at_all`.
pub unsafe fn read_at_all(
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

/// `MPI_File_read_ordered`.
pub unsafe fn read_ordered(
    fh: FileHandle,
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    status: StatusPlaces,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { run(fh, &Access::read(Start::Shared, buf, count, datatype), &status) }
}

/// `MPI_File_write_all`.
pub unsafe fn write_all(
    fh: FileHandle,
    buf: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    status: StatusPlaces,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { run(fh, &Access::write(Start::Individual, buf, count, datatype), &status) }
}

/// `MPI_File_write_at_all`.
pub unsafe fn write_at_all(
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

/// `MPI_File_write_ordered`.
pub unsafe fn write_ordered(
    fh: FileHandle,
    buf: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    status: StatusPlaces,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { run(fh, &Access::write(Start::Shared, buf, count, datatype), &status) }
}

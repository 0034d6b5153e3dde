//! Split collective accesses: one function begins the access, another ends it.
//!
//! The first one does all the work, as MPI allows (section 14.4.5). The second one has the status.

use super::transfer::{Access, Start};
use super::with::with;
use crate::arguments::{DatatypeHandle, FileHandle, RecvAddress, SendAddress, StatusPlaces};
use crate::error::{Class, Error, Result};

/// Begins an access. `end` is the function that ends it.
///
/// # Safety
/// The program passes a buffer for it.
unsafe fn begin(fh: FileHandle, access: &Access, end: &'static str) -> Result<()> {
    with(fh, |file| {
        if let Some((active, _)) = file.state.lock().split {
            let text = format!("another split access is under way, which {active} ends");
            return Err(Error::new(Class::OTHER, text));
        }
        // SAFETY: passed on from our caller.
        let status = unsafe { file.run_collective(access) }?;
        file.state.lock().split = Some((end, status));
        Ok(())
    })
}

/// Ends the access that the function `name` ends.
fn end(fh: FileHandle, name: &'static str, status: &StatusPlaces) -> Result<()> {
    with(fh, |file| {
        let mut state = file.state.lock();
        match state.split {
            Some((end, its)) if end == name => {
                state.split = None;
                status.set(&its);
                Ok(())
            }
            Some((end, _)) => {
                Err(Error::new(Class::OTHER, format!("the split access under way is ended by {end}")))
            }
            None => Err(Error::new(Class::OTHER, "no split access is under way")),
        }
    })
}

/// `MPI_File_read_all_begin`.
pub unsafe fn read_all_begin(
    fh: FileHandle,
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { begin(fh, &Access::read(Start::Individual, buf, count, datatype), "MPI_File_read_all_end") }
}

/// `MPI_File_read_all_end`.
pub unsafe fn read_all_end(fh: FileHandle, _buf: RecvAddress, status: StatusPlaces) -> Result<()> {
    end(fh, "MPI_File_read_all_end", &status)
}

/// `MPI_File_read_at_all_begin`.
pub unsafe fn read_at_all_begin(
    fh: FileHandle,
    offset: i64,
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe {
        begin(fh, &Access::read(Start::Offset(offset), buf, count, datatype), "MPI_File_read_at_all_end")
    }
}

/// `MPI_File_read_at_all_end`.
pub unsafe fn read_at_all_end(fh: FileHandle, _buf: RecvAddress, status: StatusPlaces) -> Result<()> {
    end(fh, "MPI_File_read_at_all_end", &status)
}

/// `MPI_File_read_ordered_begin`.
pub unsafe fn read_ordered_begin(
    fh: FileHandle,
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { begin(fh, &Access::read(Start::Shared, buf, count, datatype), "MPI_File_read_ordered_end") }
}

/// `MPI_File_read_ordered_end`.
pub unsafe fn read_ordered_end(fh: FileHandle, _buf: RecvAddress, status: StatusPlaces) -> Result<()> {
    end(fh, "MPI_File_read_ordered_end", &status)
}

/// `MPI_File_write_all_begin`.
pub unsafe fn write_all_begin(
    fh: FileHandle,
    buf: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { begin(fh, &Access::write(Start::Individual, buf, count, datatype), "MPI_File_write_all_end") }
}

/// `MPI_File_write_all_end`.
pub unsafe fn write_all_end(fh: FileHandle, _buf: SendAddress, status: StatusPlaces) -> Result<()> {
    end(fh, "MPI_File_write_all_end", &status)
}

/// `MPI_File_write_at_all_begin`.
pub unsafe fn write_at_all_begin(
    fh: FileHandle,
    offset: i64,
    buf: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe {
        begin(fh, &Access::write(Start::Offset(offset), buf, count, datatype), "MPI_File_write_at_all_end")
    }
}

/// `MPI_File_write_at_all_end`.
pub unsafe fn write_at_all_end(fh: FileHandle, _buf: SendAddress, status: StatusPlaces) -> Result<()> {
    end(fh, "MPI_File_write_at_all_end", &status)
}

/// `MPI_File_write_ordered_begin`.
pub unsafe fn write_ordered_begin(
    fh: FileHandle,
    buf: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    unsafe { begin(fh, &Access::write(Start::Shared, buf, count, datatype), "MPI_File_write_ordered_end") }
}

/// `MPI_File_write_ordered_end`.
pub unsafe fn write_ordered_end(fh: FileHandle, _buf: SendAddress, status: StatusPlaces) -> Result<()> {
    end(fh, "MPI_File_write_ordered_end", &status)
}

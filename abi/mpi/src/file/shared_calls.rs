//! Uses of the shared file pointer: MPI's functions apart from ordered accesses, and the order of these.

use super::shared::SharedPointer;
use super::transfer::{Access, Start};
use super::with::with;
use super::{File, agree, agree_on};
use crate::arguments::{DatatypeHandle, FileHandle, Output, RecvAddress, SendAddress, StatusPlaces};
use crate::comm::agreement::{broadcast, gather};
use crate::error::{Class, Error, Result};

impl File {
    /// The shared file pointer.
    pub(super) fn shared(&self) -> Result<&SharedPointer> {
        let text = || {
            format!(
                "{} has no shared file pointer: a rank could make no file for it, in /dev/shm or, on several hosts, \
                 beside the file",
                self.title()
            )
        };
        self.shared.as_ref().ok_or_else(|| Error::new(Class::UNSUPPORTED_OPERATION, text()))
    }

    /// Sets the shared file pointer to the start of a new view. Collective.
    pub(super) fn reset_shared_pointer(&self) -> Result<()> {
        let outcome = match &self.shared {
            Some(shared) if self.engine.rank() == 0 => shared.set(0),
            _ => Ok(()),
        };
        agree(&self.engine, outcome)
    }

    /// Byte of the file at the shared file pointer.
    pub(super) fn current_displacement(&self) -> Result<i64> {
        self.view().byte_at(self.shared()?.get()?)
    }

    /// Moves the shared file pointer by what all ranks want. Returns where this rank's part begins: behind
    /// those of the lower ranks. Collective.
    pub(super) fn take_in_order(&self, etypes: i64) -> Result<i64> {
        let all = gather(&self.engine, [etypes.cast_unsigned()])?;
        let total = all.iter().try_fold(0i64, |sum, [its]| sum.checked_add(its.cast_signed()));
        let first = match self.engine.rank() {
            0 => self.shared().and_then(|shared| {
                shared.add(total.ok_or_else(|| Error::new(Class::ARG, "the access is too large"))?)
            }),
            _ => Ok(0),
        };
        let mut words = [agree(&self.engine, first)?.cast_unsigned()];
        broadcast(&self.engine, 0, &mut words)?;
        let before: i64 = all[..self.engine.rank() as usize].iter().map(|[its]| its.cast_signed()).sum();
        Ok(words[0].cast_signed() + before)
    }
}

/// `MPI_File_read_shared`.
pub unsafe fn read_shared(
    fh: FileHandle,
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    status: StatusPlaces,
) -> Result<()> {
    let access = Access::read(Start::Shared, buf, count, datatype);
    // SAFETY: passed on from our caller.
    status.set(&with(fh, |file| unsafe { file.run(&access) })?);
    Ok(())
}

/// `MPI_File_write_shared`.
pub unsafe fn write_shared(
    fh: FileHandle,
    buf: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    status: StatusPlaces,
) -> Result<()> {
    let access = Access::write(Start::Shared, buf, count, datatype);
    // SAFETY: passed on from our caller.
    status.set(&with(fh, |file| unsafe { file.run(&access) })?);
    Ok(())
}

/// `MPI_File_seek_shared`. Collective.
pub unsafe fn seek_shared(fh: FileHandle, offset: i64, whence: i32) -> Result<()> {
    with(fh, |file| {
        agree_on(&file.engine, "offset", offset)?;
        agree_on(&file.engine, "whence", whence.into())?;
        let outcome = match file.engine.rank() {
            0 => file.shared().and_then(|shared| shared.update(|old| file.sought(old, offset, whence))),
            _ => Ok(0),
        };
        // No rank uses the pointer before it is set.
        agree(&file.engine, outcome).map(drop)
    })
}

/// `MPI_File_get_position_shared`.
pub unsafe fn get_position_shared(fh: FileHandle, offset: Output<i64>) -> Result<()> {
    with(fh, |file| {
        offset.set(file.shared()?.get()?);
        Ok(())
    })
}

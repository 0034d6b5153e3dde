//! Queries about files, and what changes a file as a whole: its size, its hints, atomic mode.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::with::with;
use super::{File, agree, agree_on};
use crate::arguments::{FileHandle, GroupHandle, InfoHandle, Output};
use crate::constants::MODE_RDONLY;
use crate::error::{Class, Error, Result};
use crate::info::Pairs;

/// `MPI_File_get_size`.
pub unsafe fn get_size(fh: FileHandle, size: Output<i64>) -> Result<()> {
    with(fh, |file| {
        size.set(file.disk.size()?);
        Ok(())
    })
}

/// Refuses to change a file that is open for reading only.
fn check_writable(file: &File) -> Result<()> {
    if file.amode & MODE_RDONLY == 0 {
        return Ok(());
    }
    Err(Error::new(Class::READ_ONLY, format!("{} is open with MPI_MODE_RDONLY", file.title())))
}

/// Changes the file on rank 0, when all ranks have called with the same size. Collective.
fn resize(fh: FileHandle, size: i64, change: impl FnOnce(&File) -> Result<()>) -> Result<()> {
    with(fh, |file| {
        let is_valid = if size < 0 {
            Err(Error::new(Class::ARG, format!("size is {size}, less than 0")))
        } else {
            check_writable(file)
        };
        agree(&file.engine, is_valid)?;
        agree_on(&file.engine, "size", size)?;
        let outcome = if file.engine.rank() == 0 { change(file) } else { Ok(()) };
        agree(&file.engine, outcome)
    })
}

/// `MPI_File_set_size`.
pub unsafe fn set_size(fh: FileHandle, size: i64) -> Result<()> {
    resize(fh, size, |file| file.disk.set_size(size.cast_unsigned()))
}

/// `MPI_File_preallocate`.
pub unsafe fn preallocate(fh: FileHandle, size: i64) -> Result<()> {
    resize(fh, size, |file| file.disk.reserve(size))
}

/// `MPI_File_sync`.
pub unsafe fn sync(fh: FileHandle) -> Result<()> {
    with(fh, |file| agree(&file.engine, file.disk.sync()))
}

/// `MPI_File_get_amode`.
pub unsafe fn get_amode(fh: FileHandle, amode: Output<i32>) -> Result<()> {
    with(fh, |file| {
        amode.set(file.amode);
        Ok(())
    })
}

/// `MPI_File_get_group`.
pub unsafe fn get_group(fh: FileHandle, group: Output<GroupHandle>) -> Result<()> {
    with(fh, |file| {
        group.set(Arc::clone(&file.group).handle());
        Ok(())
    })
}

/// `MPI_File_get_info`.
pub unsafe fn get_info(fh: FileHandle, info: Output<InfoHandle>) -> Result<()> {
    with(fh, |file| {
        info.set(file.hints.lock().pairs()?.with_memory_kinds().handle());
        Ok(())
    })
}

/// `MPI_File_set_info`. Collective.
pub unsafe fn set_info(fh: FileHandle, info: InfoHandle) -> Result<()> {
    with(fh, |file| {
        let pairs = agree(&file.engine, Pairs::of_handle_or_null(info))?;
        let mut hints = file.hints.lock().clone();
        hints.add(&file.engine, &pairs)?;
        *file.hints.lock() = hints;
        Ok(())
    })
}

/// `MPI_File_get_atomicity`.
pub unsafe fn get_atomicity(fh: FileHandle, flag: Output<bool>) -> Result<()> {
    with(fh, |file| {
        flag.set(file.is_atomic.load(Ordering::Relaxed));
        Ok(())
    })
}

/// `MPI_File_set_atomicity`. Collective.
pub unsafe fn set_atomicity(fh: FileHandle, flag: i32) -> Result<()> {
    with(fh, |file| {
        agree_on(&file.engine, "flag", (flag != 0).into())?;
        file.is_atomic.store(flag != 0, Ordering::Relaxed);
        Ok(())
    })
}

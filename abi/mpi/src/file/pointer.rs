//! The individual file pointer, and what a view does to it.

use std::sync::Arc;

use super::File;
use super::view::View;
use super::with::with;
use crate::arguments::{FileHandle, Output};
use crate::constants::{MODE_SEQUENTIAL, SEEK_CUR, SEEK_END, SEEK_SET};
use crate::error::{Class, Error, Result};

impl File {
    /// The view of this process.
    pub(super) fn view(&self) -> Arc<View> {
        Arc::clone(&self.state.lock().view)
    }

    /// Moves the individual file pointer. Returns where it was.
    pub(super) fn advance(&self, etypes: i64) -> Result<i64> {
        let mut state = self.state.lock();
        let before = state.pointer;
        let after = before.checked_add(etypes);
        state.pointer = after.ok_or_else(|| Error::new(Class::ARG, "the file pointer would be too large"))?;
        Ok(before)
    }

    /// The new value of a file pointer, after a seek.
    pub(super) fn sought(&self, pointer: i64, offset: i64, whence: i32) -> Result<i64> {
        let base = match whence {
            SEEK_SET => 0,
            SEEK_CUR => pointer,
            SEEK_END => self.view().etypes_in(self.disk.size()?)?,
            _ => {
                let text = "whence is none of MPI_SEEK_SET, MPI_SEEK_CUR and MPI_SEEK_END";
                return Err(Error::new(Class::ARG, text));
            }
        };
        let new = base.checked_add(offset).filter(|new| *new >= 0);
        let text = || format!("offset {offset} from etype {base} is no place in a file");
        new.ok_or_else(|| Error::new(Class::ARG, text()))
    }

    /// Refuses a file without individual file pointers.
    fn check_random(&self) -> Result<()> {
        if self.amode & MODE_SEQUENTIAL == 0 {
            return Ok(());
        }
        let text = "a file with MPI_MODE_SEQUENTIAL has no individual file pointers";
        Err(Error::new(Class::UNSUPPORTED_OPERATION, text))
    }
}

/// `MPI_File_seek`.
pub unsafe fn seek(fh: FileHandle, offset: i64, whence: i32) -> Result<()> {
    with(fh, |file| {
        file.check_random()?;
        let pointer = file.state.lock().pointer;
        let new = file.sought(pointer, offset, whence)?;
        file.state.lock().pointer = new;
        Ok(())
    })
}

/// `MPI_File_get_position`.
pub unsafe fn get_position(fh: FileHandle, offset: Output<i64>) -> Result<()> {
    with(fh, |file| {
        file.check_random()?;
        offset.set(file.state.lock().pointer);
        Ok(())
    })
}

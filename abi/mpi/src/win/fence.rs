//! MPI's functions for fences.

use std::sync::atomic::{Ordering, fence as memory_fence};

use super::Win;
use super::with::with;
use crate::arguments::WinHandle;
use crate::comm::agreement::gather;
use crate::constants as c;
use crate::error::{Class, Error, Result};
use crate::file::agree::agree;
use crate::request;

const ALL: i32 = c::MODE_NOCHECK | c::MODE_NOSTORE | c::MODE_NOPUT | c::MODE_NOPRECEDE | c::MODE_NOSUCCEED;

/// Refuses bits that are no assertion.
pub(super) fn check_assertion(assert: i32) -> Result<()> {
    if assert & !ALL == 0 {
        return Ok(());
    }
    Err(Error::new(Class::ASSERT, "assert has bits that are no assertion about windows"))
}

impl Win {
    /// Waits for all ranks. What they have written before is visible afterwards.
    pub(super) fn meet(&self) -> Result<()> {
        memory_fence(Ordering::SeqCst);
        gather(&self.engine, [0])?;
        memory_fence(Ordering::SeqCst);
        Ok(())
    }
}

/// `MPI_Win_fence`. Every fence waits for all accesses of this rank, then for all ranks, whatever is
/// asserted.
pub unsafe fn fence(assert: i32, win: WinHandle) -> Result<()> {
    with(win, |win| {
        let may_begin = check_assertion(assert).and_then(|()| win.epoch.lock().check_none());
        let may_begin = may_begin.and(win.wait_for_answers(None));
        memory_fence(Ordering::SeqCst);
        agree(&win.engine, may_begin)?;
        memory_fence(Ordering::SeqCst);
        win.epoch.lock().is_fenced = assert & c::MODE_NOSUCCEED == 0;
        Ok(())
    })
}

/// `MPI_Win_sync`.
pub unsafe fn sync(win: WinHandle) -> Result<()> {
    with(win, |_| {
        memory_fence(Ordering::SeqCst);
        request::progress_staged();
        Ok(())
    })
}

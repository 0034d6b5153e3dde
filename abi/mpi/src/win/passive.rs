//! MPI's functions for locks and flushes. Accesses are complete when their functions return, so a flush only
//! orders memory.

use std::sync::atomic::{Ordering, fence};

use super::Win;
use super::epoch::misuse;
use super::fence::check_assertion;
use super::with::with;
use crate::arguments::WinHandle;
use crate::constants::{LOCK_EXCLUSIVE, LOCK_SHARED, PROC_NULL};
use crate::error::{Class, Error, Result};
use crate::request;

/// `MPI_Win_lock`.
pub unsafe fn lock(lock_type: i32, rank: i32, assert: i32, win: WinHandle) -> Result<()> {
    with(win, |win| {
        check_assertion(assert)?;
        if !matches!(lock_type, LOCK_EXCLUSIVE | LOCK_SHARED) {
            return Err(Error::new(Class::LOCKTYPE, "lock_type is no kind of lock"));
        }
        if rank == PROC_NULL {
            return Ok(());
        }
        let rank = win.check_rank(rank)?;
        {
            let mut epoch = win.epoch.lock();
            if epoch.is_all_locked || epoch.lock_on(rank).is_some() || epoch.started.is_some() {
                return Err(misuse("this rank has another epoch, or has locked the target already"));
            }
            epoch.locks.push((rank, lock_type));
        }
        win.lock_passive(rank, lock_type).inspect_err(|_| {
            win.epoch.lock().locks.retain(|(its, _)| *its != rank);
        })
    })
}

/// `MPI_Win_unlock`.
pub unsafe fn unlock(rank: i32, win: WinHandle) -> Result<()> {
    with(win, |win| {
        if rank == PROC_NULL {
            return Ok(());
        }
        let rank = win.check_rank(rank)?;
        let lock_type = {
            let mut epoch = win.epoch.lock();
            let lock_type = epoch.lock_on(rank).ok_or_else(|| misuse("the rank is not locked"))?;
            epoch.locks.retain(|(its, _)| *its != rank);
            lock_type
        };
        fence(Ordering::SeqCst);
        win.unlock_passive(rank, lock_type);
        Ok(())
    })
}

/// `MPI_Win_lock_all`.
pub unsafe fn lock_all(assert: i32, win: WinHandle) -> Result<()> {
    with(win, |win| {
        check_assertion(assert)?;
        {
            let mut epoch = win.epoch.lock();
            epoch.check_none()?;
            epoch.is_all_locked = true;
        }
        for rank in 0..win.engine.size() {
            if let Err(error) = win.lock_passive(rank, LOCK_SHARED) {
                (0..rank).for_each(|rank| win.unlock_passive(rank, LOCK_SHARED));
                win.epoch.lock().is_all_locked = false;
                return Err(error);
            }
        }
        Ok(())
    })
}

/// `MPI_Win_unlock_all`.
pub unsafe fn unlock_all(win: WinHandle) -> Result<()> {
    with(win, |win| {
        if !std::mem::take(&mut win.epoch.lock().is_all_locked) {
            return Err(misuse("MPI_Win_lock_all was not called"));
        }
        fence(Ordering::SeqCst);
        (0..win.engine.size()).for_each(|rank| win.unlock_passive(rank, LOCK_SHARED));
        Ok(())
    })
}

fn order(win: &Win, rank: Option<u32>) -> Result<()> {
    win.check_passive(rank)?;
    fence(Ordering::SeqCst);
    request::progress_staged();
    Ok(())
}

/// `MPI_Win_flush`, `MPI_Win_flush_local`.
pub unsafe fn flush(rank: i32, win: WinHandle) -> Result<()> {
    with(win, |win| if rank == PROC_NULL { Ok(()) } else { order(win, Some(win.check_rank(rank)?)) })
}

/// `MPI_Win_flush_all`, `MPI_Win_flush_local_all`.
pub unsafe fn flush_all(win: WinHandle) -> Result<()> {
    with(win, |win| order(win, None))
}

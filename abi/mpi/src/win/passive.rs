//! MPI's functions for locks and flushes. Accesses to ranks of this host are complete when their functions
//! return, so a flush only orders memory. Of other hosts, it waits for the lock and the answers.

use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use anyccl_engine::base::Rank;

use super::epoch::misuse;
use super::fence::check_assertion;
use super::target::Place;
use super::with::with;
use super::{Win, pending, quick};
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
        win.look_now_and_then().and_then(|()| win.lock_rank(rank, lock_type)).inspect_err(|_| {
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
        if win.is_distant(rank) {
            win.ask_unlock(rank)?;
            return win.wait_for_answers(Some(rank));
        }
        win.unlock_passive(rank, lock_type);
        Ok(())
    })
}

impl Win {
    fn is_distant(&self, rank: Rank) -> bool {
        matches!(self.targets[rank as usize].place, Place::Distant)
    }

    fn lock_rank(self: &Arc<Win>, rank: Rank, lock_type: i32) -> Result<()> {
        pending::wait_for_all()?;
        if self.is_distant(rank) {
            self.ask_lock(rank, lock_type)
        } else {
            self.lock_passive(rank, lock_type)
        }
    }

    /// Takes the locks of the ranks of this host, and asks for those of others.
    fn lock_all_ranks(self: &Arc<Win>) -> Result<()> {
        pending::wait_for_all()?;
        let (distant, near): (Vec<Rank>, Vec<Rank>) =
            (0..self.engine.size()).partition(|rank| self.is_distant(*rank));
        for (at, rank) in near.iter().enumerate() {
            self.lock_passive(*rank, LOCK_SHARED).inspect_err(|_| {
                near[..at].iter().for_each(|rank| self.unlock_passive(*rank, LOCK_SHARED));
            })?;
        }
        distant.into_iter().try_for_each(|rank| self.ask_lock(rank, LOCK_SHARED))
    }

    /// Gives locks back. Those of other hosts come behind all accesses.
    fn unlock_ranks(&self, ranks: &[Rank]) -> Result<()> {
        let (distant, near): (Vec<Rank>, Vec<Rank>) = ranks.iter().partition(|rank| self.is_distant(**rank));
        near.into_iter().for_each(|rank| self.unlock_passive(rank, LOCK_SHARED));
        distant.into_iter().try_for_each(|rank| self.ask_unlock(rank))
    }
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
        win.lock_all_ranks().inspect_err(|_| drop(end_lock_all(win)))
    })
}

/// Ends the epoch that `MPI_Win_lock_all` has begun. Returns the ranks whose locks were not there in time.
fn end_lock_all(win: &Win) -> Vec<Rank> {
    let mut epoch = win.epoch.lock();
    epoch.is_all_locked = false;
    std::mem::take(&mut epoch.not_locked)
}

/// `MPI_Win_unlock_all`.
pub unsafe fn unlock_all(win: WinHandle) -> Result<()> {
    with(win, |win| {
        if !win.epoch.lock().is_all_locked {
            return Err(misuse("MPI_Win_lock_all was not called"));
        }
        fence(Ordering::SeqCst);
        // Ended only then, so that a lock that does not come is known not to be given back.
        let locks = win.wait_for_locks(None);
        let not_locked = end_lock_all(win);
        let all: Vec<Rank> = (0..win.engine.size()).filter(|rank| !not_locked.contains(rank)).collect();
        win.unlock_ranks(&all)?;
        locks.and(win.wait_for_answers(None))
    })
}

fn order(win: &Win, rank: Option<u32>) -> Result<()> {
    win.check_passive(rank)?;
    win.look_now_and_then()?;
    fence(Ordering::SeqCst);
    request::progress_staged();
    win.wait_for_answers(rank)
}

/// `MPI_Win_flush`, `MPI_Win_flush_local`.
pub unsafe fn flush(rank: i32, win: WinHandle) -> Result<()> {
    if quick::flush(rank, win).is_some() {
        return Ok(());
    }
    with(win, |win| if rank == PROC_NULL { Ok(()) } else { order(win, Some(win.check_rank(rank)?)) })
}

/// `MPI_Win_flush_all`, `MPI_Win_flush_local_all`.
pub unsafe fn flush_all(win: WinHandle) -> Result<()> {
    with(win, |win| order(win, None))
}

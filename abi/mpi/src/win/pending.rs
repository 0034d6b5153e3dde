//! Locks of ranks of other hosts that were asked for and have perhaps not come yet.
//!
//! A lock costs no round trip of its own: accesses follow the request at once, and the target keeps them
//! until this rank has the lock. Large ones wait for it here. So does every other lock, on whatever window:
//! ranks that take locks in one order get them in that order.
//!
//! A lock that is not there within the time limit is forgotten with all accesses that came after, here and
//! at the target.

use std::sync::{Arc, Weak};
use std::time::Duration;

use anyccl_engine::base::Rank;
use parking_lot::Mutex;

use super::Win;
use super::countdown::Countdown;
use super::far::Pending;
use super::wire::Kind;
use crate::error::{Error, Result};

/// Windows that have asked for locks.
static WINDOWS: Mutex<Vec<Weak<Win>>> = Mutex::new(Vec::new());

/// Waits for all locks that this process has asked for.
pub fn wait_for_all() -> Result<()> {
    let windows = std::mem::take(&mut *WINDOWS.lock());
    let mut outcome = Ok(());
    for win in windows.iter().filter_map(Weak::upgrade) {
        outcome = outcome.and(win.wait_for_locks(None));
    }
    outcome
}

impl Win {
    fn pending(&self) -> Option<&Mutex<Vec<Pending>>> {
        self.distant.as_ref().map(|distant| &distant.pending)
    }

    /// Asks a rank of another host for its lock.
    pub(super) fn ask_lock(self: &Arc<Win>, rank: Rank, lock_type: i32) -> Result<()> {
        let lock = self.ask_plainly(Kind::Lock, rank, lock_type.cast_unsigned())?;
        if let Some(pending) = self.pending() {
            pending.lock().push((rank, lock));
            WINDOWS.lock().push(Arc::downgrade(self));
        }
        Ok(())
    }

    /// Waits for the lock of a rank, or for all that were asked for. One that does not come is forgotten.
    pub(super) fn wait_for_locks(&self, rank: Option<Rank>) -> Result<()> {
        let Some(pending) = self.pending() else { return Ok(()) };
        loop {
            let next = pending.lock().iter().find(|(its, _)| rank.is_none_or(|rank| rank == *its)).cloned();
            let Some((rank, lock)) = next else { return Ok(()) };
            let outcome = self.wait_until(&format!("the lock on rank {rank}"), || lock.is_over());
            let is_same = |(_, its): &Pending| Arc::ptr_eq(its, &lock);
            let was_pending = pending.lock().extract_if(.., |it| is_same(it)).next().is_some();
            match outcome.and_then(|()| lock.outcome()) {
                Err(error) if was_pending => {
                    self.forget_lock(rank, &error);
                    return Err(error);
                }
                outcome => outcome?,
            }
        }
    }

    /// Waits for the lock of a rank before an access that is not to be sent without it.
    pub(super) fn wait_for_lock_before(&self, rank: Rank, bytes: usize) -> Result<()> {
        let Some(distant) = &self.distant else { return Ok(()) };
        let is_pending = distant.pending.lock().iter().any(|(its, lock)| *its == rank && !lock.is_over());
        if is_pending && !distant.outbox.may_come_before_lock(rank, bytes) {
            return self.wait_for_locks(Some(rank));
        }
        Ok(())
    }

    /// Gives up an access, and all others on the same rank, because its answer was not there in time.
    pub(super) fn give_up_access(&self, access: &Arc<Countdown>, waited: Duration) -> Error {
        let asked =
            self.distant.as_ref().and_then(|distant| Some((distant, distant.outbox.rank_of(access)?)));
        let Some((distant, rank)) = asked else { return self.late("the answer to an access", waited) };
        if distant.pending.lock().iter().any(|(its, lock)| *its == rank && !lock.is_over()) {
            let error = self.late(&format!("the lock on rank {rank}"), waited);
            self.forget_lock(rank, &error);
            return error;
        }
        let error = self.late(&format!("the answer of rank {rank} to an access"), waited);
        distant.outbox.give_up(rank, &error);
        error
    }

    /// Gives up a lock that was not there in time, and what was sent after the request.
    pub(super) fn forget_lock(&self, rank: Rank, reason: &Error) {
        {
            let mut epoch = self.epoch.lock();
            epoch.locks.retain(|(its, _)| *its != rank);
            if epoch.is_all_locked {
                epoch.not_locked.push(rank);
            }
        }
        if let Some(distant) = &self.distant {
            distant.pending.lock().retain(|(its, _)| *its != rank);
            distant.outbox.give_up(rank, reason);
        }
        // Where nothing can be sent any more, the window's communicator has failed.
        let _ = self.ask_plainly(Kind::Forget, rank, 0);
    }
}

//! Taking the locks of a window, and giving them back.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Win;
use super::control::{ACCUMULATE, EXCLUSIVE, PASSIVE};
use crate::constants::LOCK_EXCLUSIVE;
use crate::error::Result;

/// The lock for accumulates on a rank, while this is held.
pub struct Atomic<'a>(&'a AtomicU64);

impl Drop for Atomic<'_> {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Release);
    }
}

impl Win {
    /// Takes the lock for accumulates on a rank.
    pub(super) fn lock_atomic(&self, rank: u32) -> Result<Atomic<'_>> {
        let (word, own) = (self.control.word(rank, ACCUMULATE), u64::from(self.rank()) + 1);
        let take = || word.compare_exchange(0, own, Ordering::Acquire, Ordering::Relaxed).is_ok();
        self.wait_until("the lock of an accumulate", take)?;
        Ok(Atomic(word))
    }

    /// Takes the lock of passive target synchronization.
    pub(super) fn lock_passive(&self, rank: u32, lock_type: i32) -> Result<()> {
        let word = self.control.word(rank, PASSIVE);
        let own = EXCLUSIVE | u64::from(self.rank());
        let next = |now: u64| match now {
            0 if lock_type == LOCK_EXCLUSIVE => Some(own),
            _ if lock_type == LOCK_EXCLUSIVE || now & EXCLUSIVE != 0 => None,
            holders => Some(holders + 1),
        };
        let take = || word.fetch_update(Ordering::AcqRel, Ordering::Relaxed, next).is_ok();
        self.wait_until(&format!("the lock on rank {rank}"), take)
    }

    /// Gives the lock of passive target synchronization back.
    pub(super) fn unlock_passive(&self, rank: u32, lock_type: i32) {
        let word = self.control.word(rank, PASSIVE);
        if lock_type == LOCK_EXCLUSIVE {
            word.store(0, Ordering::Release);
        } else {
            word.fetch_sub(1, Ordering::Release);
        }
    }
}

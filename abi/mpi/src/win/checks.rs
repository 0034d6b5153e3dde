//! Whether a rank may be accessed or flushed now.

use super::Win;
use super::epoch::misuse;
use crate::error::Result;

impl Win {
    /// Refuses an access to a rank outside of an epoch.
    pub(super) fn check_access(&self, rank: u32) -> Result<()> {
        let epoch = self.epoch.lock();
        let is_started = || epoch.started.as_ref().is_some_and(|ranks| ranks.contains(&rank));
        if epoch.is_all_locked && epoch.not_locked.contains(&rank) {
            return Err(misuse(format!("MPI_Win_lock_all has not got the lock on rank {rank} in time")));
        }
        if epoch.is_fenced || epoch.is_all_locked || epoch.lock_on(rank).is_some() || is_started() {
            return Ok(());
        }
        let text = format!("there is no access epoch for rank {rank}: no fence, no start and no lock");
        Err(misuse(text))
    }

    /// Refuses a flush outside of a passive target epoch.
    pub(super) fn check_passive(&self, rank: Option<u32>) -> Result<()> {
        let epoch = self.epoch.lock();
        let is_locked = match rank {
            Some(rank) => epoch.lock_on(rank).is_some(),
            None => !epoch.locks.is_empty(),
        };
        if epoch.is_all_locked || is_locked { Ok(()) } else { Err(misuse("the rank is not locked")) }
    }
}

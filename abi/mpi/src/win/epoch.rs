//! What a rank may access now: the epochs that it has begun.

use anyccl_engine::comm::Request;

use super::Win;
use crate::error::{Class, Error, Result};

/// The epochs of this rank.
#[derive(Default)]
pub struct Epoch {
    /// Whether a fence has begun one that no fence has ended.
    pub is_fenced: bool,
    /// Ranks that are locked, with the kind of lock.
    pub locks: Vec<(u32, i32)>,
    /// Whether all ranks are locked.
    pub is_all_locked: bool,
    /// Ranks that `MPI_Win_start` named.
    pub started: Option<Vec<u32>>,
    /// Ranks that `MPI_Win_post` named, from which the end has not come.
    pub posted: Option<Vec<u32>>,
    /// Messages under way.
    pub sends: Vec<Request>,
}

#[cold]
pub fn misuse(text: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(Class::RMA_SYNC, text)
}

impl Epoch {
    /// The kind of lock that this rank has on a rank alone.
    pub fn lock_on(&self, rank: u32) -> Option<i32> {
        self.locks.iter().find(|(its, _)| *its == rank).map(|(_, kind)| *kind)
    }

    /// Refuses to begin an epoch of another kind.
    pub fn check_none(&self) -> Result<()> {
        if self.is_all_locked || !self.locks.is_empty() {
            return Err(misuse("a rank of the window is locked; unlock it first"));
        }
        if self.started.is_some() {
            return Err(misuse("MPI_Win_start was called; call MPI_Win_complete first"));
        }
        Ok(())
    }

    /// Removes messages that have arrived. A failure of one is also one of the window's communicator.
    pub fn forget_sent(&mut self) {
        self.sends.retain_mut(|request| matches!(request.test(), Ok(false)));
    }
}

impl Win {
    /// Refuses an access to a rank outside of an epoch.
    pub(super) fn check_access(&self, rank: u32) -> Result<()> {
        let epoch = self.epoch.lock();
        let is_started = || epoch.started.as_ref().is_some_and(|ranks| ranks.contains(&rank));
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

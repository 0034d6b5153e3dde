//! What a rank may access now: the epochs that it has begun.

use anyccl_engine::comm::Request;

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
    /// But for these, whose locks were not there in time.
    pub not_locked: Vec<u32>,
    /// Ranks that `MPI_Win_start` named.
    pub started: Option<Vec<u32>>,
    /// Ranks that `MPI_Win_post` named, from which the end has not come.
    pub posted: Option<Vec<u32>>,
    /// Whether a thread takes these ends.
    pub is_ending: bool,
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

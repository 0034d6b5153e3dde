//! What a rank may access now: the epochs that it has begun.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};

use anyccl_engine::comm::Request;
use parking_lot::{Mutex, MutexGuard};

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

/// Bit of the word of [`Epochs`]: every rank may be accessed.
const ALL_OPEN: u64 = 1;
/// Bit of it: every rank is locked, or was asked for its lock.
const ALL_LOCKED: u64 = 2;

/// The word for one locked rank.
fn one_locked(rank: u32) -> u64 {
    (u64::from(rank) + 1) << 32
}

/// The epochs of this rank, and a word that says without a lock what most programs ask for.
#[derive(Default)]
pub struct Epochs {
    epochs: Mutex<Epoch>,
    word: AtomicU64,
}

/// The epochs, locked. The word follows when this is dropped.
pub struct LockedEpochs<'a> {
    epochs: MutexGuard<'a, Epoch>,
    word: &'a AtomicU64,
}

impl Epochs {
    /// Locks the epochs, to look at them or to change them.
    pub fn lock(&self) -> LockedEpochs<'_> {
        LockedEpochs { epochs: self.epochs.lock(), word: &self.word }
    }

    /// Whether a rank may surely be accessed. If not, the epochs decide.
    #[inline]
    pub fn is_open(&self, rank: u32) -> bool {
        let word = self.word.load(Ordering::Acquire);
        word & ALL_OPEN != 0 || word & !ALL_LOCKED == one_locked(rank)
    }

    /// Whether a rank may surely be flushed. If not, the epochs decide.
    #[inline]
    pub fn is_locked(&self, rank: u32) -> bool {
        let word = self.word.load(Ordering::Acquire);
        word & ALL_LOCKED != 0 || word & !ALL_OPEN == one_locked(rank)
    }
}

impl Deref for LockedEpochs<'_> {
    type Target = Epoch;

    fn deref(&self) -> &Epoch {
        &self.epochs
    }
}

impl DerefMut for LockedEpochs<'_> {
    fn deref_mut(&mut self) -> &mut Epoch {
        &mut self.epochs
    }
}

impl Drop for LockedEpochs<'_> {
    fn drop(&mut self) {
        // The lock is given back after that, so the word is that of the last change.
        self.word.store(self.epochs.word(), Ordering::Release);
    }
}

#[cold]
pub fn misuse(text: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(Class::RMA_SYNC, text)
}

impl Epoch {
    /// What the word of [`Epochs`] says.
    fn word(&self) -> u64 {
        let is_open = self.is_fenced || self.is_all_locked && self.not_locked.is_empty();
        let all = if is_open { ALL_OPEN } else { 0 } | if self.is_all_locked { ALL_LOCKED } else { 0 };
        match self.locks.as_slice() {
            [(rank, _)] => all | one_locked(*rank),
            _ => all,
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::LOCK_SHARED;

    /// Whether ranks 0 and 1 may be accessed, and flushed, by the word and by the epochs.
    fn seen(epochs: &Epochs) -> [(bool, bool); 2] {
        [0, 1].map(|rank| (epochs.is_open(rank), epochs.is_locked(rank)))
    }

    #[test]
    fn the_word_follows_the_epochs() {
        const OPEN: (bool, bool) = (true, true);
        const SHUT: (bool, bool) = (false, false);
        let epochs = Epochs::default();
        assert_eq!(seen(&epochs), [SHUT; 2]);
        epochs.lock().locks.push((0, LOCK_SHARED));
        assert_eq!(seen(&epochs), [OPEN, SHUT]);
        // Of several locks, the epochs know more than the word.
        epochs.lock().locks.push((1, LOCK_SHARED));
        assert_eq!(seen(&epochs), [SHUT; 2]);
        epochs.lock().locks.remove(0);
        assert_eq!(seen(&epochs), [SHUT, OPEN]);
        epochs.lock().is_fenced = true;
        assert_eq!(seen(&epochs), [(true, false), OPEN]);
        epochs.lock().locks.clear();
        epochs.lock().is_fenced = false;
        assert_eq!(seen(&epochs), [SHUT; 2]);
        epochs.lock().is_all_locked = true;
        assert_eq!(seen(&epochs), [OPEN; 2]);
        epochs.lock().not_locked.push(1);
        assert_eq!(seen(&epochs), [(false, true); 2]);
    }
}

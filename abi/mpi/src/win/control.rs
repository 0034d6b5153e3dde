//! The locks of a window, in memory that all its ranks of one host share.
//!
//! Each rank has a block of words:
//!
//! - the lock of passive target synchronization: three words ([`super::locks`]);
//! - the lock that makes accumulates atomic: 0, or the holder's rank plus 1;
//! - in a dynamic window, the memory that the rank has attached: address and length of each piece, 0 if the
//!   entry is free. The rank itself writes them.
//!
//! The words come from other processes. A wrong one makes a rank wait, or lets it write where another process
//! allowed it before; no address of this process is taken from them.

use std::sync::atomic::{AtomicU64, Ordering};

use super::memory::Shared;
use crate::error::{Class, Error, Result};

/// Pieces of memory that a rank can attach.
pub const PIECES: usize = 1024;

/// Words of a block before the pieces. The two locks are in cache lines of their own.
const LOCK_WORDS: usize = 16;
/// Word of the tickets for the lock of passive target synchronization.
pub const TICKETS: usize = 0;
/// Word of the ticket that may share that lock next.
pub const SHARES_NEXT: usize = 1;
/// Word of the ticket that may exclude others next.
pub const EXCLUDES_NEXT: usize = 2;
/// Word of the lock for accumulates.
pub const ACCUMULATE: usize = 8;

/// A place in the order of those who want a lock.
#[derive(Clone, Copy)]
pub struct Ticket {
    pub number: u64,
    pub lock_type: i32,
}

/// The words of all ranks.
pub struct Control {
    memory: Shared,
    block: usize,
}

/// Number of words of a rank.
fn block(is_dynamic: bool) -> usize {
    if is_dynamic { LOCK_WORDS + 2 * PIECES } else { LOCK_WORDS }
}

impl Control {
    /// Allocates the words, on one rank.
    pub fn allocate(ranks: u32, is_dynamic: bool) -> Result<Control> {
        let block = block(is_dynamic);
        let memory = Shared::allocate(block * ranks as usize * 8)?;
        let words = std::ptr::with_exposed_provenance_mut::<u64>(memory.start());
        // SAFETY: new memory of that many words, which no other process knows yet.
        unsafe { words.write_bytes(0, block * ranks as usize) };
        Ok(Control { memory, block })
    }

    /// Maps the words that another rank has allocated.
    pub fn import(name: &[u64], ranks: u32, is_dynamic: bool) -> Result<Control> {
        let (memory, block) = (Shared::import(name)?, block(is_dynamic));
        if memory.bytes() < block * ranks as usize * 8 || !memory.start().is_multiple_of(8) {
            return Err(Error::new(Class::INTERN, "another rank has allocated other words than it should"));
        }
        Ok(Control { memory, block })
    }

    /// Address of the words.
    pub fn start(&self) -> usize {
        self.memory.start()
    }

    /// Number of bytes.
    pub fn bytes(&self) -> usize {
        self.memory.bytes()
    }

    /// A word of a rank.
    pub fn word(&self, rank: u32, at: usize) -> &AtomicU64 {
        assert!(at < self.block);
        let at = (rank as usize * self.block + at) * 8;
        assert!(at < self.memory.bytes());
        let place = std::ptr::with_exposed_provenance_mut(self.memory.start() + at);
        // SAFETY: an aligned word of the mapping, which lives as long as `self`. Every process uses it as an
        // atomic only.
        unsafe { AtomicU64::from_ptr(place) }
    }

    /// Address and length of a piece of memory that a rank has attached. Length 0: the entry is free.
    pub fn piece(&self, rank: u32, entry: usize) -> (u64, u64) {
        let at = LOCK_WORDS + 2 * entry;
        let len = self.word(rank, at + 1).load(Ordering::Acquire);
        (self.word(rank, at).load(Ordering::Relaxed), len)
    }

    /// Sets an entry of this rank.
    pub fn set_piece(&self, rank: u32, entry: usize, start: u64, len: u64) {
        let at = LOCK_WORDS + 2 * entry;
        self.word(rank, at + 1).store(0, Ordering::Release);
        self.word(rank, at).store(start, Ordering::Relaxed);
        self.word(rank, at + 1).store(len, Ordering::Release);
    }
}

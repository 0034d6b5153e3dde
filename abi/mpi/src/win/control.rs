//! The locks of a window, in memory that all its ranks of one host share.
//!
//! Each rank has a block of words:
//!
//! - the lock of passive target synchronization: three words ([`super::locks`]);
//! - the lock that makes accumulates atomic: 0, or the holder's rank plus 1;
//! - two bits for each ticket: whether its rank has given it up, and shared or excluded others with it;
//! - in a dynamic window, the memory that the rank has attached: address and length of each piece, 0 if the
//!   entry is free. The rank itself writes them.
//!
//! The words come from other processes. A wrong one makes a rank wait, or lets it write where another process
//! allowed it before; no address of this process is taken from them.

use std::sync::atomic::{AtomicU64, Ordering};

use super::memory::Shared;
use crate::constants::LOCK_EXCLUSIVE;
use crate::error::{Class, Error, Result};

/// Pieces of memory that a rank can attach.
pub const PIECES: usize = 1024;

/// Words of a block before the bits of tickets. The two locks are in cache lines of their own.
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
#[derive(Clone, Copy, Debug)]
pub struct Ticket {
    pub number: u64,
    pub lock_type: i32,
}

/// Tickets whose bits are in one word.
const TICKETS_PER_WORD: usize = 32;

/// Words of the bits of tickets. Each rank has one ticket for a lock at a time, or few if it is on another
/// host. So more tickets than this never wait together.
fn ticket_words(ranks: u32) -> usize {
    (4 * ranks as usize).div_ceil(TICKETS_PER_WORD)
}

/// The words of all ranks.
pub struct Control {
    memory: Shared,
    block: usize,
    ticket_words: usize,
}

/// Number of words of a rank.
fn block(ranks: u32, is_dynamic: bool) -> usize {
    LOCK_WORDS + ticket_words(ranks) + if is_dynamic { 2 * PIECES } else { 0 }
}

impl Control {
    /// Allocates the words, on one rank.
    pub fn allocate(ranks: u32, is_dynamic: bool) -> Result<Control> {
        let block = block(ranks, is_dynamic);
        let memory = Shared::allocate(block * ranks as usize * 8)?;
        let words = std::ptr::with_exposed_provenance_mut::<u64>(memory.start());
        // SAFETY: new memory of that many words, which no other process knows yet.
        unsafe { words.write_bytes(0, block * ranks as usize) };
        Ok(Control { memory, block, ticket_words: ticket_words(ranks) })
    }

    /// Maps the words that another rank has allocated.
    pub fn import(name: &[u64], ranks: u32, is_dynamic: bool) -> Result<Control> {
        let (memory, block) = (Shared::import(name)?, block(ranks, is_dynamic));
        if memory.bytes() < block * ranks as usize * 8 || !memory.start().is_multiple_of(8) {
            return Err(Error::new(Class::INTERN, "another rank has allocated other words than it should"));
        }
        Ok(Control { memory, block, ticket_words: ticket_words(ranks) })
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

    /// The word and the bit that tell whether a ticket for the lock of a rank was given up.
    fn bit(&self, rank: u32, ticket: Ticket) -> (&AtomicU64, u64) {
        let place = (ticket.number % (self.ticket_words * TICKETS_PER_WORD) as u64) as usize;
        let excludes = usize::from(ticket.lock_type == LOCK_EXCLUSIVE);
        let bit = 1 << (2 * (place % TICKETS_PER_WORD) + excludes);
        (self.word(rank, LOCK_WORDS + place / TICKETS_PER_WORD), bit)
    }

    /// Notes that nobody waits for a ticket any more.
    pub fn give_up(&self, rank: u32, ticket: Ticket) {
        let (word, bit) = self.bit(rank, ticket);
        word.fetch_or(bit, Ordering::AcqRel);
    }

    /// Whether a ticket was given up, and nobody has taken it back.
    pub fn is_given_up(&self, rank: u32, ticket: Ticket) -> bool {
        let (word, bit) = self.bit(rank, ticket);
        word.load(Ordering::Acquire) & bit != 0
    }

    /// Takes a ticket back that was given up. `false`: it was not, or another one has taken it.
    pub fn take_back(&self, rank: u32, ticket: Ticket) -> bool {
        let (word, bit) = self.bit(rank, ticket);
        word.fetch_and(!bit, Ordering::AcqRel) & bit != 0
    }

    /// The place of an entry for attached memory.
    fn entry(&self, entry: usize) -> usize {
        LOCK_WORDS + self.ticket_words + 2 * entry
    }

    /// Address and length of a piece of memory that a rank has attached. Length 0: the entry is free.
    pub fn piece(&self, rank: u32, entry: usize) -> (u64, u64) {
        let at = self.entry(entry);
        let len = self.word(rank, at + 1).load(Ordering::Acquire);
        (self.word(rank, at).load(Ordering::Relaxed), len)
    }

    /// Sets an entry of this rank.
    pub fn set_piece(&self, rank: u32, entry: usize, start: u64, len: u64) {
        let at = self.entry(entry);
        self.word(rank, at + 1).store(0, Ordering::Release);
        self.word(rank, at).store(start, Ordering::Relaxed);
        self.word(rank, at + 1).store(len, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::LOCK_SHARED;

    #[test]
    fn a_ticket_that_was_given_up_is_taken_back_once() {
        let control = Control::allocate(2, true).unwrap();
        control.set_piece(1, PIECES - 1, 5, 6);
        for number in [0, 31, u64::MAX] {
            for lock_type in [LOCK_SHARED, LOCK_EXCLUSIVE] {
                let ticket = Ticket { number, lock_type };
                control.give_up(1, ticket);
                let others = [LOCK_SHARED, LOCK_EXCLUSIVE].into_iter().filter(|other| *other != lock_type);
                for other in others {
                    assert!(!control.is_given_up(1, Ticket { number, lock_type: other }));
                }
                assert!(control.is_given_up(1, ticket) && !control.is_given_up(0, ticket));
                assert!(control.take_back(1, ticket) && !control.take_back(1, ticket));
            }
        }
        assert_eq!(control.piece(1, PIECES - 1), (5, 6));
        assert_eq!(control.piece(1, 0), (0, 0));
    }
}

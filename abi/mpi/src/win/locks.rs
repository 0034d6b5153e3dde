//! Taking the locks of a window, and giving them back.
//!
//! The lock of passive target synchronization is fair: who asks takes a ticket, and the tickets are served in
//! order. Ranks that share it and follow each other have it at the same time. Of three words, one counts the
//! tickets. The second has the ticket that may share the lock next: all before it share it, or are over. The
//! third has the ticket that may exclude others next: all before it are over.
//!
//! A rank whose time limit has passed gives its ticket up. Those who wait behind it pass it when it is
//! served.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Win;
use super::control::{ACCUMULATE, EXCLUDES_NEXT, SHARES_NEXT, TICKETS, Ticket};
use crate::constants::{LOCK_EXCLUSIVE, LOCK_SHARED};
use crate::error::Result;

/// Looks at the lock for accumulates before a rank does something else.
const LOOKS: u32 = 200;

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

    /// Takes the lock for accumulates on this rank, if it is free within a moment.
    pub(super) fn try_lock_atomic(&self) -> Option<Atomic<'_>> {
        let (word, own) = (self.control.word(self.rank(), ACCUMULATE), u64::from(self.rank()) + 1);
        (0..LOOKS).find_map(|_| {
            std::hint::spin_loop();
            word.compare_exchange(0, own, Ordering::Acquire, Ordering::Relaxed).ok().map(|_| Atomic(word))
        })
    }

    /// Takes a ticket for the lock of a rank of this host.
    pub(super) fn take_ticket(&self, rank: u32, lock_type: i32) -> Ticket {
        let number = self.control.word(rank, TICKETS).fetch_add(1, Ordering::AcqRel);
        Ticket { number, lock_type }
    }

    /// Whether a ticket is served now. Asked no more after that.
    pub(super) fn has_come(&self, rank: u32, ticket: Ticket) -> bool {
        let excludes = ticket.lock_type == LOCK_EXCLUSIVE;
        let word = self.control.word(rank, if excludes { EXCLUDES_NEXT } else { SHARES_NEXT });
        if word.load(Ordering::Acquire) != ticket.number {
            return false;
        }
        if !excludes {
            word.fetch_add(1, Ordering::AcqRel);
        }
        true
    }

    /// Takes the lock of a rank of this host.
    pub(super) fn lock_passive(&self, rank: u32, lock_type: i32) -> Result<()> {
        let ticket = self.ticket_for(rank, lock_type)?;
        let what = format!("the lock on rank {rank}");
        let outcome = self.wait_until(&what, || {
            self.pass_given_up(rank);
            self.has_come(rank, ticket)
        });
        if outcome.is_err() {
            self.given_up.lock().push((rank, ticket));
            self.control.give_up(rank, ticket);
        }
        outcome
    }

    /// A ticket for the lock of a rank of this host: the one that this rank has given up, or a new one. So it
    /// has one at a time.
    fn ticket_for(&self, rank: u32, lock_type: i32) -> Result<Ticket> {
        let mut given_up =
            self.given_up.lock().extract_if(.., |(its, _)| *its == rank).map(|(_, old)| old).next();
        if let Some(old) = given_up.filter(|old| old.lock_type != lock_type) {
            let what = format!("the lock on rank {rank} that was asked for before");
            self.wait_until(&what, || {
                self.pass_given_up(rank);
                !self.control.is_given_up(rank, old)
            })
            .inspect_err(|_| self.given_up.lock().push((rank, old)))?;
            given_up = None;
        }
        let old = given_up.filter(|old| self.control.take_back(rank, *old));
        Ok(old.unwrap_or_else(|| self.take_ticket(rank, lock_type)))
    }

    /// Gives the lock of a rank of this host back.
    pub(super) fn unlock_passive(&self, rank: u32, lock_type: i32) {
        if lock_type == LOCK_EXCLUSIVE {
            self.control.word(rank, SHARES_NEXT).fetch_add(1, Ordering::AcqRel);
        }
        self.control.word(rank, EXCLUDES_NEXT).fetch_add(1, Ordering::AcqRel);
    }

    /// Lets those pass who come after tickets that were given up. Who waits for a lock does so for the ranks
    /// before it, which may be anywhere else.
    pub(super) fn pass_given_up(&self, rank: u32) {
        while [LOCK_SHARED, LOCK_EXCLUSIVE].into_iter().any(|lock_type| self.pass_one(rank, lock_type)) {}
    }

    /// Lets those pass who come after the ticket that is served next, if it was given up.
    fn pass_one(&self, rank: u32, lock_type: i32) -> bool {
        let word =
            self.control.word(rank, if lock_type == LOCK_EXCLUSIVE { EXCLUDES_NEXT } else { SHARES_NEXT });
        let ticket = Ticket { number: word.load(Ordering::Acquire), lock_type };
        if !self.control.is_given_up(rank, ticket) || !self.control.take_back(rank, ticket) {
            return false;
        }
        if !self.has_come(rank, ticket) {
            // Meanwhile the word has gone on, and the bit belongs to a later ticket.
            self.control.give_up(rank, ticket);
            return false;
        }
        self.unlock_passive(rank, lock_type);
        true
    }
}

//! The lock of this rank, as ranks of other hosts ask for it: by messages, in whose order they wait.
//!
//! Each request takes a ticket at once, as ranks of this host do. So all are served in one order. A rank may
//! send accesses without waiting for the lock: they are kept until it has it.

use anyccl_engine::base::Rank;

use super::Win;
use super::far::{Grants, Waiting};
use super::outbox::{MOST_BYTES, MOST_OPERATIONS};
use super::wire::LONGEST;

impl Grants {
    /// Notes a request. `false`: the rank has asked before.
    pub fn ask(&mut self, win: &Win, rank: Rank, id: u64, lock_type: i32) -> bool {
        if self.holders.contains_key(&rank) || self.is_waiting(rank) {
            return false;
        }
        let of_rank = |(its, _): &(Rank, _)| *its == rank;
        if self.given_up.iter().filter(|it| of_rank(it)).count() > MOST_OPERATIONS {
            return false;
        }
        let old = self.given_up.iter().position(|it| of_rank(it) && it.1.lock_type == lock_type);
        let ticket = match old {
            Some(at) => self.given_up.remove(at).1,
            None => win.take_ticket(win.rank(), lock_type),
        };
        self.waiting.push(Waiting { rank, id, ticket, messages: Vec::new() });
        true
    }

    /// Whether a rank waits for the lock.
    pub fn is_waiting(&self, rank: Rank) -> bool {
        self.waiting.iter().any(|waiting| waiting.rank == rank)
    }

    /// Keeps a message of a rank that waits. `false`: a rank of this library sends no more.
    pub fn keep(&mut self, rank: Rank, message: Vec<u8>) -> bool {
        let Some(waiting) = self.waiting.iter_mut().find(|waiting| waiting.rank == rank) else {
            return false;
        };
        waiting.messages.push(message);
        let bytes: usize = waiting.messages.iter().map(Vec::len).sum();
        waiting.messages.len() <= MOST_OPERATIONS && bytes <= MOST_BYTES + LONGEST
    }

    /// Takes out a rank that has the lock now.
    pub fn next(&mut self, win: &Win) -> Option<Waiting> {
        win.pass_given_up(win.rank());
        self.given_up.retain(|(_, ticket)| {
            let has_come = win.has_come(win.rank(), *ticket);
            if has_come {
                win.unlock_passive(win.rank(), ticket.lock_type);
            }
            !has_come
        });
        let at = self.waiting.iter().position(|waiting| win.has_come(win.rank(), waiting.ticket))?;
        let waiting = self.waiting.remove(at);
        self.holders.insert(waiting.rank, waiting.ticket.lock_type);
        Some(waiting)
    }

    /// Gives back the lock that a rank has. `false`: it has none.
    pub fn give_back(&mut self, win: &Win, rank: Rank) -> bool {
        let Some(lock_type) = self.holders.remove(&rank) else { return false };
        win.unlock_passive(win.rank(), lock_type);
        true
    }

    /// Forgets what a rank has asked for. Returns it, if the rank has not got the lock.
    pub fn forget(&mut self, win: &Win, rank: Rank) -> Option<Waiting> {
        self.give_back(win, rank);
        let at = self.waiting.iter().position(|waiting| waiting.rank == rank)?;
        let waiting = self.waiting.remove(at);
        self.given_up.push((rank, waiting.ticket));
        Some(waiting)
    }
}

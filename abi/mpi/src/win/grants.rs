//! The lock of this rank, as ranks of other hosts ask for it: by messages, in whose order they wait.
//!
//! Each request takes a ticket at once, as ranks of this host do. So all are served in one order.

use anyccl_engine::base::Rank;

use super::Win;
use super::far::{Grants, Waiting};

impl Grants {
    /// Notes a request. `false`: the rank has asked before.
    pub fn ask(&mut self, win: &Win, rank: Rank, id: u64, lock_type: i32) -> bool {
        if self.holders.contains_key(&rank) || self.waiting.iter().any(|waiting| waiting.rank == rank) {
            return false;
        }
        let ticket = win.take_ticket(win.rank(), lock_type);
        self.waiting.push(Waiting { rank, id, ticket });
        true
    }

    /// Takes out a rank that has the lock now, and the number of its request.
    pub fn next(&mut self, win: &Win) -> Option<(Rank, u64)> {
        let at = self.waiting.iter().position(|waiting| win.has_come(win.rank(), waiting.ticket))?;
        let Waiting { rank, id, ticket } = self.waiting.remove(at);
        self.holders.insert(rank, ticket.lock_type);
        Some((rank, id))
    }

    /// Gives back the lock that a rank has. `false`: it has none.
    pub fn give_back(&mut self, win: &Win, rank: Rank) -> bool {
        let Some(lock_type) = self.holders.remove(&rank) else { return false };
        win.unlock_passive(win.rank(), lock_type);
        true
    }
}

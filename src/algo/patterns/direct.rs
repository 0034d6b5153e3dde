//! Direct exchange: collects the contributions of all ranks to the same elements.
//!
//! A rank that collects contributions leaves its own where it is, and keeps those of the other ranks in slots
//! of scratch. It reduces them in rank order, by the fixed tree, so any two collectors get the same bits.

use super::builder::{RoundBuilder, scratch};
use crate::base::Rank;
use crate::plan::fixed_tree::left_of;
use crate::plan::{Buffer, PlanRequest, Span};

/// All ranks but this one, ascending.
pub(in crate::algo) fn others(request: &PlanRequest) -> Vec<Rank> {
    (0..request.size).filter(|&rank| rank != request.rank).collect()
}

/// Scratch for the contributions of the other ranks, `len` elements each.
#[derive(Clone, Copy)]
pub(in crate::algo) struct Slots {
    len: usize,
}

impl Slots {
    /// Slots of `len` elements.
    pub(in crate::algo) fn new(len: usize) -> Slots {
        Slots { len }
    }

    /// The slot of the index-th of [`others`].
    pub(in crate::algo) fn slot(self, index: usize) -> Span {
        scratch(index * self.len..(index + 1) * self.len)
    }

    /// Sends each other rank its part, `theirs` of that rank, and receives the contributions of the others.
    pub(in crate::algo) fn collect(
        self,
        round: &mut RoundBuilder,
        request: &PlanRequest,
        theirs: impl Fn(Rank) -> Span,
    ) {
        for (index, peer) in others(request).into_iter().enumerate() {
            round.send(peer, theirs(peer));
            round.receive(peer, self.slot(index));
        }
    }

    /// Length of the scratch for all slots, in elements.
    pub(in crate::algo) fn scratch(self, request: &PlanRequest) -> usize {
        (request.size as usize - 1) * self.len
    }

    /// Reduces all contributions, of which there are at least two, in rank order into `result`, by the fixed
    /// tree. `own` is this rank's.
    ///
    /// Partial results stay in slots, and the last one is in slot 0 if it is not `result`. In place, `result`
    /// is `own` and must stay whole until it has been read.
    pub(in crate::algo) fn reduce(
        self,
        round: &mut RoundBuilder,
        request: &PlanRequest,
        own: Span,
        result: Span,
    ) {
        let mut index = 0;
        let contributions = (0..request.size).map(|rank| {
            if rank == request.rank {
                return own;
            }
            index += 1;
            self.slot(index - 1)
        });
        let contributions: Vec<Span> = contributions.collect();
        let (left, right) = contributions.split_at(left_of(contributions.len()));
        let (left, right) = (reduce_subtree(round, left), reduce_subtree(round, right));
        round.reduce(left, right, result);
    }
}

/// Reduces the contributions of a subtree. The result is in the slot of one of them, or it is the own one.
fn reduce_subtree(round: &mut RoundBuilder, contributions: &[Span]) -> Span {
    if let [only] = contributions {
        return *only;
    }
    let (left, right) = contributions.split_at(left_of(contributions.len()));
    let (left, right) = (reduce_subtree(round, left), reduce_subtree(round, right));
    // A slot is read once, and the own contribution may be the caller's.
    let dst = if left.buffer == Buffer::Scratch { left } else { right };
    round.reduce(left, right, dst);
    dst
}

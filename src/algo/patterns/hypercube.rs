//! Recursive halving and doubling among a power of two of participants, over any buffers.
//!
//! Participants are indices 0..active; index i ends halving with segment i, and starts doubling with
//! it.
//! Source: Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
//! MPICH", 2005.

use std::ops::Range;

use super::builder::LaneBuilder;
use crate::base::Rank;
use crate::plan::Span;

/// The hypercube, seen from one participant.
pub(in crate::algo) struct Hypercube<R> {
    /// This participant.
    pub(in crate::algo) index: usize,
    /// Number of participants, a power of two.
    pub(in crate::algo) active: usize,
    /// Rank of a participant.
    pub(in crate::algo) rank_of: R,
}

impl<R: Fn(usize) -> Rank> Hypercube<R> {
    /// Reduces segment i to participant i. In each round, a participant gives away half of the segments that
    /// it still holds, and reduces the other half.
    ///
    /// `have(first, segments)` is the place of partial results before a round, `keep(segments)` the place
    /// after it; `first` is true in the first round. What one round keeps, the next one has.
    pub(in crate::algo) fn halve(
        &self,
        lane: &mut LaneBuilder,
        have: impl Fn(bool, Range<usize>) -> Span,
        keep: impl Fn(Range<usize>) -> Span,
    ) {
        let mut held = 0..self.active;
        while held.len() > 1 {
            let first = held.len() == self.active;
            let middle = held.start + held.len() / 2;
            let partner = (self.rank_of)(self.index ^ (held.len() / 2));
            let (low, high) = (held.start..middle, middle..held.end);
            let (kept, given) = if self.index < middle { (low, high) } else { (high, low) };
            lane.round(|round| {
                round.send(partner, have(first, given));
                round.receive_reduce(partner, have(first, kept.clone()), keep(kept.clone()));
            });
            held = kept;
        }
    }

    /// Brings segment i from participant i to all: in each round, partners exchange all segments that they
    /// have.
    pub(in crate::algo) fn double(&self, lane: &mut LaneBuilder, place: impl Fn(Range<usize>) -> Span) {
        let mut width = 1;
        while width < self.active {
            let partner = (self.rank_of)(self.index ^ width);
            let mine = self.index & !(width - 1);
            let theirs = mine ^ width;
            lane.round(|round| {
                round.send(partner, place(mine..mine + width));
                round.receive(partner, place(theirs..theirs + width));
            });
            width *= 2;
        }
    }
}

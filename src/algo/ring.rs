//! The two phases of ring algorithms, over any buffers.
//!
//! Participants 0..size form a ring; each sends to the next one only. Source: Patarasuk and Yuan,
//! "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009.

use super::builder::LaneBuilder;
use crate::base::Rank;
use crate::plan::Span;

/// The ring as one participant sees it.
pub(super) struct Ring<R> {
    /// This participant.
    pub(super) position: usize,
    /// Number of participants.
    pub(super) size: usize,
    /// Rank of a participant.
    pub(super) rank_of: R,
}

impl<R: Fn(usize) -> Rank> Ring<R> {
    /// Reduces segment p of everybody to participant p, in `size - 1` rounds.
    ///
    /// A segment starts at the participant after its owner and collects one contribution per hop.
    /// `operand` gives the own contribution to a segment, `partial` where the partial result of
    /// a round is kept: it is sent in the next round.
    pub(super) fn reduce_scatter(
        &self,
        lane: &mut LaneBuilder,
        operand: impl Fn(usize) -> Span,
        partial: impl Fn(usize, usize) -> Span,
    ) {
        let (next, previous) = self.neighbours();
        for step in 0..self.size - 1 {
            let sent = self.back(step + 1);
            let received = self.back(step + 2);
            let ready = if step == 0 { operand(sent) } else { partial(step - 1, sent) };
            lane.round(|round| {
                round.send(next, ready);
                round.receive_reduce(previous, operand(received), partial(step, received));
            });
        }
    }

    /// Brings segment p from participant p to everybody, in `size - 1` rounds.
    ///
    /// `own` is where the own segment is found, `place` where the others go. Who `has` a segment
    /// already is not sent it again.
    pub(super) fn all_gather(
        &self,
        lane: &mut LaneBuilder,
        own: Span,
        place: impl Fn(usize) -> Span,
        has: impl Fn(usize, usize) -> bool,
    ) {
        let (next, previous) = self.neighbours();
        let after = (self.position + 1) % self.size;
        for step in 0..self.size - 1 {
            let sent = self.back(step);
            let received = self.back(step + 1);
            lane.round(|round| {
                if !has(after, sent) {
                    round.send(next, if step == 0 { own } else { place(sent) });
                }
                if !has(self.position, received) {
                    round.receive(previous, place(received));
                }
            });
        }
    }

    fn neighbours(&self) -> (Rank, Rank) {
        ((self.rank_of)((self.position + 1) % self.size), (self.rank_of)(self.back(1)))
    }

    /// The participant `steps` before this one; `steps` is at most `2 * size`.
    fn back(&self, steps: usize) -> usize {
        (self.position + 2 * self.size - steps) % self.size
    }
}

//! The two phases of ring algorithms, over any buffers.
//!
//! Participants 0..size form a ring; each sends to the next one only. Source: Patarasuk and Yuan,
//! "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009.

use super::builder::LaneBuilder;
use crate::base::Rank;
use crate::plan::Span;

/// The ring, seen from one participant.
pub(in crate::algo) struct Ring<R> {
    /// This participant.
    pub(in crate::algo) position: usize,
    /// Number of participants.
    pub(in crate::algo) size: usize,
    /// Rank of a participant.
    pub(in crate::algo) rank_of: R,
    /// Segments from this number on are empty. It is `size` if that is unknown.
    pub(in crate::algo) busy: usize,
}

impl<R: Fn(usize) -> Rank> Ring<R> {
    /// Reduces segment p of all participants to participant p, in `size - 1` rounds.
    ///
    /// A segment starts at the participant after its owner and collects one contribution per hop. `operand`
    /// gives the own contribution to a segment. `partial` gives the place of a round's partial result, which
    /// the next round sends.
    pub(in crate::algo) fn reduce_scatter(
        &self,
        lane: &mut LaneBuilder,
        operand: impl Fn(usize) -> Span,
        partial: impl Fn(usize, usize) -> Span,
    ) {
        let (next, previous) = self.neighbours();
        for step in self.steps(1) {
            let sent = self.back(step + 1);
            let received = self.back(step + 2);
            let ready = if step == 0 { operand(sent) } else { partial(step - 1, sent) };
            lane.round(|round| {
                round.send(next, ready);
                round.receive_reduce(previous, operand(received), partial(step, received));
            });
        }
    }

    /// Brings segment p from participant p to all, in `size - 1` rounds.
    ///
    /// `own` is the place of the own segment, `place` gives that of the others. A segment is not sent to a
    /// participant that `has` it already.
    pub(in crate::algo) fn all_gather(
        &self,
        lane: &mut LaneBuilder,
        own: Span,
        place: impl Fn(usize) -> Span,
        has: impl Fn(usize, usize) -> bool,
    ) {
        let (next, previous) = self.neighbours();
        let after = (self.position + 1) % self.size;
        for step in self.steps(0) {
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

    /// The steps, ascending, that send or receive something. A step sends the segment of the participant
    /// `step + ahead` before this one, and receives the one before that. Steps in which both are empty are
    /// left out: a ring of thousands with a few elements has mostly such steps.
    fn steps(&self, ahead: usize) -> Vec<usize> {
        let all = self.size - 1;
        if self.busy >= self.size {
            return (0..all).collect();
        }
        let sent = |segment| (self.position + 2 * self.size - ahead - segment) % self.size;
        let both = |segment| [sent(segment), (sent(segment) + all) % self.size];
        let mut steps: Vec<usize> = (0..self.busy).flat_map(both).filter(|&step| step < all).collect();
        steps.sort_unstable();
        steps.dedup();
        steps
    }

    fn neighbours(&self) -> (Rank, Rank) {
        ((self.rank_of)((self.position + 1) % self.size), (self.rank_of)(self.back(1)))
    }

    /// The participant `steps` before this one; `steps` is at most `2 * size`.
    fn back(&self, steps: usize) -> usize {
        (self.position + 2 * self.size - steps) % self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::patterns::builder::output;
    use crate::algo::patterns::segments::Segments;

    #[test]
    fn leaving_out_what_is_empty_changes_no_plan() {
        for size in 1..20 {
            for count in 0..size + 3 {
                let segments = Segments::new(count, size);
                let place = |segment| output(segments.part(segment));
                let lane_of = |position, busy| {
                    let ring = Ring { position, size, rank_of: |at| at as Rank, busy };
                    let mut lane = LaneBuilder::default();
                    ring.reduce_scatter(&mut lane, place, |_, segment| place(segment));
                    ring.all_gather(&mut lane, place(position), place, |_, _| false);
                    crate::algo::patterns::builder::plan(0, [lane])
                };
                for position in 0..size {
                    assert_eq!(
                        lane_of(position, count.min(size)),
                        lane_of(position, size),
                        "{count} in {size}"
                    );
                }
            }
        }
    }
}

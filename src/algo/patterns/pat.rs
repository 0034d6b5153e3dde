//! The trees of PAT (parallel aggregated trees): the farthest ranks first, with the fewest blocks.
//!
//! Every rank is the root of a binomial tree over all ranks, which are named by their *offset* from the
//! root. In the round of distance d, the ranks at offsets that are multiples of 2d have the root's block, and
//! pass it on to the offsets d further. Distances halve from round to round while the blocks of a message
//! double, so few bytes travel far. Each rank sends to one rank per round, the blocks of all trees in one
//! message. A reduce_scatter takes the rounds in reverse, from the leaves to the roots.
//!
//! The blocks lie in scratch in the order of bit-reversed offsets. There, the blocks that a rank has before a
//! round come first, and those that it gets in that round follow. So a message is one range. It is two if the
//! number of ranks is no power of two and one offset has no rank d further.
//!
//! Source: Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter operations at scale", 2025.

use std::ops::Range;

use crate::base::Rank;
use crate::cost::{LinkModel, Paths, burst, moved};
use crate::plan::PlanRequest;

/// The trees of `size` ranks, which differ by their roots only.
#[derive(Clone, Copy, Debug)]
pub(in crate::algo) struct PatTrees {
    size: usize,
}

/// One round of the trees.
#[derive(Clone, Copy, Debug)]
pub(in crate::algo) struct PatRound {
    /// How much further the receiving offset is.
    pub(in crate::algo) distance: usize,
    /// Number of offsets that have the block before the round. Their positions come first.
    pub(in crate::algo) held: usize,
    /// Number of offsets that get it in this round.
    passed: usize,
    /// The position, among those held, of the offset that has no rank `distance` further.
    last: usize,
}

impl PatTrees {
    /// The trees over `size` ranks.
    pub(in crate::algo) fn new(size: usize) -> PatTrees {
        PatTrees { size }
    }

    /// The rounds, the greatest distance first.
    pub(in crate::algo) fn rounds(self) -> impl DoubleEndedIterator<Item = PatRound> {
        let bits = self.bits();
        (0..bits).map(move |round| {
            let distance = 1 << (bits - 1 - round);
            let held = self.size.div_ceil(2 * distance);
            let passed = (self.size - distance).div_ceil(2 * distance);
            let last = self.position(2 * distance * (held - 1));
            PatRound { distance, held, passed, last }
        })
    }

    /// The offsets in the order in which their blocks lie: that of their bits read backwards.
    pub(in crate::algo) fn order(self) -> Vec<usize> {
        let bits = self.bits();
        let reversed = |index: usize| index.reverse_bits().unbounded_shr(usize::BITS - bits);
        (0..1usize << bits).map(reversed).filter(|&offset| offset < self.size).collect()
    }

    /// The position of an offset in [`PatTrees::order`].
    fn position(self, offset: usize) -> usize {
        let first = self.order();
        first.iter().position(|&other| other == offset).expect("an offset of a rank")
    }

    /// Binary logarithm of the number of ranks, rounded up.
    fn bits(self) -> u32 {
        self.size.next_power_of_two().ilog2()
    }
}

impl PatRound {
    /// The positions of the blocks that a message carries: with the rank nearer to the root, and with that
    /// farther from it. The second range may be empty.
    pub(in crate::algo) fn parts(self) -> [(Range<usize>, Range<usize>); 2] {
        let split = if self.passed < self.held { self.last } else { self.held };
        let further = |near: Range<usize>, before: usize| {
            let start = self.held + before;
            start..start + near.len()
        };
        let (first, second) = (0..split, (split + 1).min(self.held)..self.held);
        [(first.clone(), further(first, 0)), (second.clone(), further(second, split))]
    }
}

/// Time of all rounds: `work` adds what a round's bytes cost beyond their transfer.
///
/// A round's latency is that between hosts if any of its messages leaves a host. The ranks of a host share
/// its wire, so the host with the most messages to others decides.
pub(in crate::algo) fn cost(
    request: &PlanRequest,
    paths: &Paths,
    work: impl Fn(&LinkModel, f64) -> f64,
) -> f64 {
    let bytes = request.count as f64 * request.element_bytes as f64;
    let size = request.size as usize;
    let time = |round: PatRound| {
        let abroad = most_abroad(request, round.distance);
        let link = if abroad > 0 { &paths.remote } else { &paths.local };
        let messages = if size.is_power_of_two() { 1.0 } else { 2.0 };
        let moved_bytes = round.passed as f64 * bytes;
        burst(link, messages) + moved(link, moved_bytes) * abroad.max(1) as f64 + work(link, moved_bytes)
    };
    let packing = moved(&paths.local, size as f64 * bytes);
    PatTrees::new(size).rounds().map(time).sum::<f64>() + packing
}

/// The most messages of a round that leave any one host.
fn most_abroad(request: &PlanRequest, distance: usize) -> usize {
    let PlanRequest { size, topology, .. } = *request;
    let mut abroad = vec![0; topology.hosts() as usize];
    for rank in 0..size {
        let host = topology.host_of(rank);
        if topology.host_of((rank + distance as Rank) % size) != host {
            abroad[host as usize] += 1;
        }
    }
    abroad.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_lie_in_the_order_of_their_reversed_bits() {
        assert_eq!(PatTrees::new(8).order(), [0, 4, 2, 6, 1, 5, 3, 7]);
        assert_eq!(PatTrees::new(5).order(), [0, 4, 2, 1, 3]);
    }

    #[test]
    fn each_round_brings_blocks_from_an_offset_to_the_one_a_distance_further() {
        for size in 1..200 {
            let trees = PatTrees::new(size);
            let order = trees.order();
            let mut have = vec![false; size];
            have[0] = true;
            for round in trees.rounds() {
                for (near, far) in round.parts() {
                    assert_eq!(near.len(), far.len());
                    for (from, to) in near.zip(far) {
                        assert!(have[order[from]] && !have[order[to]], "{size} ranks: {round:?}");
                        assert_eq!(order[from] + round.distance, order[to], "{size} ranks: {round:?}");
                        have[order[to]] = true;
                    }
                }
            }
            assert!(have.into_iter().all(|has| has), "{size} ranks");
        }
    }
}

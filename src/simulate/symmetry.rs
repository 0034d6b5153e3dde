//! Why one host can stand for all: symmetric plans, found and checked.
//!
//! The hosts of a regular cluster are numbered 0..H. These numbers form a *group* by addition modulo H,
//! and, if H is a power of two, also by exclusive or. Seen from a rank, another rank has a *relative rank*:
//! the group element that leads from host to host, and the position on the host. Name the peers in plans by
//! their relative ranks. If all ranks with the same position then have the same plan, moving every host by
//! the same group element changes nothing. So what happens on host 0 happens on all hosts at the same
//! times. It is enough to simulate host 0, which then receives from itself what it sends. Rings, and shifts
//! in general, are symmetric by addition; exchanges at powers of two by exclusive or. On one host the same
//! holds for single ranks in place of hosts.
//!
//! Within a round, the order in which short messages are sent matters to the simulation. Some algorithms
//! send in the order of ranks everywhere, which is another order of relative ranks on each rank. They are
//! symmetric except for that ([`Order::Different`]), and their outcome is close, not exact.

use crate::base::Rank;
use crate::plan::{Plan, PlanRequest, Round, Step};

/// Symmetry of blocks of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// No symmetry: all ranks are one block.
    None,
    /// Addition modulo the number of blocks.
    Rotation,
    /// Exclusive or of the numbers of blocks.
    ExclusiveOr,
}

/// Whether ranks that correspond to each other send the messages of a round in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The messages have the same order.
    Same,
    /// The messages are the same, but in another order.
    Different,
}

/// A rank, seen from the block of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct RelativeRank {
    /// Group element that leads from block to block.
    pub offset: u32,
    /// Position in its block.
    pub position: u32,
}

/// Division of the ranks into equal blocks of consecutive ranks, of which the first is simulated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fold {
    pub symmetry: Symmetry,
    /// Number of ranks of a block.
    pub block: u32,
    pub blocks: u32,
    /// Whether all ranks share one host.
    pub one_host: bool,
}

impl Fold {
    /// The fold under which all ranks are simulated.
    pub fn none(request: &PlanRequest) -> Fold {
        let one_host = request.topology.hosts() <= 1;
        Fold { symmetry: Symmetry::None, block: request.size, blocks: 1, one_host }
    }

    /// The folds to try. There are none if hosts differ in size or their ranks are not consecutive.
    pub fn candidates(request: &PlanRequest) -> Vec<Fold> {
        let hosts = request.topology.hosts();
        let (block, blocks) = if hosts > 1 { (request.size / hosts, hosts) } else { (1, request.size) };
        let one_host = hosts <= 1;
        let in_its_block = |rank| request.topology.host_of(rank) == rank / block;
        let regular = one_host || request.size.is_multiple_of(hosts) && (0..request.size).all(in_its_block);
        let mut symmetries = vec![Symmetry::Rotation];
        symmetries.extend(blocks.is_power_of_two().then_some(Symmetry::ExclusiveOr));
        symmetries.retain(|_| regular && blocks > 1);
        symmetries.into_iter().map(|symmetry| Fold { symmetry, block, blocks, one_host }).collect()
    }

    /// The relative rank of `peer`, seen from `viewer`.
    pub fn relative(&self, viewer: Rank, peer: Rank) -> RelativeRank {
        let (from, to) = (viewer / self.block, peer / self.block);
        let offset = match self.symmetry {
            Symmetry::None => 0,
            Symmetry::Rotation => (to + self.blocks - from) % self.blocks,
            Symmetry::ExclusiveOr => from ^ to,
        };
        RelativeRank { offset, position: peer % self.block }
    }

    /// The offset of the way back.
    pub fn inverse(&self, offset: u32) -> u32 {
        match self.symmetry {
            Symmetry::None | Symmetry::ExclusiveOr => offset,
            Symmetry::Rotation => (self.blocks - offset) % self.blocks,
        }
    }

    /// The block at `offset` from another block.
    pub fn moved(&self, block: u32, offset: u32) -> u32 {
        match self.symmetry {
            Symmetry::None => 0,
            Symmetry::Rotation => (block + offset) % self.blocks,
            Symmetry::ExclusiveOr => block ^ offset,
        }
    }

    /// Whether the plans of these blocks are those of block 0, moved, and in which order they send. `None`:
    /// they are not.
    pub fn holds(
        &self,
        blocks: impl Iterator<Item = u32> + Clone,
        plan_of: impl Fn(Rank) -> Plan,
    ) -> Option<Order> {
        let mut order = Order::Same;
        for position in 0..self.block {
            let first = plan_of(position);
            for block in blocks.clone() {
                let rank = block * self.block + position;
                if self.compare(&first, position, &plan_of(rank), rank)? == Order::Different {
                    order = Order::Different;
                }
            }
        }
        Some(order)
    }

    /// Blocks that differ from block 0 if any does: the ends, powers of two and their neighbours (where ranks
    /// fold or trees end), and some in between.
    pub fn samples(&self) -> Vec<u32> {
        let last = self.blocks - 1;
        let mut samples = vec![1, 2, 3, last / 3, last / 2, last / 2 + 1, last - last / 7, last - 1, last];
        let largest = 1 << self.blocks.ilog2();
        samples.extend([largest - 1, largest, 2 * (self.blocks - largest)]);
        samples.retain(|&block| (1..self.blocks).contains(&block));
        samples.sort_unstable();
        samples.dedup();
        samples
    }

    fn compare(&self, one: &Plan, one_rank: Rank, other: &Plan, other_rank: Rank) -> Option<Order> {
        let mut order = Order::Same;
        let shape = |plan: &Plan| {
            let rounds: Vec<usize> = plan.lanes.iter().map(|lane| lane.rounds.len()).collect();
            (plan.scratch, rounds)
        };
        if shape(one) != shape(other) {
            return None;
        }
        for (one, other) in one.lanes.iter().zip(&other.lanes) {
            for (one, other) in one.rounds.iter().zip(&other.rounds) {
                let (mut one, mut other) = (self.sketch(one, one_rank), self.sketch(other, other_rank));
                if one.sends != other.sends {
                    order = Order::Different;
                }
                // Stable sorts: messages to one peer keep their order.
                one.sends.sort_by_key(|&(rank, _)| rank);
                other.sends.sort_by_key(|&(rank, _)| rank);
                if one != other {
                    return None;
                }
            }
        }
        Some(order)
    }

    fn sketch(&self, round: &Round, rank: Rank) -> Sketch {
        let mut sketch = Sketch::default();
        for step in &round.steps {
            match step {
                Step::Copy { dst, .. } => sketch.copied += dst.len,
                Step::Narrow { src: dst, .. } | Step::Widen { operand: None, dst, .. } => {
                    sketch.copied += dst.len;
                }
                Step::Reduce { dst, .. } | Step::Widen { dst, .. } => sketch.reduced += dst.len,
                Step::Send { to, span } => {
                    sketch.sends.extend(to.iter().map(|&to| (self.relative(rank, to), span.len)));
                }
                Step::Recv { from, dst } => {
                    sketch.receives.push((self.relative(rank, *from), false, dst.len))
                }
                Step::RecvReduce { from, dst, .. } => {
                    sketch.receives.push((self.relative(rank, *from), true, dst.len));
                }
            }
        }
        // Stable, too. Receives from different peers have no order.
        sketch.receives.sort_by_key(|&(rank, ..)| rank);
        sketch
    }
}

/// A round without the places in memory.
#[derive(Debug, Default, PartialEq)]
struct Sketch {
    copied: usize,
    reduced: usize,
    sends: Vec<(RelativeRank, usize)>,
    /// Receives, with whether they reduce.
    receives: Vec<(RelativeRank, bool, usize)>,
}

//! Composition: serves calls that an engine does not have by calls that it has.
//!
//! There are two ways, tried in this order:
//!
//! 1. *From its collectives*: an all_reduce is a reduce and a broadcast, or a reduce_scatter and an
//!    all_gather ([`of_collectives`]).
//! 2. *From its messages*: the engine's sends and receives carry out one of our verified plans, round by
//!    round; this process reduces what it receives ([`performance`]). This serves every datatype and
//!    operator, for memory that the processor can read.
//!
//! The builtin engine serves what neither way can. The way of a call depends on its shape only, so all ranks
//! take the same.

pub mod of_collectives;
pub mod performance;

use std::fmt;

use super::engine::ForeignEngine;
use super::shape::Shape;
use crate::base::Collective;
use crate::config::MemoryKind;

/// How a call is composed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// An all_reduce: reduce to rank 0, broadcast from there.
    ReduceBroadcast,
    /// An all_reduce: reduce_scatter, all_gather.
    ReduceScatterAllGather,
    /// The plan of this algorithm, carried out over messages.
    Messages(&'static str),
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Recipe::ReduceBroadcast => f.write_str("reduce + broadcast"),
            Recipe::ReduceScatterAllGather => f.write_str("reduce_scatter + all_gather"),
            Recipe::Messages(algorithm) => write!(f, "messages, {algorithm}"),
        }
    }
}

/// The recipe for a call that the engine does not do itself, if there is one.
pub fn recipe(engine: &dyn ForeignEngine, shape: &Shape) -> Option<Recipe> {
    let does = |collective: Collective| {
        engine.does(&Shape { collective, op: shape.op.filter(|_| collective.reduces()), ..*shape })
    };
    if shape.collective == Collective::AllReduce {
        // The second recipe moves fewer bytes, the first has fewer steps; most engines have the calls for
        // both.
        if does(Collective::ReduceScatter) && does(Collective::AllGather) && shape.memory == MemoryKind::Cpu {
            return Some(Recipe::ReduceScatterAllGather);
        }
        if does(Collective::Reduce) && does(Collective::Broadcast) {
            return Some(Recipe::ReduceBroadcast);
        }
    }
    let is_ours_to_touch = shape.memory == MemoryKind::Cpu;
    (is_ours_to_touch && engine.has_messages(shape.memory))
        .then(|| Recipe::Messages(algorithm(shape.collective)))
}

/// The algorithm whose plan is carried out over messages. It serves every size and count, and has few rounds,
/// because a round waits for all its messages.
const fn algorithm(collective: Collective) -> &'static str {
    use Collective::*;
    match collective {
        AllReduce | Scan | Exscan => "recursive_doubling",
        Reduce | Broadcast => "binomial",
        Barrier => "dissemination",
        Gather | Scatter | GatherV | ScatterV => "linear",
        AllGather => "bruck",
        AllToAll | AllToAllV => "spread",
        AllGatherV => "ring",
        ReduceScatter | ReduceScatterV => "pairwise",
        NeighborAllGatherV | NeighborAllToAllV => "direct",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo;

    #[test]
    fn every_collective_has_an_algorithm_for_messages_that_serves_every_size() {
        for collective in Collective::ALL {
            let found = algo::find(collective, algorithm(collective));
            assert!(
                found.is_some_and(|algorithm| !algorithm.needs_length_exchange()),
                "{}",
                collective.name()
            );
        }
    }
}

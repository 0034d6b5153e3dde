//! The algorithms: pure functions that make plans. One file each, one row each in [`ALGORITHMS`].
//!
//! Every algorithm serves every count, every number of ranks, every root, and ranks in place beside
//! ranks that are not; `tests` proves it with the verifier. What several of them do is in one place:
//! `segments` cuts buffers, `blocks` finds the block of each rank; `ring`, `hypercube`, `binomial` and `direct` are phases to compose; `fold`
//! makes a power of two of any number of ranks, `rotation` turns the root into rank 0, `builder` writes
//! plans down. Hierarchical ones are made of others: `hosts` says who speaks for whom, `between` how hosts
//! speak, `compose` glues the plans.

mod all_gather;
mod all_reduce;
mod all_to_all;
mod alone;
mod barrier;
mod between;
mod binomial;
mod blocks;
mod broadcast;
mod builder;
mod compose;
mod cost;
mod direct;
mod fold;
mod gather;
mod hosts;
mod hypercube;
mod neighbor;
mod ordered;
mod reduce;
mod reduce_scatter;
mod ring;
mod rotation;
mod scan;
mod scatter;
mod segments;
mod survey;
#[cfg(test)]
mod tests;

pub use ordered::{ORDERED, ordered};
pub use survey::{Labels, Survey};

use crate::base::Collective;
use crate::plan::{Plan, PlanRequest};
use crate::tuning::{LinkModel, Paths, Traffic};

/// A row of the table. `anyccl info` prints it.
pub struct Algorithm {
    /// Name as in `ANYCCL_ALGORITHM`.
    pub name: &'static str,
    /// What it computes.
    pub collective: Collective,
    /// One line: when it is good.
    pub summary: &'static str,
    /// Whether it can serve this request at all. Every count and every size is served by most.
    pub supports: fn(&PlanRequest) -> bool,
    /// Makes the plan of one rank.
    pub build: fn(&PlanRequest) -> Plan,
    /// Predicted microseconds, the same on every rank.
    pub cost: Cost,
}

/// How an algorithm is predicted.
#[derive(Clone, Copy)]
pub enum Cost {
    /// It does not look at hosts: one kind of link, which hosts make slower for messages that go like this.
    Flat(Traffic, fn(&PlanRequest, &LinkModel) -> f64),
    /// It knows which of its messages leave the host.
    ByHost(fn(&PlanRequest, &Paths) -> f64),
}

/// Name of the algorithms that go by host.
const HIERARCHICAL: &str = "hierarchical";

impl Algorithm {
    /// Whether a prediction is worth while: with one host, or one rank on each, a hierarchical algorithm is a
    /// flat one in other words.
    pub fn is_worth_comparing(&self, request: &PlanRequest) -> bool {
        let is_flat = matches!(self.cost, Cost::Flat(..));
        is_flat || (2..request.size).contains(&request.topology.hosts())
    }

    /// Whether the ranks of a host must tell each other lengths before it can make a plan ([`Survey`]).
    pub fn asks(&self) -> bool {
        self.name == HIERARCHICAL && self.collective.counts_messages()
    }
}

/// The plan of a neighbour exchange that carries a [`Survey`] out.
pub fn survey_plan(request: &PlanRequest) -> Plan {
    neighbor::direct::build(request)
}

/// The algorithm of this collective with this name.
pub fn find(collective: Collective, name: &str) -> Option<&'static Algorithm> {
    of(collective).find(|algorithm| algorithm.name == name)
}

/// The algorithms of a collective, in the order of the table.
pub fn of(collective: Collective) -> impl Iterator<Item = &'static Algorithm> {
    ALGORITHMS.iter().filter(move |algorithm| algorithm.collective == collective)
}

fn always(_: &PlanRequest) -> bool {
    true
}

/// Every algorithm. Where predictions are equal, the earlier row wins.
pub static ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "one_shot",
        collective: Collective::AllReduce,
        summary: "all send all, reduce alone: two ranks, or the smallest messages",
        supports: always,
        build: all_reduce::one_shot::build,
        cost: Cost::Flat(Traffic::Everywhere, all_reduce::one_shot::cost),
    },
    Algorithm {
        name: "two_shot",
        collective: Collective::AllReduce,
        summary: "direct reduce_scatter and all_gather: middle sizes within a host",
        supports: always,
        build: all_reduce::two_shot::build,
        cost: Cost::Flat(Traffic::Everywhere, all_reduce::two_shot::cost),
    },
    Algorithm {
        name: "recursive_doubling",
        collective: Collective::AllReduce,
        summary: "exchange at doubling distance: small messages among many ranks",
        supports: always,
        build: all_reduce::recursive_doubling::build,
        cost: Cost::Flat(Traffic::Everywhere, all_reduce::recursive_doubling::cost),
    },
    Algorithm {
        name: "rabenseifner",
        collective: Collective::AllReduce,
        summary: "halving, then doubling: large messages, best when ranks are a power of two",
        supports: always,
        build: all_reduce::rabenseifner::build,
        cost: Cost::Flat(Traffic::Everywhere, all_reduce::rabenseifner::cost),
    },
    Algorithm {
        name: "ring",
        collective: Collective::AllReduce,
        summary: "least bytes, neighbours only: large messages",
        supports: always,
        build: all_reduce::ring::build,
        cost: Cost::Flat(Traffic::Neighbours, all_reduce::ring::cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::AllReduce,
        summary: "a slice per local rank between hosts: several hosts of several ranks",
        supports: always,
        build: all_reduce::hierarchical::build,
        cost: Cost::ByHost(all_reduce::hierarchical::cost),
    },
    Algorithm {
        name: "one_shot",
        collective: Collective::Reduce,
        summary: "all send to the root at once: small messages, few ranks",
        supports: always,
        build: reduce::one_shot::build,
        cost: Cost::Flat(Traffic::Root, reduce::one_shot::cost),
    },
    Algorithm {
        name: "binomial",
        collective: Collective::Reduce,
        summary: "tree: small messages",
        supports: always,
        build: reduce::binomial::build,
        cost: Cost::Flat(Traffic::Everywhere, reduce::binomial::cost),
    },
    Algorithm {
        name: "rabenseifner_gather",
        collective: Collective::Reduce,
        summary: "halving, then tree gather: large messages among many ranks",
        supports: always,
        build: reduce::rabenseifner_gather::build,
        cost: Cost::Flat(Traffic::Everywhere, reduce::rabenseifner_gather::cost),
    },
    Algorithm {
        name: "chain",
        collective: Collective::Reduce,
        summary: "pipelined chunks: large messages among few ranks",
        supports: always,
        build: reduce::chain::build,
        cost: Cost::Flat(Traffic::Neighbours, reduce::chain::cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::Reduce,
        summary: "a slice per local rank between hosts: several hosts of several ranks",
        supports: always,
        build: reduce::hierarchical::build,
        cost: Cost::ByHost(reduce::hierarchical::cost),
    },
    Algorithm {
        name: "one_shot",
        collective: Collective::Broadcast,
        summary: "the root sends to all at once: small messages, few ranks",
        supports: always,
        build: broadcast::one_shot::build,
        cost: Cost::Flat(Traffic::Root, broadcast::one_shot::cost),
    },
    Algorithm {
        name: "binomial",
        collective: Collective::Broadcast,
        summary: "tree: small messages",
        supports: always,
        build: broadcast::binomial::build,
        cost: Cost::Flat(Traffic::Everywhere, broadcast::binomial::cost),
    },
    Algorithm {
        name: "scatter_all_gather",
        collective: Collective::Broadcast,
        summary: "tree of segments, then ring: large messages among many ranks",
        supports: always,
        build: broadcast::scatter_all_gather::build,
        cost: Cost::Flat(Traffic::Everywhere, broadcast::scatter_all_gather::cost),
    },
    Algorithm {
        name: "chain",
        collective: Collective::Broadcast,
        summary: "pipelined chunks: large messages among few ranks",
        supports: always,
        build: broadcast::chain::build,
        cost: Cost::Flat(Traffic::Neighbours, broadcast::chain::cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::Broadcast,
        summary: "a slice per local rank between hosts: several hosts of several ranks",
        supports: always,
        build: broadcast::hierarchical::build,
        cost: Cost::ByHost(broadcast::hierarchical::cost),
    },
    Algorithm {
        name: "one_shot",
        collective: Collective::AllGather,
        summary: "all send to all at once: small blocks, or one host",
        supports: always,
        build: all_gather::one_shot::build,
        cost: Cost::Flat(Traffic::Everywhere, all_gather::one_shot::cost),
    },
    Algorithm {
        name: "recursive_doubling",
        collective: Collective::AllGather,
        summary: "exchange at doubling distance: small blocks, ranks a power of two",
        supports: always,
        build: all_gather::recursive_doubling::build,
        cost: Cost::Flat(Traffic::Everywhere, all_gather::recursive_doubling::cost),
    },
    Algorithm {
        name: "bruck",
        collective: Collective::AllGather,
        summary: "jumps of doubling distance: small blocks, any number of ranks",
        supports: always,
        build: all_gather::bruck::build,
        cost: Cost::Flat(Traffic::Everywhere, all_gather::bruck::cost),
    },
    Algorithm {
        name: "ring",
        collective: Collective::AllGather,
        summary: "neighbours only: large blocks",
        supports: always,
        build: all_gather::ring::build,
        cost: Cost::Flat(Traffic::Neighbours, all_gather::ring::cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::AllGather,
        summary: "each block once to each host: several hosts of several ranks",
        supports: always,
        build: all_gather::hierarchical::build,
        cost: Cost::ByHost(all_gather::hierarchical::cost),
    },
    Algorithm {
        name: "linear",
        collective: Collective::Gather,
        summary: "all send to the root at once: few ranks or large blocks",
        supports: always,
        build: gather::linear::build,
        cost: Cost::Flat(Traffic::Root, gather::linear::cost),
    },
    Algorithm {
        name: "binomial",
        collective: Collective::Gather,
        summary: "tree: small blocks among many ranks",
        supports: always,
        build: gather::binomial::build,
        cost: Cost::Flat(Traffic::Root, gather::binomial::cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::Gather,
        summary: "one message per host: small blocks, several hosts of several ranks",
        supports: always,
        build: gather::hierarchical::build,
        cost: Cost::ByHost(gather::hierarchical::cost),
    },
    Algorithm {
        name: "linear",
        collective: Collective::Scatter,
        summary: "the root sends to all at once: few ranks or large blocks",
        supports: always,
        build: scatter::linear::build,
        cost: Cost::Flat(Traffic::Root, scatter::linear::cost),
    },
    Algorithm {
        name: "binomial",
        collective: Collective::Scatter,
        summary: "tree: small blocks among many ranks",
        supports: always,
        build: scatter::binomial::build,
        cost: Cost::Flat(Traffic::Root, scatter::binomial::cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::Scatter,
        summary: "one message per host: small blocks, several hosts of several ranks",
        supports: always,
        build: scatter::hierarchical::build,
        cost: Cost::ByHost(scatter::hierarchical::cost),
    },
    Algorithm {
        name: "pairwise",
        collective: Collective::ReduceScatter,
        summary: "one partner per round, no scratch: large blocks",
        supports: always,
        build: reduce_scatter::pairwise::build,
        cost: Cost::Flat(Traffic::Everywhere, reduce_scatter::pairwise::cost),
    },
    Algorithm {
        name: "recursive_halving",
        collective: Collective::ReduceScatter,
        summary: "exchange of halves: small blocks",
        supports: always,
        build: reduce_scatter::recursive_halving::build,
        cost: Cost::Flat(Traffic::Everywhere, reduce_scatter::recursive_halving::cost),
    },
    Algorithm {
        name: "ring",
        collective: Collective::ReduceScatter,
        summary: "neighbours only: large blocks between hosts",
        supports: always,
        build: reduce_scatter::ring::build,
        cost: Cost::Flat(Traffic::Neighbours, reduce_scatter::ring::cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::ReduceScatter,
        summary: "reduced within each host first: several hosts of several ranks",
        supports: always,
        build: reduce_scatter::hierarchical::build,
        cost: Cost::ByHost(reduce_scatter::hierarchical::cost),
    },
    Algorithm {
        name: "pairwise",
        collective: Collective::AllToAll,
        summary: "a tournament of exchanges: large blocks",
        supports: always,
        build: all_to_all::pairwise::build,
        cost: Cost::Flat(Traffic::Everywhere, all_to_all::pairwise::cost),
    },
    Algorithm {
        name: "spread",
        collective: Collective::AllToAll,
        summary: "all messages at once: middle blocks",
        supports: always,
        build: all_to_all::spread::build,
        cost: Cost::Flat(Traffic::Everywhere, all_to_all::spread::cost),
    },
    Algorithm {
        name: "one_shot",
        collective: Collective::AllToAll,
        summary: "all send everything to all, one write: the smallest blocks among few ranks",
        supports: always,
        build: all_to_all::one_shot::build,
        cost: Cost::Flat(Traffic::Everywhere, all_to_all::one_shot::cost),
    },
    Algorithm {
        name: "bruck",
        collective: Collective::AllToAll,
        summary: "blocks travel in packed jumps: the smallest blocks among many ranks",
        supports: always,
        build: all_to_all::bruck::build,
        cost: Cost::Flat(Traffic::Everywhere, all_to_all::bruck::cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::AllToAll,
        summary: "one message per host and receiver: small blocks, several hosts of several ranks",
        supports: always,
        build: all_to_all::hierarchical::build,
        cost: Cost::ByHost(all_to_all::hierarchical::cost),
    },
    Algorithm {
        name: "one_shot",
        collective: Collective::Barrier,
        summary: "all signal all: few ranks, or ranks that share cores",
        supports: always,
        build: barrier::one_shot::build,
        cost: Cost::Flat(Traffic::Everywhere, barrier::one_shot::cost),
    },
    Algorithm {
        name: "dissemination",
        collective: Collective::Barrier,
        summary: "signals at doubling distance",
        supports: always,
        build: barrier::dissemination::build,
        cost: Cost::Flat(Traffic::Everywhere, barrier::dissemination::cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::Barrier,
        summary: "one rank of each host: several hosts of several ranks",
        supports: always,
        build: barrier::hierarchical::build,
        cost: Cost::ByHost(barrier::hierarchical::cost),
    },
    Algorithm {
        name: "recursive_doubling",
        collective: Collective::Scan,
        summary: "runs of doubling length: small messages",
        supports: always,
        build: scan::recursive_doubling::build,
        cost: Cost::Flat(Traffic::Everywhere, scan::recursive_doubling::cost),
    },
    Algorithm {
        name: "chain",
        collective: Collective::Scan,
        summary: "pipelined chunks: large messages",
        supports: always,
        build: scan::chain::build,
        cost: Cost::Flat(Traffic::Neighbours, scan::chain::cost),
    },
    Algorithm {
        name: "recursive_doubling",
        collective: Collective::Exscan,
        summary: "runs of doubling length: small messages",
        supports: always,
        build: scan::recursive_doubling::build,
        cost: Cost::Flat(Traffic::Everywhere, scan::recursive_doubling::cost),
    },
    Algorithm {
        name: "chain",
        collective: Collective::Exscan,
        summary: "pipelined chunks: large messages",
        supports: always,
        build: scan::chain::build,
        cost: Cost::Flat(Traffic::Neighbours, scan::chain::cost),
    },
    Algorithm {
        name: "one_shot",
        collective: Collective::AllGatherV,
        summary: "all send to all at once: small blocks, or one host",
        supports: always,
        build: all_gather::one_shot::build,
        cost: Cost::Flat(Traffic::Everywhere, all_gather::one_shot::cost),
    },
    Algorithm {
        name: "ring",
        collective: Collective::AllGatherV,
        summary: "neighbours only: large blocks",
        supports: always,
        build: all_gather::ring::build,
        cost: Cost::Flat(Traffic::Neighbours, all_gather::ring::cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::AllGatherV,
        summary: "each block once to each host: several hosts of several ranks",
        supports: always,
        build: all_gather::hierarchical::build,
        cost: Cost::ByHost(all_gather::hierarchical::cost),
    },
    Algorithm {
        name: "linear",
        collective: Collective::GatherV,
        summary: "all send to the root at once",
        supports: always,
        build: gather::linear::build,
        cost: Cost::Flat(Traffic::Root, gather::linear::cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::GatherV,
        summary: "one message per host: several hosts of several ranks",
        supports: always,
        build: gather::parcels::build,
        cost: Cost::ByHost(gather::parcels::cost),
    },
    Algorithm {
        name: "linear",
        collective: Collective::ScatterV,
        summary: "the root sends to all at once",
        supports: always,
        build: scatter::linear::build,
        cost: Cost::Flat(Traffic::Root, scatter::linear::cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::ScatterV,
        summary: "one message per host: several hosts of several ranks",
        supports: always,
        build: scatter::parcels::build,
        cost: Cost::ByHost(scatter::parcels::cost),
    },
    Algorithm {
        name: "pairwise",
        collective: Collective::ReduceScatterV,
        summary: "one partner per round, no scratch",
        supports: always,
        build: reduce_scatter::pairwise::build,
        cost: Cost::Flat(Traffic::Everywhere, reduce_scatter::pairwise::cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::ReduceScatterV,
        summary: "reduced within each host first: several hosts of several ranks",
        supports: always,
        build: reduce_scatter::hierarchical::build,
        cost: Cost::ByHost(reduce_scatter::hierarchical::cost),
    },
    Algorithm {
        name: "spread",
        collective: Collective::AllToAllV,
        summary: "all messages at once",
        supports: always,
        build: all_to_all::spread::build,
        cost: Cost::Flat(Traffic::Everywhere, all_to_all::spread::cost),
    },
    Algorithm {
        name: "pairwise",
        collective: Collective::AllToAllV,
        summary: "a tournament of exchanges: one partner at a time",
        supports: always,
        build: all_to_all::pairwise::build,
        cost: Cost::Flat(Traffic::Everywhere, all_to_all::pairwise::cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::AllToAllV,
        summary: "one message per host and receiver: several hosts of several ranks",
        supports: always,
        build: all_to_all::parcels::build,
        cost: Cost::ByHost(all_to_all::parcels::cost),
    },
    Algorithm {
        name: "direct",
        collective: Collective::NeighborAllGatherV,
        summary: "a message per edge, all at once",
        supports: always,
        build: neighbor::direct::build,
        cost: Cost::Flat(Traffic::Everywhere, neighbor::direct::cost),
    },
    Algorithm {
        name: "direct",
        collective: Collective::NeighborAllToAllV,
        summary: "a message per edge, all at once",
        supports: always,
        build: neighbor::direct::build,
        cost: Cost::Flat(Traffic::Everywhere, neighbor::direct::cost),
    },
];

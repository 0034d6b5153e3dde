//! The table of the algorithms that build the fixed tree.

use super::{binomial, hierarchical, pairwise, scan, staged};
use crate::algo::algorithm::{Algorithm, Cost, HIERARCHICAL, always};
use crate::algo::ordered::ordered;
use crate::algo::{all_reduce, ordered as in_order, reduce, reduce_scatter, scan as any_scan};
use crate::base::Collective;
use crate::cost::Traffic;

/// Every algorithm that builds the fixed tree. Where predictions are equal, the earlier row wins.
pub static FIXED: &[Algorithm] = &[
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
        summary: "halving at doubling distance, and back: large messages among many ranks",
        supports: always,
        build: all_reduce::rabenseifner::build,
        cost: Cost::Flat(Traffic::NearestFirst, all_reduce::rabenseifner::cost),
    },
    Algorithm {
        name: "staged",
        collective: Collective::AllReduce,
        summary: "through memory that all see, a chunk at a time: large messages among ranks that share cores",
        supports: always,
        build: staged::build,
        cost: Cost::Oversubscribed(staged::cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::AllReduce,
        summary: "a slice per local rank between hosts: several hosts, each of as many consecutive ranks",
        supports: hierarchical::is_aligned,
        build: hierarchical::all_reduce,
        cost: Cost::ByHost(hierarchical::all_reduce_cost),
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
        summary: "the fixed tree itself: small messages",
        supports: always,
        build: binomial::build,
        cost: Cost::Flat(Traffic::Everywhere, reduce::binomial::cost),
    },
    Algorithm {
        name: "two_shot",
        collective: Collective::Reduce,
        summary: "a segment per rank, sent to the root: large messages",
        supports: always,
        build: in_order::reduce::two_shot,
        cost: Cost::Flat(Traffic::Everywhere, in_order::reduce::two_shot_cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::Reduce,
        summary: "a slice per local rank between hosts: several hosts, each of as many consecutive ranks",
        supports: hierarchical::is_aligned,
        build: hierarchical::reduce,
        cost: Cost::ByHost(hierarchical::reduce_cost),
    },
    Algorithm {
        name: "pairwise",
        collective: Collective::ReduceScatter,
        summary: "one partner per round, nearest subtree first: large blocks",
        supports: always,
        build: pairwise::build,
        cost: Cost::Flat(Traffic::Everywhere, pairwise::cost),
    },
    Algorithm {
        name: "direct",
        collective: Collective::ReduceScatter,
        summary: "all send each its block at once, reduce alone: small blocks",
        supports: always,
        build: reduce_scatter::direct::build,
        cost: Cost::Flat(Traffic::Everywhere, reduce_scatter::direct::cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::ReduceScatter,
        summary: "reduced within each host first: several hosts, each of as many consecutive ranks",
        supports: hierarchical::is_aligned,
        build: hierarchical::reduce_scatter,
        cost: Cost::ByHost(hierarchical::reduce_scatter_cost),
    },
    Algorithm {
        name: "pairwise",
        collective: Collective::ReduceScatterV,
        summary: "one partner per round, nearest subtree first",
        supports: always,
        build: pairwise::build,
        cost: Cost::Flat(Traffic::Everywhere, pairwise::cost),
    },
    Algorithm {
        name: "direct",
        collective: Collective::ReduceScatterV,
        summary: "all send each its block at once, reduce alone: the smallest blocks",
        supports: always,
        build: reduce_scatter::direct::build,
        cost: Cost::Flat(Traffic::Everywhere, reduce_scatter::direct::cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::ReduceScatterV,
        summary: "reduced within each host first: several hosts, each of as many consecutive ranks",
        supports: hierarchical::is_aligned,
        build: hierarchical::reduce_scatter,
        cost: Cost::ByHost(hierarchical::reduce_scatter_cost),
    },
    Algorithm {
        name: "one_shot",
        collective: Collective::Scan,
        summary: "all send to all above, combine alone: small messages",
        supports: always,
        build: scan::build,
        cost: Cost::Flat(Traffic::Everywhere, scan::cost),
    },
    Algorithm {
        name: "chain",
        collective: Collective::Scan,
        summary: "pipelined chunks: large messages",
        supports: always,
        build: any_scan::chain::build,
        cost: Cost::Ring(any_scan::chain::cost),
    },
    Algorithm {
        name: "one_shot",
        collective: Collective::Exscan,
        summary: "all send to all above, combine alone: small messages",
        supports: always,
        build: scan::build,
        cost: Cost::Flat(Traffic::Everywhere, scan::cost),
    },
    Algorithm {
        name: "chain",
        collective: Collective::Exscan,
        summary: "pipelined chunks: large messages",
        supports: always,
        build: any_scan::chain::build,
        cost: Cost::Ring(any_scan::chain::cost),
    },
];

/// The algorithms of a collective that build the fixed tree, in the order of the table.
pub fn fixed(collective: Collective) -> impl Iterator<Item = &'static Algorithm> {
    FIXED.iter().filter(move |algorithm| algorithm.collective == collective)
}

/// The algorithms that build the fixed tree and also keep the order of the ranks, for operators that do not
/// commute.
pub fn fixed_in_order(collective: Collective) -> impl Iterator<Item = &'static Algorithm> {
    let is_scan = matches!(collective, Collective::Scan | Collective::Exscan);
    // Collected contributions are reduced by the fixed tree. By host there are other brackets.
    let collecting = ordered(collective).filter(move |row| !is_scan && row.name != HIERARCHICAL);
    fixed(collective).filter(move |_| is_scan).chain(collecting)
}

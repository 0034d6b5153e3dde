//! The table of the algorithms that keep the order of the ranks.

use super::{all_reduce, hierarchical, reduce};
use crate::algo::algorithm::{Algorithm, Cost, HIERARCHICAL, always};
use crate::algo::reduce_scatter;
use crate::algo::table::of;
use crate::base::Collective;
use crate::cost::Traffic;

/// Every algorithm that keeps the order. Where predictions are equal, the earlier row wins.
pub static ORDERED: &[Algorithm] = &[
    Algorithm {
        name: "one_shot",
        collective: Collective::AllReduce,
        summary: "all send all, combine alone in rank order: the smallest messages",
        supports: always,
        build: all_reduce::one_shot,
        cost: Cost::Flat(Traffic::Everywhere, all_reduce::one_shot_cost),
    },
    Algorithm {
        name: "two_shot",
        collective: Collective::AllReduce,
        summary: "a segment per rank, combined in rank order, sent to all: large messages",
        supports: always,
        build: all_reduce::two_shot,
        cost: Cost::Flat(Traffic::Everywhere, all_reduce::two_shot_cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::AllReduce,
        summary: "a slice per local rank between hosts: several hosts, each of consecutive ranks",
        supports: hierarchical::is_in_runs,
        build: hierarchical::all_reduce,
        cost: Cost::ByHost(hierarchical::all_reduce_cost),
    },
    Algorithm {
        name: "one_shot",
        collective: Collective::Reduce,
        summary: "all send to the root, which combines in rank order: small messages",
        supports: always,
        build: reduce::one_shot,
        cost: Cost::Flat(Traffic::Root, reduce::one_shot_cost),
    },
    Algorithm {
        name: "two_shot",
        collective: Collective::Reduce,
        summary: "a segment per rank, combined in rank order, sent to the root: large messages",
        supports: always,
        build: reduce::two_shot,
        cost: Cost::Flat(Traffic::Everywhere, reduce::two_shot_cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::Reduce,
        summary: "a slice per local rank between hosts: several hosts, each of consecutive ranks",
        supports: hierarchical::is_in_runs,
        build: hierarchical::reduce,
        cost: Cost::ByHost(hierarchical::reduce_cost),
    },
    Algorithm {
        name: "direct",
        collective: Collective::ReduceScatter,
        summary: "every rank gets its block from all and combines in rank order",
        supports: always,
        build: reduce_scatter::direct::build,
        cost: Cost::Flat(Traffic::Everywhere, reduce_scatter::direct::cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::ReduceScatter,
        summary: "reduced within each host first: several hosts, each of consecutive ranks",
        supports: hierarchical::is_in_runs,
        build: hierarchical::reduce_scatter,
        cost: Cost::ByHost(hierarchical::reduce_scatter_cost),
    },
    Algorithm {
        name: "direct",
        collective: Collective::ReduceScatterV,
        summary: "every rank gets its block from all and combines in rank order",
        supports: always,
        build: reduce_scatter::direct::build,
        cost: Cost::Flat(Traffic::Everywhere, reduce_scatter::direct::cost),
    },
    Algorithm {
        name: HIERARCHICAL,
        collective: Collective::ReduceScatterV,
        summary: "reduced within each host first: several hosts, each of consecutive ranks",
        supports: hierarchical::is_in_runs,
        build: hierarchical::reduce_scatter,
        cost: Cost::ByHost(hierarchical::reduce_scatter_cost),
    },
];

/// The ordered algorithms of a collective, in the order of the table.
pub fn ordered(collective: Collective) -> impl Iterator<Item = &'static Algorithm> {
    // Scans keep the order anyway.
    let scans = of(collective).filter(move |_| matches!(collective, Collective::Scan | Collective::Exscan));
    ORDERED.iter().filter(move |algorithm| algorithm.collective == collective).chain(scans)
}

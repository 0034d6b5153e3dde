//! Reductions that keep the order of the ranks: rank 0 is the leftmost operand, the last rank the rightmost.
//!
//! For operators that do not commute. All are made of one phase, `Slots::collect`: whoever is to have some elements of the
//! result gets everybody's contribution to them, and combines these in rank order. They differ in who has which
//! elements, and in what becomes of the result. Only brackets may be set freely, so any tree over neighbours would do;
//! the direct one takes one latency, the bytes of a ring, and the same brackets on every rank: all ranks get the same
//! bits. On several hosts, `hierarchical` sets a bracket around the ranks of each.
//!
//! The tests show the order with `plan::verify::verify_order`, beside what is shown of every algorithm.

mod all_reduce;
mod hierarchical;
mod reduce;
#[cfg(test)]
mod tests;

use super::{Algorithm, Cost, HIERARCHICAL, always, of, reduce_scatter};
use crate::base::Collective;
use crate::cost::{LinkModel, Terms, Traffic, burst, moved, reduced};

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

/// What it costs that each rank collects, for its part of a buffer, `bytes` from the others together.
fn collected(t: &Terms, link: &LinkModel, bytes: f64) -> f64 {
    burst(link, t.others()) + moved(link, bytes) + reduced(link, bytes)
}

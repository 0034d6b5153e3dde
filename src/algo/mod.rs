//! The algorithms: pure functions that make plans. One file each, one row each in [`ALGORITHMS`] (`table`).
//!
//! Every algorithm serves every count, every number of ranks, every root, and ranks in place beside
//! ranks that are not; `tests` proves it with the verifier. Each collective has a folder. What several of them share is
//! in two more: `patterns` has the phases that flat algorithms are made of, `hierarchy` what makes one of several hosts.

mod all_gather;
mod all_reduce;
mod all_to_all;
mod barrier;
mod broadcast;
mod gather;
mod hierarchy;
mod neighbor;
mod ordered;
mod patterns;
mod reduce;
mod reduce_scatter;
mod scan;
mod scatter;
mod table;
#[cfg(test)]
mod tests;

pub use hierarchy::length_exchange::LengthExchange;
pub use hierarchy::parcels::ParcelDigests;
pub use ordered::{ORDERED, ordered};
pub use table::ALGORITHMS;

use crate::base::Collective;
use crate::cost::{Edges, LinkModel, Paths, Traffic};
use crate::plan::{Plan, PlanRequest};

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
    /// It does not look at hosts, and each rank sends to the next one only.
    Ring(fn(&PlanRequest, &Edges) -> f64),
    /// It knows which of its messages leave the host.
    ByHost(fn(&PlanRequest, &Paths) -> f64),
    /// It goes through memory that all ranks see, and was made for ranks that share cores.
    Oversubscribed(fn(&PlanRequest, &LinkModel) -> f64),
}

/// Name of the algorithms that go by host.
const HIERARCHICAL: &str = "hierarchical";

impl Algorithm {
    /// Whether the ranks of a host must tell each other lengths before it can make a plan ([`LengthExchange`]).
    pub fn needs_length_exchange(&self) -> bool {
        self.name == HIERARCHICAL && self.collective.counts_messages()
    }
}

/// The plan of a neighbour exchange that carries a [`LengthExchange`] out.
pub fn length_exchange_plan(request: &PlanRequest) -> Plan {
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

//! Algorithms as rows of the table.

use crate::base::Collective;
use crate::cost::{Edges, LinkModel, Paths, Traffic};
use crate::plan::{Plan, PlanRequest};

/// A row of the table. `anyccl info` prints it.
pub struct Algorithm {
    /// Name as in `ANYCCL_ALGORITHM`.
    pub name: &'static str,
    /// The collective that it computes.
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

/// The prediction of an algorithm, by what it knows of hosts.
#[derive(Clone, Copy)]
pub enum Cost {
    /// Cost of an algorithm that does not look at hosts: one kind of link, slower by the traffic of hosts.
    Flat(Traffic, fn(&PlanRequest, &LinkModel) -> f64),
    /// Cost of an algorithm that does not look at hosts, and whose ranks send to the next one only.
    Ring(fn(&PlanRequest, &Edges) -> f64),
    /// Cost of an algorithm that knows which of its messages leave the host.
    ByHost(fn(&PlanRequest, &Paths) -> f64),
    /// Cost of an algorithm through memory that all ranks see, made for ranks that share cores.
    Oversubscribed(fn(&PlanRequest, &LinkModel) -> f64),
}

/// Name of the algorithms that go by host.
pub(super) const HIERARCHICAL: &str = "hierarchical";

impl Algorithm {
    /// Whether the ranks of a host must tell each other lengths before it can make a plan
    /// ([`super::LengthExchange`]).
    pub fn needs_length_exchange(&self) -> bool {
        self.name == HIERARCHICAL && self.collective.counts_messages()
    }
}

/// Serves every request: [`Algorithm::supports`] of most rows.
pub(super) fn always(_: &PlanRequest) -> bool {
    true
}

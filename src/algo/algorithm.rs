//! The row type of the table of algorithms.

use crate::base::Collective;
use crate::cost::{Edges, LinkModel, Paths, Traffic};
use crate::plan::{Plan, PlanRequest};

/// An algorithm: a row of the table. `anyccl info` prints it.
pub struct Algorithm {
    /// Name as in `ANYCCL_ALGORITHM`.
    pub name: &'static str,
    /// The collective that it computes.
    pub collective: Collective,
    /// When the algorithm is good, in one line.
    pub summary: &'static str,
    /// Whether it can serve this request at all. Most algorithms serve every count and every size.
    pub supports: fn(&PlanRequest) -> bool,
    /// Makes the plan of one rank.
    pub build: fn(&PlanRequest) -> Plan,
    /// Predicted microseconds, the same on every rank.
    pub cost: Cost,
}

/// The cost function of an algorithm, by what the algorithm knows of hosts.
#[derive(Clone, Copy)]
pub enum Cost {
    /// The algorithm ignores hosts. It sees one kind of link, slowed down by the traffic between hosts.
    Flat(Traffic, fn(&PlanRequest, &LinkModel) -> f64),
    /// The algorithm ignores hosts, and its ranks send to the next one only.
    Ring(fn(&PlanRequest, &Edges) -> f64),
    /// The algorithm knows which of its messages leave the host.
    ByHost(fn(&PlanRequest, &Paths) -> f64),
    /// The algorithm works through memory that all ranks see, and is made for ranks that share cores.
    Oversubscribed(fn(&PlanRequest, &LinkModel) -> f64),
}

/// Name of the hierarchical algorithms.
pub(super) const HIERARCHICAL: &str = "hierarchical";

impl Algorithm {
    /// Whether the ranks of a host must exchange lengths before it can make a plan
    /// ([`super::LengthExchange`]).
    pub fn needs_length_exchange(&self) -> bool {
        self.name == HIERARCHICAL && self.collective.counts_messages()
    }
}

/// [`Algorithm::supports`] of most rows: serves every request.
pub(super) fn always(_: &PlanRequest) -> bool {
    true
}

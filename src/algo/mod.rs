//! The algorithms: pure functions that make plans. One file each, one row each in [`ALGORITHMS`].

use crate::base::Collective;
use crate::plan::{Plan, PlanRequest};
use crate::tuning::LinkModel;

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
    pub cost: fn(&PlanRequest, &LinkModel) -> f64,
}

/// Every algorithm.
pub static ALGORITHMS: &[Algorithm] = &[];

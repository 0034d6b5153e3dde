//! reduce: the root gets the reduction of all inputs.
//!
//! The other ranks have no output: their partial results are scratch.

pub(super) mod binomial;
pub(super) mod chain;
pub(super) mod one_shot;
pub(super) mod rabenseifner_gather;

use super::builder::{LaneBuilder, input, output, plan};
use crate::plan::{Plan, PlanRequest};

/// A single rank's result is its input.
fn alone(request: &PlanRequest) -> Plan {
    let all = 0..request.count;
    let copy = (!request.in_place).then(|| LaneBuilder::copy(input(all.clone()), output(all)));
    plan(0, copy)
}

//! all_reduce: every rank gets the reduction of all inputs.

pub(super) mod one_shot;
pub(super) mod rabenseifner;
pub(super) mod recursive_doubling;
pub(super) mod ring;
pub(super) mod two_shot;

use super::builder::{LaneBuilder, input, output, plan};
use crate::plan::{Plan, PlanRequest};

/// A single rank's result is its input.
fn alone(request: &PlanRequest) -> Plan {
    let all = 0..request.count;
    let copy = (!request.in_place).then(|| LaneBuilder::copy(input(all.clone()), output(all)));
    plan(0, copy)
}

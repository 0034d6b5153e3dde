//! reduce_scatter: rank r gets block r of the reduction of all inputs.

pub(super) mod pairwise;
pub(super) mod recursive_halving;
pub(super) mod ring;

use super::builder::{LaneBuilder, input, output, plan};
use super::segments::Segments;
use crate::plan::{Plan, PlanRequest};

/// The input, one block per rank.
fn blocks(request: &PlanRequest) -> Segments {
    Segments::blocks(request.count, request.size as usize)
}

/// A single rank's result is its input.
fn alone(request: &PlanRequest) -> Plan {
    let all = 0..request.count;
    let copy = (!request.in_place).then(|| LaneBuilder::copy(input(all.clone()), output(all)));
    plan(0, copy)
}

//! The plan of a single rank whose result is its input: a copy, or nothing in place.

use super::builder::{LaneBuilder, input, output, plan};
use crate::plan::{Plan, PlanRequest};

/// `count` elements from Input to Output, unless they are the same memory.
pub(super) fn alone(request: &PlanRequest) -> Plan {
    let all = 0..request.count;
    let copy = (!request.in_place).then(|| LaneBuilder::copy(input(all.clone()), output(all)));
    plan(0, copy)
}

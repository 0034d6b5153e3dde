//! The plan of a single rank whose result is its input: a copy, or nothing if it is in place.

use super::blocks::{own_input, own_output};
use super::builder::{LaneBuilder, input, output, plan};
use crate::plan::{Plan, PlanRequest};

/// Copies the one block from Input to Output, unless they are the same memory.
pub(in crate::algo) fn single_rank(request: &PlanRequest) -> Plan {
    let (own, result) = (input(own_input(request)), output(own_output(request)));
    let copy = (!request.in_place).then(|| LaneBuilder::copy(own, result));
    plan(0, copy)
}

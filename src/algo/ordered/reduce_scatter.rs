//! Ordered reduce_scatter: every rank gets its block of everybody's input and combines alone.
//!
//! Cost, blocks of n bytes: alpha + (p-1) n (beta + gamma); scratch (p-1) n.

use super::super::alone::alone;
use super::super::blocks::{Blocks, own_output};
use super::super::builder::{LaneBuilder, input, output, plan};
use super::super::cost::Terms;
use super::super::direct::Slots;
use super::{collect, collected};
use crate::plan::{Plan, PlanRequest};
use crate::tuning::LinkModel;

pub(super) fn direct(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return alone(request);
    }
    let blocks = Blocks::of_input(request);
    let result = output(own_output(request));
    let slots = Slots::new(result.len);
    let mut lane = LaneBuilder::default();
    lane.round(|round| collect(round, request, slots, |peer| input(blocks.part(peer as usize))));
    lane.round(|round| {
        slots.reduce(round, request, input(blocks.part(request.rank as usize)), result);
    });
    plan(slots.scratch(request), [lane])
}

pub(super) fn direct_cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    collected(&t, link, t.others() * t.bytes)
}

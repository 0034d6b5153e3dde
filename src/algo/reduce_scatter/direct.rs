//! Direct reduce_scatter: every rank gets its block of all inputs at once, and reduces the blocks alone, in
//! rank order.
//!
//! It takes one latency, and the fewest turns where ranks share cores. It also serves operators that do not
//! commute, because it keeps the order.
//!
//! Cost, blocks of n bytes: alpha + (p-1) n (beta + gamma), but p-1 messages at once per rank; scratch (p-1)
//! n. Best for the smallest blocks.

use crate::algo::patterns::blocks::{Blocks, own_output};
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::direct::Slots;
use crate::algo::patterns::single_rank::single_rank;
use crate::cost::{LinkModel, Terms, burst, moved, reduced};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let blocks = Blocks::of_input(request);
    let result = output(own_output(request));
    let slots = Slots::new(result.len);
    let mut lane = LaneBuilder::default();
    lane.round(|round| slots.collect(round, request, |peer| input(blocks.part(peer as usize))));
    lane.round(|round| {
        slots.reduce(round, request, input(blocks.part(request.rank as usize)), result);
    });
    plan(slots.scratch(request), [lane])
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    let bytes = t.others() * t.bytes;
    burst(link, t.others()) + moved(link, bytes) + reduced(link, bytes)
}

//! One-shot reduce: everybody sends its input to the root, which reduces in rank order.
//!
//! Cost: alpha + (p-1) n (beta + gamma), but p-1 messages at once at the root; two ranks reduce while
//! the message arrives. Scratch (p-1) n at the root. Best for small messages and few ranks.

use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::direct::{Slots, others};
use crate::algo::patterns::single_rank::single_rank;
use crate::cost::{LinkModel, Terms, burst, moved, moved_and_reduced, reduced};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let (own, result) = (input(0..request.count), output(0..request.count));
    let mut lane = LaneBuilder::default();
    if request.size == 1 {
        return single_rank(request);
    }
    if request.rank != request.root {
        lane.round(|round| round.send(request.root, own));
        return plan(0, [lane]);
    }
    if request.size == 2 {
        lane.round(|round| round.receive_reduce(1 - request.rank, own, result));
        return plan(0, [lane]);
    }
    let slots = Slots::new(request.count);
    lane.round(|round| {
        for (index, from) in others(request).into_iter().enumerate() {
            round.receive(from, slots.slot(index));
        }
    });
    lane.round(|round| slots.reduce(round, request, own, result));
    plan(slots.scratch(request), [lane])
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    let bytes = t.others() * t.bytes;
    let work = match request.size {
        1 | 2 => moved_and_reduced(link, bytes),
        _ => moved(link, bytes) + reduced(link, bytes),
    };
    burst(link, t.others()) + work
}

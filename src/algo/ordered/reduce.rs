//! Reduce in the order of the ranks, for operators that do not commute.
//!
//! `one_shot`: the root gets all inputs and combines them. Cost: alpha + (p-1) n (beta + gamma); scratch
//! (p-1) n at the root.
//!
//! `two_shot`: each rank combines one segment and sends the result to the root. Cost: 2 alpha + 2 (p-1)/p n
//! beta + (p-1)/p n gamma; scratch (p-1)/p n.

use super::collect::collected;
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::direct::{Slots, others};
use crate::algo::patterns::segments::Segments;
use crate::algo::patterns::single_rank::single_rank;
use crate::base::Rank;
use crate::cost::{LinkModel, Terms, burst, moved};
use crate::plan::{Plan, PlanRequest};

pub(super) fn one_shot(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let (own, result) = (input(0..request.count), output(0..request.count));
    let mut lane = LaneBuilder::default();
    if request.rank != request.root {
        lane.round(|round| round.send(request.root, own));
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

pub(super) fn one_shot_cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    collected(&t, link, t.others() * t.bytes)
}

pub(in crate::algo) fn two_shot(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let is_root = request.rank == request.root;
    let segments = Segments::new(request.count, request.size as usize);
    let segment = |rank: Rank| segments.part(rank as usize);
    let own = input(segment(request.rank));
    let slots = Slots::new(own.len);
    // Only the root has an output; the others leave their result in the slot of partial results.
    let result = if is_root { output(segment(request.rank)) } else { slots.slot(0) };
    let mut lane = LaneBuilder::default();
    lane.round(|round| slots.collect(round, request, |peer| input(segment(peer))));
    lane.round(|round| {
        slots.reduce(round, request, own, result);
        if is_root {
            for peer in others(request) {
                round.receive(peer, output(segment(peer)));
            }
        } else {
            round.send(request.root, result);
        }
    });
    plan(slots.scratch(request), [lane])
}

pub(in crate::algo) fn two_shot_cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    let bytes = t.foreign_share() * t.bytes;
    collected(&t, link, bytes) + burst(link, t.others()) + moved(link, bytes)
}

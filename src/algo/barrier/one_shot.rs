//! One-shot barrier: everybody signals everybody, and waits for all signals.
//!
//! A signal is one element of scratch; its content means nothing.
//!
//! Cost: alpha, but p-1 messages at once per rank. Best for few ranks, above all where each round costs
//! a turn on a shared core.

use crate::algo::patterns::builder::{LaneBuilder, plan, scratch, shifted};
use crate::algo::patterns::direct::others;
use crate::cost::{LinkModel, Terms, burst};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let peers = others(request);
    let mut lane = LaneBuilder::default();
    lane.round(|round| {
        round.send_to_all(peers.clone(), scratch(0..1));
        for (index, &from) in peers.iter().enumerate() {
            round.receive(from, scratch(shifted(1..2, index)));
        }
    });
    plan(if peers.is_empty() { 0 } else { request.size as usize }, [lane])
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    burst(link, Terms::of(request).others())
}

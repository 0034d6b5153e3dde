//! One-shot barrier: everybody signals everybody, and waits for all signals.
//!
//! A signal is one element of scratch; its content means nothing.
//!
//! Cost: alpha, but p-1 messages at once per rank. Best for few ranks, above all where each round costs
//! a turn on a shared core.

use super::super::builder::{LaneBuilder, plan, scratch, shifted};
use super::super::cost::{Terms, burst};
use super::super::direct::others;
use crate::plan::{Plan, PlanRequest};
use crate::tuning::LinkModel;

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

//! One-shot all_gather: everybody sends its block to all others in one step.
//!
//! Cost, blocks of n bytes: alpha + (p-1) n beta, but p-1 messages at once per rank. Best for small
//! blocks, and within a host, where one write serves all readers.

use super::own_copy;
use crate::algo::patterns::blocks::{Blocks, own_input};
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::direct::others;
use crate::cost::{LinkModel, Terms, burst, moved};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let blocks = Blocks::of_output(request);
    let peers = others(request);
    let mut lane = LaneBuilder::default();
    lane.round(|round| {
        round.send_to_all(peers.clone(), input(own_input(request)));
        for &from in &peers {
            round.receive(from, output(blocks.part(from as usize)));
        }
    });
    plan(0, [lane].into_iter().chain(own_copy(request)))
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    burst(link, t.others()) + moved(link, t.others() * t.bytes)
}

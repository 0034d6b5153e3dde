//! One-shot broadcast: the root sends to all others in one step.
//!
//! Cost: alpha + (p-1) n beta, but p-1 messages at once at the root; where a transport writes once for
//! all readers, n beta. Best for small messages and few ranks.

use super::own_copy;
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::direct::others;
use crate::cost::{LinkModel, Terms, burst, moved};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let all = 0..request.count;
    let mut lane = LaneBuilder::default();
    lane.round(|round| match request.rank == request.root {
        true => round.send_to_all(others(request), input(all)),
        false => round.receive(request.root, output(all)),
    });
    plan(0, [lane].into_iter().chain(own_copy(request)))
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    burst(link, t.others()) + moved(link, t.others() * t.bytes)
}

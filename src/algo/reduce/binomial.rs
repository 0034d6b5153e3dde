//! Binomial tree reduce: each rank reduces what its children send, and sends the result to its parent.
//!
//! The smallest subtree is ready first and comes first. Leaves send their input as it is.
//!
//! Cost: log2(p) (alpha + n max(beta, gamma)). Best for small messages.

use super::super::alone::alone;
use super::super::binomial::{children, parent};
use super::super::builder::{LaneBuilder, input, output, plan, scratch};
use super::super::cost::{Terms, moved_and_reduced};
use super::super::rotation::Rotation;
use crate::plan::{Plan, PlanRequest};
use crate::tuning::LinkModel;

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return alone(request);
    }
    let all = 0..request.count;
    let ranks = Rotation::to_root(request);
    let vertex = ranks.virtual_of(request.rank);
    let partial = if vertex == 0 { output(all.clone()) } else { scratch(all.clone()) };
    let mut have = input(all);
    let mut lane = LaneBuilder::default();
    for child in children(vertex, request.size as usize) {
        lane.round(|round| round.receive_reduce(ranks.real(child), have, partial));
        have = partial;
    }
    let is_leaf = have != partial;
    if vertex > 0 {
        lane.round(|round| round.send(ranks.real(parent(vertex)), have));
    }
    plan(if is_leaf || vertex == 0 { 0 } else { request.count }, [lane])
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    t.log * (link.latency_us + moved_and_reduced(link, t.bytes))
}

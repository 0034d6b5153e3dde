//! Binomial tree reduce: each rank reduces what its children send, and sends the result to its parent.
//!
//! The smallest subtree is ready first and is reduced first. Leaves send their input as it is.
//!
//! Cost: log2(p) (alpha + n max(beta, gamma)). Best for small messages.

use crate::algo::patterns::binomial::{children, parent};
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan, scratch};
use crate::algo::patterns::rotation::Rotation;
use crate::algo::patterns::single_rank::single_rank;
use crate::cost::{LinkModel, Terms, moved_and_reduced};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
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

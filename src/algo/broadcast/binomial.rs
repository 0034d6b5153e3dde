//! Binomial tree broadcast: each rank that has the data sends it on, to the largest subtree first.
//!
//! All children of a rank are served by one step, so a transport that can writes once for all of them.
//!
//! Cost: log2(p) (alpha + n beta). Best for small messages.

use super::own_copy;
use crate::algo::patterns::binomial::{children, parent};
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::rotation::Rotation;
use crate::cost::{LinkModel, Terms, moved};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let all = 0..request.count;
    let ranks = Rotation::to_root(request);
    let vertex = ranks.virtual_of(request.rank);
    let mut lane = LaneBuilder::default();
    let source = if vertex == 0 { input(all) } else { output(all) };
    if vertex > 0 {
        lane.round(|round| round.receive(ranks.real(parent(vertex)), source));
    }
    let below = children(vertex, request.size as usize).rev().map(|child| ranks.real(child));
    lane.round(|round| round.send_to_all(below.collect(), source));
    plan(0, [lane].into_iter().chain(own_copy(request)))
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    t.log * (link.latency_us + moved(link, t.bytes))
}

//! Linear scatter: the root sends everybody its block, all at once.
//!
//! Cost, blocks of n bytes: alpha + (p-1) n beta, but p-1 messages at once at the root. No byte moves
//! twice: best for large blocks and few ranks.

use super::own_copy;
use crate::algo::patterns::blocks::{Blocks, own_output};
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::rotation::Rotation;
use crate::cost::{LinkModel, Terms, burst, moved};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let blocks = Blocks::of_input(request);
    let ranks = Rotation::to_root(request);
    let mut lane = LaneBuilder::of(request);
    lane.round(|round| {
        if request.rank == request.root {
            for to in (1..request.size as usize).map(|vertex| ranks.real(vertex)) {
                round.send(to, input(blocks.part(to as usize)));
            }
        } else {
            round.receive(request.root, output(own_output(request)));
        }
    });
    plan(0, [lane].into_iter().chain(own_copy(request)))
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    burst(link, t.others()) + moved(link, t.others() * t.bytes)
}

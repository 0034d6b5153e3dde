//! Ring all_gather: each rank passes on the block that it received last.
//!
//! Cost, blocks of n bytes: (p-1) (alpha + n beta). Talks to neighbours only: best for large blocks.

use super::super::blocks::{Blocks, own_input};
use super::super::builder::{LaneBuilder, input, output, plan};
use super::super::cost::{Terms, around, moved};
use super::super::fold::identity;
use super::super::ring::Ring;
use super::own_copy;
use crate::plan::{Plan, PlanRequest};
use crate::tuning::Edges;

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let blocks = Blocks::of_output(request);
    let size = request.size as usize;
    let ring = Ring { position: request.rank as usize, size, rank_of: identity, busy: size };
    let mut lane = LaneBuilder::default();
    let place = |block| output(blocks.part(block));
    ring.all_gather(&mut lane, input(own_input(request)), place, |_, _| false);
    plan(0, [lane].into_iter().chain(own_copy(request)))
}

pub(in crate::algo) fn cost(request: &PlanRequest, edges: &Edges) -> f64 {
    let t = Terms::of(request);
    around(edges, t.others(), |link| moved(link, t.bytes))
}

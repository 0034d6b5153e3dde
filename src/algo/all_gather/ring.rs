//! Ring all_gather: each rank passes on the block that it received last.
//!
//! Cost, blocks of n bytes: (p-1) (alpha + n beta). Talks to neighbours only: best for large blocks.

use super::own_copy;
use crate::algo::patterns::blocks::{Blocks, own_input};
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::fold::identity;
use crate::algo::patterns::ring::Ring;
use crate::cost::{Edges, Terms, around, moved};
use crate::plan::{Plan, PlanRequest};

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

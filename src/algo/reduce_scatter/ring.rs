//! Ring reduce_scatter: a block travels once round the ring, ends at its owner, and collects a
//! contribution at every stop.
//!
//! Partial results alternate between two blocks of scratch: one is sent while the other arrives. The
//! last one arrives in the output.
//!
//! Cost, blocks of n bytes: (p-1) (alpha + n max(beta, gamma)); scratch 2 n. Talks to neighbours only:
//! best for large blocks between hosts. Source: Patarasuk and Yuan 2009.

use super::blocks;
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan, scratch, shifted};
use crate::algo::patterns::fold::identity;
use crate::algo::patterns::ring::Ring;
use crate::algo::patterns::single_rank::single_rank;
use crate::cost::{Edges, Terms, around, moved_and_reduced};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let (rank, size, count) = (request.rank as usize, request.size as usize, request.count);
    let blocks = blocks(request);
    let partial = |step: usize, _| match step == size - 2 {
        true => output(0..count),
        false => scratch(shifted(0..count, step % 2 * count)),
    };
    let mut lane = LaneBuilder::default();
    let ring = Ring { position: rank, size, rank_of: identity, busy: size };
    ring.reduce_scatter(&mut lane, |block| input(blocks.part(block)), partial);
    plan((size - 2).min(2) * count, [lane])
}

pub(in crate::algo) fn cost(request: &PlanRequest, edges: &Edges) -> f64 {
    let t = Terms::of(request);
    around(edges, t.others(), |link| moved_and_reduced(link, t.bytes))
}

//! Ring all_reduce: reduce_scatter around the ring, then all_gather around it.
//!
//! The buffer is cut into p segments. A segment travels once round the ring and collects the
//! contributions, which takes p-1 rounds; then once more as the result, another p-1. The own
//! contribution is always read from the input and the partial result written to the output, so nothing
//! is copied.
//!
//! Cost: 2(p-1) alpha + (p-1)/p n (max(beta, gamma) + beta). Moves the least bytes possible and talks
//! to neighbours only: best for large buffers. Source: Patarasuk and Yuan 2009. Any count works:
//! segments differ by at most one element, empty ones are skipped on both sides. The order of reduction
//! differs per segment, but each result is computed once: identical bits everywhere.

use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::fold::identity;
use crate::algo::patterns::ring::Ring;
use crate::algo::patterns::segments::Segments;
use crate::algo::patterns::single_rank::single_rank;
use crate::cost::{Edges, Terms, around, moved, moved_and_reduced};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let (rank, size) = (request.rank as usize, request.size as usize);
    let segments = Segments::new(request.count, size);
    let place = |segment| output(segments.part(segment));
    let ring = Ring { position: rank, size, rank_of: identity, busy: request.count.min(size) };
    let mut lane = LaneBuilder::default();
    ring.reduce_scatter(&mut lane, |segment| input(segments.part(segment)), |_, segment| place(segment));
    ring.all_gather(&mut lane, place(rank), place, |_, _| false);
    plan(0, [lane])
}

pub(in crate::algo) fn cost(request: &PlanRequest, edges: &Edges) -> f64 {
    let t = Terms::of(request);
    let segment = t.bytes / t.size;
    let reduced = around(edges, t.others(), |link| moved_and_reduced(link, segment));
    reduced + around(edges, t.others(), |link| moved(link, segment))
}

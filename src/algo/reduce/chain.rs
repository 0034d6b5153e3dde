//! Pipelined chain reduce: each rank adds its part to every chunk and passes it on towards the root.
//!
//! There is one lane per chunk: while chunk k goes on, chunk k+1 arrives.
//!
//! Cost, s chunks: (s+p-2) (alpha + n/s max(beta, gamma)). Best for large messages among few ranks.

use crate::algo::patterns::builder::{LaneBuilder, input, output, plan, scratch};
use crate::algo::patterns::rotation::Rotation;
use crate::algo::patterns::segments::Segments;
use crate::algo::patterns::single_rank::single_rank;
use crate::cost::{Edges, Terms, along, hop, moved_and_reduced};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let last = request.size as usize - 1;
    let ranks = Rotation::to_root(request);
    let position = ranks.virtual_of(request.rank);
    let chunks = Segments::chunks(request);
    let lanes = (0..chunks.parts()).map(|index| {
        let chunk = chunks.part(index);
        let own = input(chunk.clone());
        let partial = match position {
            0 => output(chunk),
            _ if position == last => own,
            _ => scratch(chunk),
        };
        let mut lane = LaneBuilder::default();
        if position < last {
            lane.round(|round| round.receive_reduce(ranks.real(position + 1), own, partial));
        }
        if position > 0 {
            lane.round(|round| round.send(ranks.real(position - 1), partial));
        }
        lane
    });
    plan(if position == 0 || position == last { 0 } else { request.count }, lanes)
}

pub(in crate::algo) fn cost(request: &PlanRequest, edges: &Edges) -> f64 {
    let t = Terms::of(request);
    let chunks = Segments::chunks(request).parts() as f64;
    along(edges, t.size, chunks, |link| hop(link) + moved_and_reduced(link, t.bytes / chunks))
}

//! Pipelined chain broadcast: each rank passes every chunk on to the next.
//!
//! One lane per chunk: while chunk k goes to the next rank, chunk k+1 arrives.
//!
//! Cost, s chunks: (s+p-2) (alpha + n/s beta). Best for large messages among few ranks.

use super::own_copy;
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::rotation::Rotation;
use crate::algo::patterns::segments::Segments;
use crate::cost::{Edges, Terms, along, hop, moved};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let size = request.size as usize;
    let ranks = Rotation::to_root(request);
    let position = ranks.virtual_of(request.rank);
    let chunks = Segments::chunks(request);
    let lanes = (0..chunks.parts()).map(|index| {
        let chunk = chunks.part(index);
        let source = if position == 0 { input(chunk) } else { output(chunk) };
        let mut lane = LaneBuilder::default();
        if position > 0 {
            lane.round(|round| round.receive(ranks.real(position - 1), source));
        }
        if position + 1 < size {
            lane.round(|round| round.send(ranks.real(position + 1), source));
        }
        lane
    });
    plan(0, lanes.chain(own_copy(request)))
}

pub(in crate::algo) fn cost(request: &PlanRequest, edges: &Edges) -> f64 {
    let t = Terms::of(request);
    let chunks = Segments::chunks(request).parts() as f64;
    along(edges, t.size, chunks, |link| hop(link) + moved(link, t.bytes / chunks))
}

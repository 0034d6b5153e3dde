//! Scatter + all_gather broadcast (van de Geijn): the root's data goes out in segments, which then go
//! round a ring.
//!
//! The scatter is a binomial tree, after which a rank holds the segments of its whole subtree. The ring
//! leaves out segments that the next rank holds already. The root receives nothing.
//!
//! Cost: (log2(p) + p-1) alpha + 2 (p-1)/p n beta. Best for large messages among many ranks.
//! Source: Barnett et al., "Interprocessor collective communication library", 1994.

use super::own_copy;
use crate::algo::patterns::binomial::{Tree, subtree};
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::ring::Ring;
use crate::algo::patterns::rotation::Rotation;
use crate::algo::patterns::segments::Segments;
use crate::cost::{LinkModel, Terms, moved};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let size = request.size as usize;
    let ranks = Rotation::to_root(request);
    let vertex = ranks.virtual_of(request.rank);
    let segments = Segments::new(request.count, size);
    let rank_of = |vertex| ranks.real(vertex);
    let place = |part| match vertex {
        0 => input(segments.range(part)),
        _ => output(segments.range(part)),
    };
    let mut lane = LaneBuilder::default();
    Tree { vertex, size, rank_of, wrap: size }.scatter(&mut lane, place);
    let ring = Ring { position: vertex, size, rank_of, busy: request.count.min(size) };
    let has = |holder, segment| subtree(holder, size).contains(&segment);
    ring.all_gather(&mut lane, place(vertex..vertex + 1), |segment| place(segment..segment + 1), has);
    plan(0, [lane].into_iter().chain(own_copy(request)))
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    (t.log + t.others()) * link.latency_us + 2.0 * moved(link, t.foreign_share() * t.bytes)
}

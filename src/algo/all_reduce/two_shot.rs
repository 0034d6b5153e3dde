//! Two-shot all_reduce: direct reduce_scatter, then direct all_gather.
//!
//! Each rank owns one segment. First it receives the part of every other rank and reduces the parts in rank
//! order; then it sends the result to all in one step. Each result is computed once, so all ranks get the
//! same bits. Two ranks reduce a message while it arrives and need no scratch.
//!
//! Cost: 2 alpha + 2 (p-1)/p n beta + (p-1)/p n gamma; scratch (p-1)/p n. The bandwidth of a ring at
//! two latencies, but each rank talks to all: best for middle sizes within a host.

use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::direct::{Slots, others};
use crate::algo::patterns::segments::Segments;
use crate::algo::patterns::single_rank::single_rank;
use crate::base::Rank;
use crate::cost::{LinkModel, Terms, burst, moved, moved_and_reduced, reduced};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let segments = Segments::new(request.count, request.size as usize);
    let segment = |rank: Rank| segments.part(rank as usize);
    let (own, result) = (input(segment(request.rank)), output(segment(request.rank)));
    // The other ranks have empty segments, which cost time if there are thousands.
    let has_segment = |rank: Rank| (rank as usize) < request.count;
    let slots = (request.size > 2).then(|| Slots::new(own.len));
    let peers = others(request);

    let mut lane = LaneBuilder::default();
    lane.round(|round| {
        for (index, &peer) in peers.iter().enumerate().filter(|(_, peer)| has_segment(**peer) || own.len > 0)
        {
            round.send(peer, input(segment(peer)));
            match slots {
                Some(slots) => round.receive(peer, slots.slot(index)),
                None => round.receive_reduce(peer, own, result),
            }
        }
    });
    lane.round(|round| {
        if result.len > 0 {
            if let Some(slots) = slots {
                slots.reduce(round, request, own, result);
            }
            round.send_to_all(peers.clone(), result);
        }
        for &peer in peers.iter().filter(|peer| has_segment(**peer)) {
            round.receive(peer, output(segment(peer)));
        }
    });
    plan(slots.map_or(0, |slots| slots.scratch(request)), [lane])
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    let bytes = t.foreign_share() * t.bytes;
    let reducing = match request.size {
        1 | 2 => moved_and_reduced(link, bytes),
        _ => moved(link, bytes) + reduced(link, bytes),
    };
    2.0 * burst(link, t.others()) + reducing + moved(link, bytes)
}

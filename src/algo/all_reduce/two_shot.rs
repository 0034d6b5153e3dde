//! Two-shot all_reduce: direct reduce_scatter, then direct all_gather.
//!
//! Each rank owns one segment. First it receives everybody's part of it and reduces them in rank order; then it
//! sends the result to all in one step. Each result is computed once, so all ranks get the same bits.
//!
//! Cost: 2 alpha + 2 (p-1)/p n beta + (p-1)/p n gamma; scratch (p-1)/p n. The bandwidth of a ring at
//! two latencies, but each rank talks to all: best for middle sizes within a host.

use super::super::builder::{LaneBuilder, input, output, plan, reduce_in_order, scratch, shifted};
use super::super::cost::{Terms, burst, moved, moved_and_reduced, reduced};
use super::super::segments::Segments;
use super::alone;
use crate::base::Rank;
use crate::plan::{Plan, PlanRequest};
use crate::tuning::LinkModel;

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return alone(request);
    }
    let segments = Segments::new(request.count, request.size as usize);
    let segment = |rank: Rank| segments.part(rank as usize);
    let mine = segment(request.rank);
    let others: Vec<Rank> = (0..request.size).filter(|&rank| rank != request.rank).collect();
    let slot = |index: usize| scratch(shifted(0..mine.len(), index * mine.len()));
    let two = request.size == 2;

    let mut lane = LaneBuilder::default();
    lane.round(|round| {
        for (index, &peer) in others.iter().enumerate() {
            round.send(peer, input(segment(peer)));
            if two {
                round.receive_reduce(peer, input(mine.clone()), output(mine.clone()));
            } else {
                round.receive(peer, slot(index));
            }
        }
    });
    lane.round(|round| {
        if !two {
            let mut slots = (0..others.len()).map(slot);
            let contributions = (0..request.size).map(|rank| match rank == request.rank {
                true => input(mine.clone()),
                false => slots.next().expect("one slot per other rank"),
            });
            reduce_in_order(round, &contributions.collect::<Vec<_>>(), output(mine.clone()));
        }
        round.send_to_all(others.clone(), output(mine.clone()));
        for &peer in &others {
            round.receive(peer, output(segment(peer)));
        }
    });
    plan(if two { 0 } else { others.len() * mine.len() }, [lane])
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    let bytes = t.foreign_share() * t.bytes;
    let reducing = if request.size <= 2 {
        moved_and_reduced(link, bytes)
    } else {
        moved(link, bytes) + reduced(link, bytes)
    };
    2.0 * burst(link, t.others()) + reducing + moved(link, bytes)
}

//! One-shot all_reduce: everybody sends everything to everybody, and reduces alone.
//!
//! Each rank sends its whole input to all others in one step, receives theirs, and reduces all
//! contributions in rank order: the same tree on every rank, so the same bits. Two ranks need a single round
//! and no scratch: each reduces what arrives with its own input (the operators commute).
//!
//! Cost: alpha + (p-1) n beta + (p-1) n gamma; scratch (p-1) n. Two ranks: alpha + n max(beta, gamma), which is
//! best at any size. Else best for the smallest messages: one latency, independent of p.

use super::super::builder::{LaneBuilder, input, output, plan, reduce_in_order, scratch, shifted};
use super::super::cost::{Terms, burst, moved, moved_and_reduced, reduced};
use super::alone;
use crate::base::Rank;
use crate::plan::{Plan, PlanRequest};
use crate::tuning::LinkModel;

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let all = 0..request.count;
    let mut lane = LaneBuilder::default();
    match request.size {
        1 => return alone(request),
        2 => lane.round(|round| {
            let peer = 1 - request.rank;
            round.send(peer, input(all.clone()));
            round.receive_reduce(peer, input(all.clone()), output(all));
        }),
        size => {
            let others: Vec<Rank> = (0..size).filter(|&rank| rank != request.rank).collect();
            let slot = |index: usize| scratch(shifted(0..request.count, index * request.count));
            lane.round(|round| {
                round.send_to_all(others.clone(), input(all.clone()));
                for (index, &from) in others.iter().enumerate() {
                    round.receive(from, slot(index));
                }
            });
            let mut slots = (0..others.len()).map(slot);
            let contributions = (0..size).map(|rank| match rank == request.rank {
                true => input(all.clone()),
                false => slots.next().expect("one slot per other rank"),
            });
            let contributions: Vec<_> = contributions.collect();
            lane.round(|round| reduce_in_order(round, &contributions, output(all.clone())));
        }
    }
    plan(if request.size == 2 { 0 } else { (request.size as usize - 1) * request.count }, [lane])
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    let bytes = t.others() * t.bytes;
    burst(link, t.others())
        + if request.size <= 2 {
            moved_and_reduced(link, bytes)
        } else {
            moved(link, bytes) + reduced(link, bytes)
        }
}

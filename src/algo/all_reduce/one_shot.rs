//! One-shot all_reduce: every rank sends its input to all others, and each reduces alone.
//!
//! Each rank sends its whole input to all others in one step, receives theirs, and reduces all
//! contributions in rank order. The tree is the same on every rank, and so are the bits. Two ranks need a
//! single round and no scratch: each reduces what arrives with its own input (the operators commute).
//!
//! Cost: alpha + (p-1) n beta + (p-1) n gamma, but p-1 messages at once per rank; scratch (p-1) n. Two
//! ranks: alpha + n max(beta, gamma), which is best at any size. Else best for the smallest messages.

use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::direct::{Slots, others};
use crate::algo::patterns::single_rank::single_rank;
use crate::cost::{LinkModel, Terms, burst, moved, moved_and_reduced, reduced};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let (own, result) = (input(0..request.count), output(0..request.count));
    let mut lane = LaneBuilder::default();
    match request.size {
        1 => single_rank(request),
        2 => {
            let peer = 1 - request.rank;
            lane.round(|round| {
                round.send(peer, own);
                round.receive_reduce(peer, own, result);
            });
            plan(0, [lane])
        }
        _ => {
            let slots = Slots::new(request.count);
            lane.round(|round| {
                round.send_to_all(others(request), own);
                for (index, from) in others(request).into_iter().enumerate() {
                    round.receive(from, slots.slot(index));
                }
            });
            lane.round(|round| slots.reduce(round, request, own, result));
            plan(slots.scratch(request), [lane])
        }
    }
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    let bytes = t.others() * t.bytes;
    let work = match request.size {
        1 | 2 => moved_and_reduced(link, bytes),
        _ => moved(link, bytes) + reduced(link, bytes),
    };
    burst(link, t.others()) + work
}

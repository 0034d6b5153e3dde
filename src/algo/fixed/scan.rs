//! One-shot scan and exscan from left to right: every rank sends its input to all ranks above it, and each
//! combines the inputs of the ranks below it alone.
//!
//! The pipelined chain has the same brackets. Recursive doubling has others, which depend on the rank.
//!
//! Cost: alpha + (p-1) n (beta + gamma), but p-1 messages at once per rank. Best for small messages. Scratch
//! (p-1) n.

use crate::algo::patterns::builder::{LaneBuilder, input, output, plan, scratch};
use crate::algo::patterns::single_rank::single_rank;
use crate::base::{Collective, Rank};
use crate::cost::{LinkModel, Terms, burst, moved, reduced};
use crate::plan::{Plan, PlanRequest};

pub(super) fn build(request: &PlanRequest) -> Plan {
    let is_exclusive = request.collective == Collective::Exscan;
    if request.size == 1 {
        return if is_exclusive { Plan::default() } else { single_rank(request) };
    }
    let (rank, count) = (request.rank, request.count);
    let (own, result) = (input(0..count), output(0..count));
    let slot = |from: Rank| scratch(from as usize * count..(from as usize + 1) * count);
    let mut lane = LaneBuilder::default();
    lane.round(|round| {
        round.send_to_all((rank + 1..request.size).collect(), own);
        (0..rank).for_each(|from| round.receive(from, slot(from)));
    });
    let mut operands: Vec<_> = (0..rank).map(slot).chain((!is_exclusive).then_some(own)).collect();
    lane.round(|round| match &operands.split_off(1.min(operands.len()))[..] {
        [] => {
            if let Some(&only) = operands.first().filter(|_| rank > 0 || !request.in_place) {
                round.copy(only, result);
            }
        }
        [others @ .., last] => {
            // The first reduction reads slot 0; nothing reads it afterwards.
            let first = operands[0];
            others.iter().for_each(|other| round.reduce(first, *other, first));
            round.reduce(first, *last, result);
        }
    });
    plan(rank as usize * count, [lane])
}

pub(super) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    let bytes = t.others() * t.bytes;
    burst(link, t.others()) + moved(link, bytes) + reduced(link, bytes)
}

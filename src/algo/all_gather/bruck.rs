//! Bruck's all_gather: in round k, each rank sends the 2^k blocks it has to the rank 2^k before it.
//!
//! Rank r then holds the 2^(k+1) blocks from r upwards, modulo p; the last round fills up. Bruck keeps
//! them in the order r, r+1, ... and rotates at the end; here each block goes straight to its place in
//! the output, which sender and receiver agree on. Where the blocks wrap round the end, the message
//! is two. That saves scratch and a copy of everything.
//!
//! Cost, blocks of n bytes: log2(p) alpha (some messages double) + (p-1) n beta, for any p. Best for
//! small blocks when p is not a power of two. Source: Bruck et al., "Efficient algorithms for
//! all-to-all communications in multiport message-passing systems", 1997.

use std::ops::Range;

use super::blocks;
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::fold::identity;
use crate::cost::{LinkModel, Terms, burst, moved};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let (rank, size) = (request.rank as usize, request.size as usize);
    let blocks = blocks(request);
    let mut lane = LaneBuilder::default();
    if !request.in_place {
        lane.round(|round| round.copy(input(0..request.count), output(blocks.part(rank))));
    }
    let mut held = 1;
    while held < size {
        let amount = held.min(size - held);
        let (before, after) = ((rank + size - held) % size, (rank + held) % size);
        lane.round(|round| {
            for piece in wrapped(rank, amount, size) {
                round.send(identity(before), output(blocks.range(piece)));
            }
            for piece in wrapped(after, amount, size) {
                round.receive(identity(after), output(blocks.range(piece)));
            }
        });
        held += amount;
    }
    plan(0, [lane])
}

/// `amount` indices from `start` upwards, modulo `size`.
fn wrapped(start: usize, amount: usize, size: usize) -> [Range<usize>; 2] {
    let end = start + amount;
    [start..end.min(size), 0..end.saturating_sub(size)]
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    let messages = if request.size > 2 { 2.0 } else { 1.0 };
    t.log * burst(link, messages) + moved(link, t.others() * t.bytes)
}

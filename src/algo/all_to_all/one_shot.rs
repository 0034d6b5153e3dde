//! One-shot all_to_all: every rank sends its whole input to all others, and each receiver picks its block.
//!
//! It moves p times the bytes, in one step. A transport that writes once for all readers would send the
//! blocks for all peers in one write of a few cache lines, instead of p-1 writes. The present links are for
//! pairs of ranks and write p-1 times; there spread is faster (docs/lab/cost-model.md).
//!
//! Cost, blocks of n bytes: alpha + p (p-1) n beta, 2(p-1) messages at once per rank; scratch p (p-1) n.

use super::{blocks, own_copy};
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan, scratch, shifted};
use crate::algo::patterns::direct::others;
use crate::cost::{LinkModel, Terms, burst, moved};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let blocks = blocks(request);
    let whole = request.size as usize * request.count;
    let peers = others(request);
    let mut lane = LaneBuilder::default();
    lane.round(|round| {
        round.send_to_all(peers.clone(), input(0..whole));
        for (index, &from) in peers.iter().enumerate() {
            round.receive(from, scratch(shifted(0..whole, index * whole)));
        }
    });
    let mine = blocks.part(request.rank as usize);
    lane.round(|round| {
        for (index, &from) in peers.iter().enumerate() {
            let picked = shifted(mine.clone(), index * whole);
            round.copy(scratch(picked), output(blocks.part(from as usize)));
        }
    });
    plan(peers.len() * whole, [lane].into_iter().chain(own_copy(request)))
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    burst(link, 2.0 * t.others()) + moved(link, t.others() * t.size * t.bytes)
}

//! Staged all_gather: each rank writes its block, chunk by chunk, once into memory that all ranks of the host
//! see, and they read it there.
//!
//! Cost, blocks of n bytes in s chunks: 8 s alpha + 0.65 p n beta, fitted to measurements; otherwise each
//! rank makes p-1 copies of its block. Best for large blocks among ranks that share cores.

use std::ops::Range;

use crate::algo::patterns::blocks::{Blocks, own_input};
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan, shifted};
use crate::algo::patterns::direct::others;
use crate::algo::patterns::staging::{Staging, turn};
use crate::base::Rank;
use crate::cost::{LinkModel, Terms, moved};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let staging = Staging::new(request, 1, 1);
    let (own, blocks) = (own_input(request), Blocks::of_output(request));
    let place =
        |rank: Rank, chunk: &Range<usize>| output(shifted(chunk.clone(), blocks.part(rank as usize).start));
    let peers = others(request);
    let lanes = (0..staging.lanes()).map(|lane| {
        let mut builder = LaneBuilder::default();
        for chunk in staging.of_lane(lane) {
            let slot = staging.slot(lane, 0, chunk.len());
            builder.round(|round| {
                round.copy(input(shifted(chunk.clone(), own.start)), slot);
                if !request.in_place {
                    round.copy(slot, place(request.rank, &chunk));
                }
                round.send_to_all(peers.clone(), slot);
                for &peer in &peers {
                    round.receive(peer, place(peer, &chunk));
                }
            });
        }
        builder
    });
    Plan { shared_scratch: true, ..plan(staging.scratch(), lanes) }
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    Staging::new(request, 1, 1).chunks() * turn(link) + 0.65 * moved(link, t.size * t.bytes)
}

//! reduce_scatter by PAT: distances double and blocks halve from round to round, so few bytes travel far.
//!
//! Each rank packs its input into scratch. In each round it sends on the partial results of half of the
//! blocks that it still has, and reduces the others with what arrives ([`pat`](crate::algo::patterns::pat)).
//!
//! Cost, blocks of n bytes: log2(p) alpha + (p-1) n max(beta, gamma), for any p, and a copy of everything;
//! scratch p n. With consecutive ranks on each of h hosts of l ranks, the wire of a host carries about
//! (h + p log2(l) / 2) n bytes. Best for small blocks among many hosts, and where the number of ranks is no
//! power of two.

use super::blocks;
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan, scratch};
use crate::algo::patterns::fold::identity;
use crate::algo::patterns::pat::{self, PatTrees};
use crate::algo::patterns::single_rank::single_rank;
use crate::cost::{LinkModel, Paths, moved, moved_and_reduced};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let (rank, size) = (request.rank as usize, request.size as usize);
    let blocks = blocks(request);
    let trees = PatTrees::new(size);
    let mut lane = LaneBuilder::default();
    lane.round(|round| {
        for (position, offset) in trees.order().into_iter().enumerate() {
            let block = (rank + size - offset) % size;
            round.copy(input(blocks.part(block)), scratch(blocks.part(position)));
        }
    });
    for tree_round in trees.rounds().rev() {
        let distance = tree_round.distance;
        let (before, after) = ((rank + size - distance) % size, (rank + distance) % size);
        lane.round(|round| {
            for (near, far) in tree_round.parts() {
                let have = scratch(blocks.range(near));
                let result =
                    if tree_round.held == 1 && have.len > 0 { output(0..request.count) } else { have };
                round.send(identity(before), scratch(blocks.range(far)));
                round.receive_reduce(identity(after), have, result);
            }
        });
    }
    plan(size * request.count, [lane])
}

pub(in crate::algo) fn cost(request: &PlanRequest, paths: &Paths) -> f64 {
    let reducing = |link: &LinkModel, bytes| moved_and_reduced(link, bytes) - moved(link, bytes);
    pat::cost(request, paths, reducing)
}

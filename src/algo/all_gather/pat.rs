//! all_gather by PAT: distances halve and blocks double from round to round, so few bytes travel far.
//!
//! Each rank receives blocks into scratch and copies them to its output one round later, while the next
//! blocks are on their way ([`pat`](crate::algo::patterns::pat)).
//!
//! Cost, blocks of n bytes: log2(p) alpha + (p-1) n beta, for any p, and a copy of everything; scratch p n.
//! With consecutive ranks on each of h hosts of l ranks, the wire of a host carries about (h + p log2(l) / 2)
//! n bytes, where Bruck's carries l p n. Best for small blocks among many hosts.

use std::ops::Range;

use super::blocks;
use crate::algo::patterns::builder::{LaneBuilder, RoundBuilder, input, output, plan, scratch};
use crate::algo::patterns::fold::identity;
use crate::algo::patterns::pat::{self, PatTrees};
use crate::cost::Paths;
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let (rank, size) = (request.rank as usize, request.size as usize);
    let blocks = blocks(request);
    let trees = PatTrees::new(size);
    let order = trees.order();
    let place = |position: usize| output(blocks.part((rank + size - order[position]) % size));
    let unpack = |round: &mut RoundBuilder, positions: Range<usize>| {
        for position in positions {
            round.copy(scratch(blocks.part(position)), place(position));
        }
    };
    let own = if request.in_place { place(0) } else { input(0..request.count) };
    let mut lane = LaneBuilder::default();
    let mut unpacked = 1;
    for tree_round in trees.rounds() {
        let distance = tree_round.distance;
        let (before, after) = ((rank + size - distance) % size, (rank + distance) % size);
        lane.round(|round| {
            let is_first = tree_round.held == 1;
            for (near, far) in tree_round.parts() {
                let sent = if is_first && !near.is_empty() { own } else { scratch(blocks.range(near)) };
                round.send(identity(after), sent);
                round.receive(identity(before), scratch(blocks.range(far)));
            }
            if is_first {
                round.copy(own, scratch(blocks.part(0)));
            }
            unpack(round, unpacked..tree_round.held);
        });
        unpacked = tree_round.held;
    }
    lane.round(|round| {
        unpack(round, unpacked..size);
        if !request.in_place {
            round.copy(own, place(0));
        }
    });
    plan(if size > 1 { size * request.count } else { 0 }, [lane])
}

pub(in crate::algo) fn cost(request: &PlanRequest, paths: &Paths) -> f64 {
    pat::cost(request, paths, |_, _| 0.0)
}

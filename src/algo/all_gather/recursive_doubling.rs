//! Recursive doubling all_gather: in round k, partners at distance 2^k exchange all blocks they have.
//!
//! Ranks beyond a power of two fold: the odd one of a pair gives its block to its even neighbour, which
//! then counts for two. The odd one gets all other blocks at the end.
//!
//! Cost, blocks of n bytes: log2(p) alpha + (p-1) n beta; with folding 2 alpha + p n beta more. Best
//! for small and middle blocks when p is a power of two. Source: Thakur, Rabenseifner and Gropp 2005.

use super::{blocks, own_copy};
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::fold::{Fold, Role, identity};
use crate::algo::patterns::hypercube::Hypercube;
use crate::cost::{LinkModel, Terms, moved};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let (rank, size) = (request.rank as usize, request.size as usize);
    let blocks = blocks(request);
    let block = |rank| output(blocks.part(rank));
    let own = input(0..request.count);
    let fold = Fold::new(size);
    let mut lane = LaneBuilder::default();
    match fold.role(rank) {
        Role::Folded { into } => {
            lane.round(|round| round.send(identity(into), own));
            lane.round(|round| {
                for foreign in [0..rank, rank + 1..size] {
                    round.receive(identity(into), output(blocks.range(foreign)));
                }
            });
            plan(0, [lane].into_iter().chain(own_copy(request)))
        }
        Role::Active { index, absorbed } => {
            // Later rounds send the own block together with others, so it must be in its place.
            lane.round(|round| {
                if !request.in_place {
                    round.copy(own, block(rank));
                }
                if let Some(from) = absorbed {
                    round.receive(identity(from), block(from));
                }
            });
            let cube = Hypercube { index, active: fold.active(), rank_of: |i| identity(fold.rank_of(i)) };
            cube.double(&mut lane, |indices| output(blocks.range(fold.ranks_of(indices))));
            if let Some(to) = absorbed {
                lane.round(|round| {
                    for foreign in [0..to, to + 1..size] {
                        round.send(identity(to), output(blocks.range(foreign)));
                    }
                });
            }
            plan(0, [lane])
        }
    }
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    let fold = Fold::new(request.size as usize);
    let extra = if fold.is_needed() { 2.0 * link.latency_us + moved(link, t.size * t.bytes) } else { 0.0 };
    f64::from(fold.rounds()) * link.latency_us + moved(link, t.others() * t.bytes) + extra
}

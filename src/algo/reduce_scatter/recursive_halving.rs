//! Recursive halving reduce_scatter: in each round, partners exchange halves of what they still hold.
//!
//! Ranks beyond a power of two fold: the odd one of a pair gives its whole input to its even neighbour,
//! which then counts for two blocks. The odd one gets its own block back at the end.
//!
//! Cost, blocks of n bytes: log2(p) alpha + (p-1) n max(beta, gamma); with folding
//! 2 alpha + p n max(beta, gamma) + n beta more; scratch p n. Best for small blocks.
//! Source: Thakur, Rabenseifner and Gropp 2005.

use super::blocks;
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan, scratch};
use crate::algo::patterns::fold::{Fold, Role, identity};
use crate::algo::patterns::hypercube::Hypercube;
use crate::algo::patterns::single_rank::single_rank;
use crate::cost::{LinkModel, Terms, halving, moved, moved_and_reduced};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let (rank, size, count) = (request.rank as usize, request.size as usize, request.count);
    let blocks = blocks(request);
    let result = output(0..count);
    let fold = Fold::new(size);
    let mut lane = LaneBuilder::default();
    match fold.role(rank) {
        Role::Folded { into } => {
            lane.round(|round| round.send(identity(into), input(0..size * count)));
            lane.round(|round| round.receive(identity(into), result));
            plan(0, [lane])
        }
        Role::Active { index, absorbed } => {
            if let Some(from) = absorbed {
                let all = 0..size * count;
                lane.round(|round| {
                    round.receive_reduce(identity(from), input(all.clone()), scratch(all));
                });
            }
            let cube = Hypercube { index, active: fold.active(), rank_of: |i| identity(fold.rank_of(i)) };
            let elements = |indices| blocks.range(fold.ranks_of(indices));
            let have = |first, indices| match first && absorbed.is_none() {
                true => input(elements(indices)),
                false => scratch(elements(indices)),
            };
            let keep = |indices: std::ops::Range<usize>| match indices.len() == 1 && absorbed.is_none() {
                true => result,
                false => scratch(elements(indices)),
            };
            cube.halve(&mut lane, have, keep);
            if let Some(to) = absorbed {
                lane.round(|round| {
                    round.copy(scratch(blocks.part(rank)), result);
                    round.send(identity(to), scratch(blocks.part(to)));
                });
            }
            plan(if size == 2 { 0 } else { size * count }, [lane])
        }
    }
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    let fold = Fold::new(request.size as usize);
    let extra = if fold.is_needed() {
        2.0 * link.latency_us + moved_and_reduced(link, t.size * t.bytes) + moved(link, t.bytes)
    } else {
        0.0
    };
    let work = moved_and_reduced(link, t.others() * t.bytes);
    f64::from(fold.rounds()) * link.latency_us + halving(t.size * t.bytes) * work + extra
}

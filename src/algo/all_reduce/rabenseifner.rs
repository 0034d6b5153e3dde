//! Rabenseifner's all_reduce: reduce_scatter by recursive halving, all_gather by recursive doubling.
//!
//! In round k of the first phase, partners exchange halves of what they still hold, so messages shrink:
//! n/2, n/4, ... The second phase runs backwards. Partners are neighbours first, then at doubling distance:
//! long messages stay within a host, or among hosts that are close to each other. So partial results grow
//! along [`crate::plan::fixed_tree`]. Ranks beyond a power of two fold into a neighbour first and get the
//! result last. Each segment is reduced on one rank: the same bits everywhere.
//!
//! Cost: 2 log2(p) alpha + (p-1)/p n (max(beta, gamma) + beta); with folding one more alpha + n
//! max(beta, gamma) before and alpha + n beta after. Best for middle and large messages, above all when
//! p is a power of two. Source: Rabenseifner, "Optimization of collective reduction operations", 2004.

use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::fold::{Fold, Role, identity};
use crate::algo::patterns::hypercube::Hypercube;
use crate::algo::patterns::segments::Segments;
use crate::algo::patterns::single_rank::single_rank;
use crate::cost::{LinkModel, Terms, halving, moved, moved_and_reduced};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let all = 0..request.count;
    let (mine, result) = (input(all.clone()), output(all));
    let fold = Fold::new(request.size as usize);
    let segments = Segments::new(request.count, fold.active());
    let mut lane = LaneBuilder::default();
    match fold.role(request.rank as usize) {
        Role::Folded { into } => {
            lane.round(|round| round.send(identity(into), mine));
            lane.round(|round| round.receive(identity(into), result));
        }
        Role::Active { index, absorbed } => {
            if let Some(from) = absorbed {
                lane.round(|round| round.receive_reduce(identity(from), mine, result));
            }
            let rank_of = |number| identity(fold.rank_of(fold.nearest_first(number)));
            let cube = Hypercube { index: fold.nearest_first(index), active: fold.active(), rank_of };
            let place = |part| output(segments.range(part));
            let have = |first, part| match first && absorbed.is_none() {
                true => input(segments.range(part)),
                false => place(part),
            };
            cube.halve(&mut lane, have, place);
            cube.double(&mut lane, place);
            if let Some(to) = absorbed {
                lane.round(|round| round.send(identity(to), result));
            }
        }
    }
    plan(0, [lane])
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    let fold = Fold::new(request.size as usize);
    let active = fold.active() as f64;
    let (share, alpha) = ((active - 1.0) / active * t.bytes, link.latency_us);
    let both = |bytes| moved_and_reduced(link, bytes) + moved(link, bytes);
    let extra = if fold.is_needed() { 2.0 * alpha + both(t.bytes) } else { 0.0 };
    2.0 * f64::from(fold.rounds()) * alpha + halving(t.bytes) * both(share) + extra
}

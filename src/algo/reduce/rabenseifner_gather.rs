//! Rabenseifner's reduce: reduce_scatter by recursive halving, then a binomial gather of the segments.
//!
//! Works on virtual ranks, so that the root is 0 and stays active when ranks beyond a power of two fold into
//! a neighbour. The longest messages go to neighbours.
//!
//! Cost: 2 log2(p) alpha + (p-1)/p n (max(beta, gamma) + beta); with folding one more alpha + n max(beta,
//! gamma). Best for large messages among many ranks. Source: Rabenseifner 2004.

use crate::algo::patterns::binomial::Tree;
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan, scratch};
use crate::algo::patterns::fold::{Fold, Role};
use crate::algo::patterns::hypercube::Hypercube;
use crate::algo::patterns::rotation::Rotation;
use crate::algo::patterns::segments::Segments;
use crate::algo::patterns::single_rank::single_rank;
use crate::cost::{LinkModel, Terms, halving, moved, moved_and_reduced};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let ranks = Rotation::to_root(request);
    let vertex = ranks.virtual_of(request.rank);
    let fold = Fold::new(request.size as usize);
    let segments = Segments::new(request.count, fold.active());
    let mine = |part| input(segments.range(part));
    let partial = |part| match vertex {
        0 => output(segments.range(part)),
        _ => scratch(segments.range(part)),
    };
    let everything = 0..fold.active();
    let mut lane = LaneBuilder::default();
    match fold.role(vertex) {
        Role::Folded { into } => {
            lane.round(|round| round.send(ranks.real(into), mine(everything)));
            plan(0, [lane])
        }
        Role::Active { index, absorbed } => {
            if let Some(from) = absorbed {
                let all = || everything.clone();
                lane.round(|round| round.receive_reduce(ranks.real(from), mine(all()), partial(all())));
            }
            let number = fold.nearest_first(index);
            let rank_of = |number| ranks.real(fold.rank_of(fold.nearest_first(number)));
            let have = |first, part| if first && absorbed.is_none() { mine(part) } else { partial(part) };
            Hypercube { index: number, active: fold.active(), rank_of }.halve(&mut lane, have, partial);
            Tree { vertex: number, size: fold.active(), rank_of, wrap: fold.active() }
                .gather(&mut lane, partial);
            plan(if vertex == 0 { 0 } else { request.count }, [lane])
        }
    }
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    let fold = Fold::new(request.size as usize);
    let active = fold.active() as f64;
    let share = (active - 1.0) / active * t.bytes;
    let extra = if fold.is_needed() { link.latency_us + moved_and_reduced(link, t.bytes) } else { 0.0 };
    2.0 * f64::from(fold.rounds()) * link.latency_us
        + halving(t.bytes) * (moved_and_reduced(link, share) + moved(link, share))
        + extra
}

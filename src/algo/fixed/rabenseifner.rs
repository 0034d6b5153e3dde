//! Rabenseifner's all_reduce by the fixed tree: halving at doubling distance, then doubling at halving
//! distance.
//!
//! The first exchange is with the neighbour, so partial results grow along the fixed tree. The segments that
//! a rank keeps are one run in every round. Ranks beyond a power of two fold into a neighbour first and get
//! the result last.
//!
//! Cost: that of [`super::super::all_reduce::rabenseifner`].

use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::fold::{Fold, Role, identity};
use crate::algo::patterns::segments::Segments;
use crate::algo::patterns::single_rank::single_rank;
use crate::plan::{Plan, PlanRequest};

pub(super) fn build(request: &PlanRequest) -> Plan {
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
            // What is kept and what is given away in each round.
            let mut halves = Vec::new();
            let mut held = 0..fold.active();
            for bit in 0..fold.rounds() {
                let middle = held.start + held.len() / 2;
                let (low, high) = (held.start..middle, middle..held.end);
                let (kept, given) = if index & (1 << bit) == 0 { (low, high) } else { (high, low) };
                let have = |part| match bit == 0 && absorbed.is_none() {
                    true => input(segments.range(part)),
                    false => output(segments.range(part)),
                };
                let partner = identity(fold.rank_of(index ^ (1 << bit)));
                lane.round(|round| {
                    round.send(partner, have(given.clone()));
                    round.receive_reduce(partner, have(kept.clone()), output(segments.range(kept.clone())));
                });
                held = kept.clone();
                halves.push((partner, kept, given));
            }
            for (partner, kept, given) in halves.into_iter().rev() {
                lane.round(|round| {
                    round.send(partner, output(segments.range(kept)));
                    round.receive(partner, output(segments.range(given)));
                });
            }
            if let Some(to) = absorbed {
                lane.round(|round| round.send(identity(to), result));
            }
        }
    }
    plan(0, [lane])
}

//! Recursive doubling all_reduce: in round k, ranks at distance 2^k exchange all they have and reduce.
//!
//! After round k everybody in a block of 2^(k+1) ranks holds the reduction of the block, by the same
//! tree up to left and right. So all get the same bits. Ranks beyond a power of two fold into a
//! neighbour first and get the result last.
//!
//! Cost: log2(p) (alpha + n max(beta, gamma)); with folding alpha + n max(beta, gamma) before and
//! alpha + n beta after. Best for small messages among many ranks.
//! Source: Thakur, Rabenseifner and Gropp 2005.

use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::fold::{Fold, Role, identity};
use crate::algo::patterns::single_rank::single_rank;
use crate::cost::{LinkModel, Terms, moved, moved_and_reduced};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let all = 0..request.count;
    let (mine, result) = (input(all.clone()), output(all));
    let fold = Fold::new(request.size as usize);
    let mut lane = LaneBuilder::default();
    match fold.role(request.rank as usize) {
        Role::Folded { into } => {
            lane.round(|round| round.send(identity(into), mine));
            lane.round(|round| round.receive(identity(into), result));
        }
        Role::Active { index, absorbed } => {
            let mut have = mine;
            if let Some(from) = absorbed {
                lane.round(|round| round.receive_reduce(identity(from), mine, result));
                have = result;
            }
            for bit in 0..fold.rounds() {
                let partner = identity(fold.rank_of(index ^ (1 << bit)));
                lane.round(|round| {
                    round.send(partner, have);
                    round.receive_reduce(partner, have, result);
                });
                have = result;
            }
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
    let round = link.latency_us + moved_and_reduced(link, t.bytes);
    let extra = if fold.is_needed() { round + link.latency_us + moved(link, t.bytes) } else { 0.0 };
    f64::from(fold.rounds()) * round + extra
}

//! Reduce along the fixed tree: each rank reduces what its children send, and sends the result to its parent.
//!
//! The tree is that of [`super::super::reduce::binomial`], but its subtrees are those of the fixed tree for
//! every root. Cost: as there.

use super::holders::Holder;
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan, scratch};
use crate::algo::patterns::fold::identity;
use crate::algo::patterns::single_rank::single_rank;
use crate::plan::{Plan, PlanRequest};

pub(super) fn build(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let all = 0..request.count;
    let Holder { parent, children } =
        Holder::of(request.rank as usize, request.size as usize, request.root as usize);
    let partial = if parent.is_none() { output(all.clone()) } else { scratch(all.clone()) };
    let needs_scratch = parent.is_some() && !children.is_empty();
    let mut have = input(all);
    let mut lane = LaneBuilder::default();
    for child in children {
        lane.round(|round| round.receive_reduce(identity(child), have, partial));
        have = partial;
    }
    if let Some(parent) = parent {
        lane.round(|round| round.send(identity(parent), have));
    }
    plan(if needs_scratch { request.count } else { 0 }, [lane])
}

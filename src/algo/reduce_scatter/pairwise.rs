//! Pairwise reduce_scatter: in round s, each rank sends rank+s its block and reduces what rank-s sends.
//!
//! Only input is sent, so no round waits for an earlier result of another rank. The partial result stays in
//! the output, so there is no scratch.
//!
//! Cost, blocks of n bytes: (p-1) (alpha + n max(beta, gamma)). Best for large blocks.

use crate::algo::patterns::blocks::{Blocks, own_output};
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::fold::identity;
use crate::algo::patterns::single_rank::single_rank;
use crate::cost::{LinkModel, Terms, moved_and_reduced};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let (rank, size) = (request.rank as usize, request.size as usize);
    let blocks = Blocks::of_input(request);
    let result = output(own_output(request));
    let mut have = input(blocks.part(rank));
    let mut lane = LaneBuilder::default();
    for step in 1..size {
        let (to, from) = ((rank + step) % size, (rank + size - step) % size);
        lane.round(|round| {
            round.send(identity(to), input(blocks.part(to)));
            round.receive_reduce(identity(from), have, result);
        });
        have = result;
    }
    plan(0, [lane])
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    t.others() * (link.latency_us + moved_and_reduced(link, t.bytes))
}

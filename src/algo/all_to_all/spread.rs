//! Spread all_to_all: all messages at once, each its own.
//!
//! Sends are listed from rank+1 upwards and receives from rank-1 downwards, so at any time the ranks
//! aim at different receivers. In place, a block is sent from where its counterpart arrives.
//!
//! Cost, blocks of n bytes: alpha + (p-1) n beta, but 2(p-1) messages at once per rank. Best for middle
//! blocks. The block for each peer is written once, to it alone; one_shot writes once for all.

use super::own_copy;
use crate::algo::patterns::blocks::Blocks;
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::fold::identity;
use crate::cost::{LinkModel, Terms, burst, moved};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let (rank, size) = (request.rank as usize, request.size as usize);
    let (sent, received) = (Blocks::of_input(request), Blocks::of_output(request));
    let mut lane = LaneBuilder::of(request);
    lane.round(|round| {
        for distance in 1..size {
            let to = (rank + distance) % size;
            round.send(identity(to), input(sent.part(to)));
        }
        for distance in 1..size {
            let from = (rank + size - distance) % size;
            round.receive(identity(from), output(received.part(from)));
        }
    });
    plan(0, [lane].into_iter().chain(own_copy(request)))
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    burst(link, 2.0 * t.others()) + moved(link, t.others() * t.bytes)
}

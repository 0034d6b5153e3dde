//! Dissemination barrier: in round k, each rank signals the rank 2^k after it and waits for the one 2^k
//! before.
//!
//! After round k a rank has heard, directly or not, of the 2^(k+1) ranks up to itself. A signal is one
//! element of scratch; its content means nothing.
//!
//! Cost: log2(p) alpha. Source: Hensgen, Finkel and Manber, "Two algorithms for barrier
//! synchronization", 1988.

use crate::algo::patterns::builder::{LaneBuilder, plan, scratch};
use crate::algo::patterns::fold::identity;
use crate::cost::{LinkModel, Terms};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let (rank, size) = (request.rank as usize, request.size as usize);
    let mut lane = LaneBuilder::default();
    let mut distance = 1;
    while distance < size {
        lane.round(|round| {
            round.send(identity((rank + distance) % size), scratch(0..1));
            round.receive(identity((rank + size - distance) % size), scratch(1..2));
        });
        distance *= 2;
    }
    plan(if size > 1 { 2 } else { 0 }, [lane])
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    Terms::of(request).log * link.latency_us
}

//! Scan by recursive doubling: each rank sends what it holds to the rank at distance 1, 2, 4 and so on above
//! it.
//!
//! Before the round with distance d, each rank holds the reduction of its own input and those of the d-1
//! ranks before it. It receives the adjoining run from the left into scratch, and combines it as the left
//! operand. An exclusive scan keeps a second run without the own input, which becomes the result. Its first
//! received message already is that run.
//!
//! Source: Hillis and Steele, "Data parallel algorithms", 1986.
//!
//! Cost: log2(p) (alpha + n (beta + gamma)), twice the gamma if exclusive. Best for small messages. Scratch
//! n, 2 n if exclusive.

use super::is_exclusive;
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan, scratch};
use crate::algo::patterns::fold::identity;
use crate::algo::patterns::single_rank::single_rank;
use crate::cost::{LinkModel, Terms, moved, reduced};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    if is_exclusive(request) { exclusive(request) } else { inclusive(request) }
}

/// The distances 1, 2, 4 and so on, below the number of ranks.
fn distances(request: &PlanRequest) -> impl Iterator<Item = usize> {
    let size = request.size as usize;
    std::iter::successors(Some(1), |distance| Some(2 * distance)).take_while(move |distance| *distance < size)
}

fn inclusive(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let (rank, size) = (request.rank as usize, request.size as usize);
    let (slot, result) = (scratch(0..request.count), output(0..request.count));
    let mut run = input(0..request.count);
    let mut lane = LaneBuilder::default();
    for distance in distances(request) {
        let arrives = rank >= distance;
        lane.round(|round| {
            if rank + distance < size {
                round.send(identity(rank + distance), run);
            }
            if arrives {
                round.receive(identity(rank - distance), slot);
            }
        });
        if arrives {
            lane.round(|round| round.reduce(slot, run, result));
            run = result;
        }
    }
    let own = (rank == 0 && !request.in_place).then(|| LaneBuilder::copy(run, result));
    plan(if rank == 0 { 0 } else { request.count }, [lane].into_iter().chain(own))
}

fn exclusive(request: &PlanRequest) -> Plan {
    let (rank, size, count) = (request.rank as usize, request.size as usize, request.count);
    let (slot, kept, result) = (scratch(0..count), scratch(count..2 * count), output(0..count));
    let mut run = input(0..count);
    let mut lane = LaneBuilder::default();
    if request.in_place && rank > 0 && rank + 1 < size {
        // The result would overwrite the own input.
        lane.round(|round| round.copy(run, kept));
        run = kept;
    }
    for distance in distances(request) {
        let arrives = rank >= distance;
        let arrival = if distance == 1 { result } else { slot };
        lane.round(|round| {
            if rank + distance < size {
                round.send(identity(rank + distance), run);
            }
            if arrives {
                round.receive(identity(rank - distance), arrival);
            }
        });
        if arrives {
            let is_sent = rank + 2 * distance < size;
            lane.round(|round| {
                if is_sent {
                    round.reduce(arrival, run, kept);
                }
                if distance > 1 {
                    round.reduce(slot, result, result);
                }
            });
            run = if is_sent { kept } else { run };
        }
    }
    plan(if rank == 0 { 0 } else { 2 * count }, [lane])
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    let reductions = if is_exclusive(request) { 2.0 } else { 1.0 };
    t.log * (link.latency_us + moved(link, t.bytes) + reduced(link, reductions * t.bytes))
}

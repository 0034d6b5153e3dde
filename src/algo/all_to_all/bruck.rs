//! Bruck's all_to_all: a block that must travel d ranks does so in the jumps that are the bits of d.
//!
//! Block d of rank r (for rank r+d) goes, in round k, to rank r+2^k if bit k of d is set, together with
//! all other blocks of that kind. Instead of rotating, sending and rotating back, the plan remembers
//! where each block lies: in the input until its first jump, then where its last jump left it. So a
//! block is copied once per jump, to pack it, and once to its place in the output.
//!
//! Cost, blocks of n bytes: log2(p) alpha + p/2 log2(p) n beta, and as many local copies; scratch
//! p/2 (log2(p) + 1) n. Best for the smallest blocks among many ranks. Source: Bruck et al. 1997.

use super::{blocks, own_copy};
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan, scratch};
use crate::algo::patterns::fold::identity;
use crate::cost::{LinkModel, Terms, moved};
use crate::plan::{Plan, PlanRequest, Span};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let (rank, size, count) = (request.rank as usize, request.size as usize, request.count);
    let blocks = blocks(request);
    let slot = |first: usize, number: usize| scratch(first * count..(first + number) * count);
    // The place of the block that has `distance` to travel in total.
    let mut places: Vec<Span> =
        (0..size).map(|distance| input(blocks.part((rank + distance) % size))).collect();
    // The first slots pack what is sent, the others keep what has arrived. No round moves more than half of
    // the blocks; the round of bit 0 moves the most.
    let mut used = jumping(0, size).count();
    let mut lane = LaneBuilder::default();
    let mut jump = 1;
    while jump < size {
        let moving: Vec<usize> = jumping(jump.ilog2(), size).collect();
        let (to, from) = ((rank + jump) % size, (rank + size - jump) % size);
        lane.round(|round| {
            for (index, &distance) in moving.iter().enumerate() {
                round.copy(places[distance], slot(index, 1));
            }
            round.send(identity(to), slot(0, moving.len()));
            round.receive(identity(from), slot(used, moving.len()));
        });
        for (index, &distance) in moving.iter().enumerate() {
            places[distance] = slot(used + index, 1);
        }
        used += moving.len();
        jump *= 2;
    }
    lane.round(|round| {
        for (distance, &place) in places.iter().enumerate().skip(1) {
            round.copy(place, output(blocks.part((rank + size - distance) % size)));
        }
    });
    plan(used * count, [lane].into_iter().chain(own_copy(request)))
}

/// Distances below `size` that contain the jump 2^`bit`.
fn jumping(bit: u32, size: usize) -> impl Iterator<Item = usize> {
    (1..size).filter(move |distance| distance >> bit & 1 == 1)
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    // Packing costs about as much as moving.
    t.log * (link.latency_us + 2.0 * moved(link, t.size / 2.0 * t.bytes))
}

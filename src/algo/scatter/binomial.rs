//! Binomial tree scatter: each rank receives the blocks of its subtree and passes on those of its
//! children.
//!
//! The blocks of a subtree are consecutive in virtual ranks. The root sends straight from its input;
//! the one message that wraps round the end of it is sent as two. Leaves receive straight into the
//! output.
//!
//! Cost, blocks of n bytes: log2(p) alpha + (p-1) n beta on the longest path; scratch up to p/2 n. All
//! blocks but those of the root's children move at least twice, which the prediction adds: other ranks
//! compete for the same memory or wire. Best for small blocks and many ranks.

use super::{blocks, own_copy};
use crate::algo::patterns::binomial::{Tree, subtree};
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan, scratch, shifted};
use crate::algo::patterns::rotation::Rotation;
use crate::cost::{LinkModel, Terms, moved};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let (size, count) = (request.size as usize, request.count);
    let blocks = blocks(request);
    let ranks = Rotation::to_root(request);
    let vertex = ranks.virtual_of(request.rank);
    let tree = Tree { vertex, size, rank_of: |vertex| ranks.real(vertex), wrap: ranks.wrap() };
    let below = subtree(vertex, size);
    let mut lane = LaneBuilder::default();
    if vertex == 0 {
        // Pieces do not wrap, so their first block says where they lie.
        tree.scatter(&mut lane, |piece| {
            let first = blocks.part(ranks.real(piece.start) as usize).start;
            input(shifted(0..piece.len() * count, first))
        });
        plan(0, [lane].into_iter().chain(own_copy(request)))
    } else if below.len() == 1 {
        tree.scatter(&mut lane, |piece| output(0..piece.len() * count));
        plan(0, [lane])
    } else {
        let place = |piece: std::ops::Range<usize>| {
            scratch((piece.start - vertex) * count..(piece.end - vertex) * count)
        };
        tree.scatter(&mut lane, place);
        lane.round(|round| round.copy(place(vertex..vertex + 1), output(0..count)));
        plan(below.len() * count, [lane])
    }
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    let twice = (t.others() - t.log).max(0.0);
    t.log * link.latency_us + moved(link, (t.others() + twice) * t.bytes)
}

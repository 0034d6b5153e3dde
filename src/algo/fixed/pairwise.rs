//! Pairwise reduce_scatter by the fixed tree: one partner per round, nearest subtree first.
//!
//! Ranks beyond a power of two form leaves of two with a neighbour, as in `patterns::fold`. In round x, a
//! rank exchanges blocks with the leaf whose index differs from its own by x, in binary without carry. So
//! contributions arrive in the order in which the fixed tree combines them. A stack holds partial results:
//! equal subtrees are combined as soon as both are there. Its bottom is the result. Where both leaves have
//! two ranks, they meet crosswise in two rounds.
//!
//! Cost, blocks of n bytes: (p-1) (alpha + n max(beta, gamma)), and n gamma for every second one. Scratch
//! log2(p) n. Best for large blocks.

use crate::algo::patterns::blocks::{Blocks, own_output};
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan, scratch, shifted};
use crate::algo::patterns::fold::{Fold, Role, identity};
use crate::algo::patterns::single_rank::single_rank;
use crate::cost::{LinkModel, Terms, moved_and_reduced, reduced};
use crate::plan::{Plan, PlanRequest, Span};

pub(super) fn build(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let fold = Fold::new(request.size as usize);
    let rank = request.rank as usize;
    let index = match fold.role(rank) {
        Role::Active { index, .. } => index,
        Role::Folded { into } => match fold.role(into) {
            Role::Active { index, .. } => index,
            Role::Folded { .. } => unreachable!("ranks fold into active ones"),
        },
    };
    let blocks = Blocks::of_input(request);
    let result = output(own_output(request));
    let mut stack = Stack { lane: LaneBuilder::default(), result, places: Vec::new(), most: 0 };
    let sent = |to: usize| input(blocks.part(to));
    stack.places.push(input(blocks.part(rank)));
    for distance in 0..fold.active() {
        let mine = fold.ranks_of(index..index + 1);
        let theirs = fold.ranks_of(index ^ distance..(index ^ distance) + 1);
        let is_second = rank > mine.start;
        let partners: Vec<usize> = match (distance, theirs.len()) {
            (0, _) => theirs.filter(|other| *other != rank).collect(),
            // The second of two begins with the second.
            (_, 2) if is_second => theirs.rev().collect(),
            _ => theirs.collect(),
        };
        let completes_leaf = |at: usize| at > 0 || distance == 0;
        for (at, &partner) in partners.iter().enumerate() {
            // A single rank is the other half of what lies on top, if the index is odd.
            let joins_top = completes_leaf(at) || partners.len() == 1 && distance % 2 == 1;
            stack.exchange(partner, sent(partner), joins_top);
        }
        let joined = if partners.len() == 1 && distance % 2 == 1 { 1 } else { 0 };
        for _ in joined..distance.trailing_ones() {
            stack.combine();
        }
    }
    plan(stack.most * result.len, [stack.lane])
}

/// Partial results, the latest on top.
struct Stack {
    lane: LaneBuilder,
    result: Span,
    /// Where each lies: at the bottom the own input at first, then the result; above it slots of scratch.
    places: Vec<Span>,
    /// The most slots.
    most: usize,
}

impl Stack {
    /// Exchanges blocks with a partner. What arrives is reduced with what lies on top, or put there.
    fn exchange(&mut self, partner: usize, sent: Span, joins_top: bool) {
        let partner = identity(partner);
        if !joins_top {
            let slot = self.places.len() - 1;
            self.most = self.most.max(slot + 1);
            let place = scratch(shifted(0..self.result.len, slot * self.result.len));
            self.places.push(place);
            self.lane.round(|round| {
                round.send(partner, sent);
                round.receive(partner, place);
            });
            return;
        }
        let (top, place) = self.replace_top();
        self.lane.round(|round| {
            round.send(partner, sent);
            round.receive_reduce(partner, top, place);
        });
    }

    /// Combines the two on top.
    fn combine(&mut self) {
        let right = self.places.pop().expect("two partial results");
        let (left, place) = self.replace_top();
        self.lane.round(|round| round.reduce(left, right, place));
    }

    /// What lies on top, and where its successor goes.
    fn replace_top(&mut self) -> (Span, Span) {
        let is_bottom = self.places.len() == 1;
        let top = self.places.last_mut().expect("the own contribution is never taken away");
        let old = *top;
        if is_bottom {
            *top = self.result;
        }
        (old, *top)
    }
}

pub(super) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    let apart = (0.5 * t.size - 1.0).max(0.0);
    t.others() * (link.latency_us + moved_and_reduced(link, t.bytes)) + apart * reduced(link, t.bytes)
}

//! Direct exchange between neighbours: each edge is one message, all at once.
//!
//! Two ranks may have several edges in one direction. These match in the order in which each rank lists them.
//! An edge from a rank to itself is a copy.
//!
//! Cost, blocks of n bytes to d neighbours: alpha + d n beta.

use crate::algo::patterns::blocks::{Blocks, own_input};
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::base::{Collective, Rank};
use crate::cost::{LinkModel, burst};
use crate::plan::{Plan, PlanRequest, Span};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let (sources, destinations) = (request.layout.sources, request.layout.destinations);
    let received = Blocks::of_output(request);
    let sent = |index: usize| match request.collective {
        Collective::NeighborAllGatherV => input(own_input(request)),
        _ => input(Blocks::of_input(request).part(index)),
    };
    let mut lane = LaneBuilder::of(request);
    lane.round(|round| {
        for (index, &to) in destinations.iter().enumerate().filter(|(_, to)| **to != request.rank) {
            round.send(to, sent(index));
        }
        for (index, &from) in sources.iter().enumerate().filter(|(_, from)| **from != request.rank) {
            round.receive(from, output(received.part(index)));
        }
    });
    let from_oneself = places(destinations, request.rank).map(sent);
    let to_oneself = places(sources, request.rank).map(|index| output(received.part(index)));
    let own: Vec<(Span, Span)> = from_oneself.zip(to_oneself).collect();
    plan(0, [lane].into_iter().chain(own.into_iter().map(|(src, dst)| LaneBuilder::copy(src, dst))))
}

/// Positions of a rank in a list.
fn places(ranks: &[Rank], wanted: Rank) -> impl Iterator<Item = usize> {
    ranks.iter().enumerate().filter(move |(_, rank)| **rank == wanted).map(|(index, _)| index)
}

/// All that every rank knows of the graph is that it has at most one edge for each pair.
pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    burst(link, 2.0 * (f64::from(request.size) - 1.0))
}

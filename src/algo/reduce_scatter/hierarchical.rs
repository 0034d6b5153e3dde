//! Hierarchical reduce_scatter: each block is reduced within every host first, then between hosts by its
//! owner.
//!
//! The blocks of the ranks with the same position on their hosts form a column. On each host, the column's
//! carrier reduces the host's contributions to these blocks, and sends each partial result to the block's
//! owner. The owner reduces one from each host. So a block crosses the wire once per other host, the least
//! possible.
//!
//! Cost, h hosts of l ranks, blocks of n bytes: alpha + (l-1) h n (beta + gamma) within a host, then alpha
//! and (h-1) l n beta over its wire, and (h-1) n gamma. Scratch up to (l+1) h n.

use super::super::reduce::one_shot;
use crate::algo::hierarchy::compose::{Composition, GroupCall};
use crate::algo::hierarchy::hosts::{Hosts, runs};
use crate::algo::patterns::blocks::{Blocks, own_output};
use crate::algo::patterns::builder::{input, output};
use crate::algo::patterns::single_rank::single_rank;
use crate::base::{Collective, Rank};
use crate::cost::{Paths, Terms, burst, collected, moved, reduced};
use crate::plan::{Plan, PlanRequest, Span};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    build_of(request, one_shot::build, one_shot::build)
}

/// Builds the plan with given reduces: for the ranks of a host, and for ranks of different hosts. Their plans
/// must have one round of messages.
pub(in crate::algo) fn build_of(
    request: &PlanRequest,
    within: fn(&PlanRequest) -> Plan,
    between: fn(&PlanRequest) -> Plan,
) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let hosts = Hosts::of(request);
    let blocks = Blocks::of_input(request);
    let size = request.size as usize;
    let me = request.rank as usize;
    let result = output(own_output(request));
    // In place the own block has two names. A call is in place if both of its buffers have the same name.
    let own = |run: std::ops::Range<usize>| match request.in_place && run == (me..me + 1) {
        true => result,
        false => input(blocks.range(run)),
    };
    let mut composition = Composition::new(request);
    // The host's contribution to each block that this rank carries: its only input, or a partial result.
    let mut partials: Vec<Span> = (0..size).map(|block| own(block..block + 1)).collect();
    if hosts.local().len() > 1 {
        let carried = |block| hosts.column(block as Rank) % hosts.local().len();
        // With one host, the partial result is the result: every block goes straight to its place,
        // separately.
        let by_itself = hosts.count() == 1 || blocks.lie_apart();
        let label = |block: usize| Some((carried(block), if by_itself { block } else { 0 }));
        let mut calls = Vec::new();
        for ((root, _), run) in runs(size, label) {
            let mine = hosts.local()[root] == request.rank;
            let kept = match mine {
                true if hosts.count() == 1 => result,
                true => composition.reserve(blocks.range(run.clone()).len()),
                false => own(run.clone()),
            };
            for block in run.clone().filter(|_| mine) {
                let len = blocks.part(block).len();
                partials[block] = Span { offset: kept.offset + (block - run.start) * len, len, ..kept };
            }
            calls.push(GroupCall {
                collective: Collective::Reduce,
                build: within,
                group: hosts.local().to_vec(),
                root,
                count: blocks.range(run.clone()).len(),
                input: own(run),
                output: kept,
            });
        }
        composition.side_by_side(calls);
    }
    if hosts.count() > 1 {
        reduce_between_hosts(&hosts, between, &partials, result, &mut composition);
    }
    composition.finish([])
}

/// Each carrier sends the partial results of its column to their owners, which reduce one from each host.
fn reduce_between_hosts(
    hosts: &Hosts,
    reduce: fn(&PlanRequest) -> Plan,
    partials: &[Span],
    result: Span,
    composition: &mut Composition,
) {
    let owners = hosts.local().iter().copied().chain(hosts.foreign());
    let carried = owners.filter(|&owner| hosts.carry(hosts.column(owner)));
    composition.side_by_side(carried.map(|owner| GroupCall {
        collective: Collective::Reduce,
        build: reduce,
        group: hosts.carriers(hosts.column(owner)),
        root: hosts.host_of(owner),
        count: partials[owner as usize].len,
        input: partials[owner as usize],
        output: result,
    }));
}

pub(in crate::algo) fn cost(request: &PlanRequest, paths: &Paths) -> f64 {
    cost_of(request, paths, |bytes| bytes)
}

/// The cost if so many bytes travel between hosts as other bytes.
pub(in crate::algo) fn cost_of(request: &PlanRequest, paths: &Paths, travel_as: fn(f64) -> f64) -> f64 {
    let hosts = Hosts::of(request);
    let t = Terms::of(request);
    let (abroad, peers) = (hosts.count() as f64 - 1.0, hosts.most() as f64 - 1.0);
    let local = peers / (peers + 1.0) * t.size * t.bytes;
    let crossing = (t.size - hosts.fewest() as f64) * t.bytes;
    burst(&paths.local, peers)
        + collected(&paths.local, peers, local)
        + burst(&paths.remote, abroad)
        + moved(&paths.remote, travel_as(crossing))
        + reduced(&paths.remote, abroad * t.bytes)
}

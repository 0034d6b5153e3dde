//! Hierarchical scatter of unequal blocks: the root sends each host its blocks as one parcel, and the first
//! rank there hands them out.
//!
//! It works like the one for equal blocks ([`super::hierarchical`]), after the ranks of each host have
//! exchanged the lengths of their blocks ([`crate::algo::hierarchy::length_exchange`]). The root knows all
//! lengths. Long blocks go directly. If the blocks of a host lie side by side in the root's input, the parcel
//! is a part of it. Otherwise the root packs it.
//!
//! Cost, h hosts of l ranks, blocks of n bytes: alpha for the length exchange, then alpha + (h-1) l n beta
//! out of the root's host, with one message per host, then alpha + (l-1) n beta within a host.

use super::super::gather;
use super::own_copy;
use crate::algo::hierarchy::compose::Composition;
use crate::algo::hierarchy::hosts::Hosts;
use crate::algo::hierarchy::parcels::is_parcel;
use crate::algo::patterns::blocks::{Blocks, own_output};
use crate::algo::patterns::builder::{input, output};
use crate::cost::Paths;
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let hosts = Hosts::of(request);
    let mut composition = Composition::new(request);
    let own = output(own_output(request));
    let leader = hosts.local()[0];
    if request.rank == request.root {
        distribute(request, &hosts, &mut composition);
    } else if hosts.own() == hosts.host_of(request.root) {
        composition.round(|round| round.receive(request.root, own));
    } else if hosts.local().len() == 1 || !is_parcel(request, request.layout.host_lengths.iter().copied()) {
        composition.round(|round| round.receive(request.root, own));
    } else if request.rank != leader {
        composition.round(|round| round.receive(leader, own));
    } else {
        let parcel = composition.reserve(request.layout.host_lengths.iter().sum());
        composition.round(|round| round.receive(request.root, parcel));
        composition.round(|round| {
            let mut end = 0;
            for (&to, &len) in hosts.local().iter().zip(request.layout.host_lengths) {
                let part = parcel.part(end, len);
                match to == leader {
                    true => round.copy(part, own),
                    false => round.send(to, part),
                }
                end += len;
            }
        });
    }
    composition.finish(own_copy(request))
}

/// The root's part.
fn distribute(request: &PlanRequest, hosts: &Hosts, composition: &mut Composition) {
    let blocks = Blocks::of_input(request);
    let lens = |host| hosts.members(host).iter().map(|&to| blocks.part(to as usize).len());
    let (in_parcels, direct): (Vec<usize>, Vec<usize>) =
        hosts.others().partition(|&host| is_parcel(request, lens(host)));
    let parcels: Vec<_> = in_parcels
        .into_iter()
        .map(|host| match blocks.side_by_side(hosts.members(host)) {
            Some(range) => (host, input(range), false),
            None => (host, composition.reserve(lens(host).sum()), true),
        })
        .collect();
    composition.round(|round| {
        for &(host, parcel, _) in parcels.iter().filter(|(_, _, is_packed)| *is_packed) {
            let mut end = 0;
            for &to in hosts.members(host) {
                let block = input(blocks.part(to as usize));
                round.copy(block, parcel.part(end, block.len));
                end += block.len;
            }
        }
        for &to in direct.iter().flat_map(|&host| hosts.members(host)) {
            round.send(to, input(blocks.part(to as usize)));
        }
        for &(host, parcel, _) in &parcels {
            round.send(hosts.members(host)[0], parcel);
        }
        for to in hosts.neighbours() {
            round.send(to, input(blocks.part(to as usize)));
        }
    });
}

pub(in crate::algo) fn cost(request: &PlanRequest, paths: &Paths) -> f64 {
    // The same messages as those of a gather, the other way.
    gather::hierarchical_v::cost(request, paths)
}

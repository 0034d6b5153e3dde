//! Hierarchical gather of unequal blocks: each host collects its blocks and sends them to the root as one
//! parcel.
//!
//! It works like the one for equal blocks ([`super::hierarchical`]), after the ranks of each host have
//! exchanged the lengths of their blocks ([`crate::algo::hierarchy::length_exchange`]). The root knows all
//! lengths. Long blocks go directly. If the blocks of a host lie side by side in the root's output, the
//! parcel arrives in its place. Otherwise the root sorts it.
//!
//! Cost, h hosts of l ranks, blocks of n bytes: alpha for the length exchange, then alpha + (l-1) n beta
//! within a host, then alpha + (h-1) l n beta into the root's, with one message per host.

use super::{hierarchical, own_copy};
use crate::algo::hierarchy::compose::Composition;
use crate::algo::hierarchy::hosts::Hosts;
use crate::algo::hierarchy::parcels::is_parcel;
use crate::algo::patterns::blocks::{Blocks, own_input};
use crate::algo::patterns::builder::{input, output};
use crate::cost::{Paths, burst};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let hosts = Hosts::of(request);
    let mut composition = Composition::new(request);
    let own = input(own_input(request));
    let leader = hosts.local()[0];
    if request.rank == request.root {
        collect(request, &hosts, &mut composition);
    } else if hosts.own() == hosts.host_of(request.root) {
        composition.round(|round| round.send(request.root, own));
    } else if hosts.local().len() == 1 || !is_parcel(request, request.layout.host_lengths.iter().copied()) {
        composition.round(|round| round.send(request.root, own));
    } else if request.rank != leader {
        composition.round(|round| round.send(leader, own));
    } else {
        let parcel = composition.reserve(request.layout.host_lengths.iter().sum());
        composition.round(|round| {
            let mut end = 0;
            for (&from, &len) in hosts.local().iter().zip(request.layout.host_lengths) {
                let place = parcel.part(end, len);
                match from == leader {
                    true => round.copy(own, place),
                    false => round.receive(from, place),
                }
                end += len;
            }
        });
        composition.round(|round| round.send(request.root, parcel));
    }
    composition.finish(own_copy(request))
}

/// The root's part.
fn collect(request: &PlanRequest, hosts: &Hosts, composition: &mut Composition) {
    let blocks = Blocks::of_output(request);
    let lens = |host| hosts.members(host).iter().map(|&from| blocks.part(from as usize).len());
    let (in_parcels, direct): (Vec<usize>, Vec<usize>) =
        hosts.others().partition(|&host| is_parcel(request, lens(host)));
    let parcels: Vec<_> = in_parcels
        .into_iter()
        .map(|host| match blocks.side_by_side(hosts.members(host)) {
            Some(range) => (host, output(range), false),
            None => (host, composition.reserve(lens(host).sum()), true),
        })
        .collect();
    composition.round(|round| {
        for from in hosts.neighbours() {
            round.receive(from, output(blocks.part(from as usize)));
        }
        for &from in direct.iter().flat_map(|&host| hosts.members(host)) {
            round.receive(from, output(blocks.part(from as usize)));
        }
        for &(host, parcel, _) in &parcels {
            round.receive(hosts.members(host)[0], parcel);
        }
    });
    composition.round(|round| {
        for &(host, parcel, _) in parcels.iter().filter(|(_, _, is_unsorted)| *is_unsorted) {
            let mut end = 0;
            for &from in hosts.members(host) {
                let place = output(blocks.part(from as usize));
                round.copy(parcel.part(end, place.len), place);
                end += place.len;
            }
        }
    });
}

pub(in crate::algo) fn cost(request: &PlanRequest, paths: &Paths) -> f64 {
    // The length exchange is one message of each rank to each of its host.
    burst(&paths.local, Hosts::of(request).most() as f64 - 1.0) + hierarchical::cost(request, paths)
}

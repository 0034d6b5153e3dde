//! Hierarchical all_to_all of unequal blocks: what a host sends to one rank of another host goes as one parcel.
//!
//! As the one of equal blocks ([`super::hierarchical`]), once the ranks of each host have told each other how long their
//! blocks are ([`crate::algo::hierarchy::length_exchange`]). Long ones go directly. Who receives a parcel knows the lengths of its blocks, and sorts them into their
//! places: these may be anywhere.
//!
//! Cost, h hosts of l ranks, blocks of n bytes: alpha for the survey, then alpha (for h (l-1) messages) + h (l-1) n beta within a
//! host, then alpha and (h-1) l^2 n beta over its wire. Scratch 2 (h-1) l n.

use super::{hierarchical, own_copy};
use crate::algo::hierarchy::compose::Composition;
use crate::algo::hierarchy::hosts::Hosts;
use crate::algo::hierarchy::parcels::is_parcel;
use crate::algo::patterns::blocks::Blocks;
use crate::algo::patterns::builder::{input, output};
use crate::base::Rank;
use crate::cost::{Paths, burst};
use crate::plan::{Plan, PlanRequest, Span};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let hosts = Hosts::of(request);
    let (sent, received) = (Blocks::of_input(request), Blocks::of_output(request));
    let sent = |to: Rank| input(sent.part(to as usize));
    let received = |from: Rank| output(received.part(from as usize));
    let mut composition = Composition::new(request);

    // What this host has for each rank elsewhere: long blocks go directly, others in parcels.
    let foreign: Vec<Rank> = hosts.foreign().collect();
    let locals = hosts.local().len();
    let told = |local: usize, at: usize| request.layout.told[local * foreign.len() + at];
    let lens = |at: usize| (0..locals).map(move |local| told(local, at));
    let (packed, direct): (Vec<usize>, Vec<usize>) =
        (0..foreign.len()).partition(|&at| is_parcel(request, lens(at)));
    let carrier = |at: usize| hosts.carrier(hosts.own(), hosts.column(foreign[at]));
    let carried = packed.iter().copied().filter(|&at| carrier(at) == request.rank);
    let parcels: Vec<(usize, Span)> = carried.map(|at| (at, composition.reserve(lens(at).sum()))).collect();
    composition.round(|round| {
        for &(at, parcel) in &parcels {
            let mut end = 0;
            for (local, &from) in hosts.local().iter().enumerate() {
                let place = parcel.part(end, told(local, at));
                match from == request.rank {
                    true => round.copy(sent(foreign[at]), place),
                    false => round.receive(from, place),
                }
                end += place.len;
            }
        }
        for &at in packed.iter().filter(|&&at| carrier(at) != request.rank) {
            round.send(carrier(at), sent(foreign[at]));
        }
        for peer in hosts.neighbours() {
            round.send(peer, sent(peer));
            round.receive(peer, received(peer));
        }
    });

    let column = hosts.column(request.rank);
    let lens = |host| hosts.members(host).iter().map(|&from| received(from).len);
    let (in_parcels, by_block): (Vec<usize>, Vec<usize>) =
        hosts.others().partition(|&host| is_parcel(request, lens(host)));
    let arriving: Vec<(usize, Span)> = in_parcels
        .into_iter()
        .map(|host| match hosts.members(host) {
            &[from] => (host, received(from)),
            _ => (host, composition.reserve(lens(host).sum())),
        })
        .collect();
    composition.round(|round| {
        for &at in &direct {
            round.send(foreign[at], sent(foreign[at]));
        }
        for &from in by_block.iter().flat_map(|&host| hosts.members(host)) {
            round.receive(from, received(from));
        }
        for &(at, parcel) in &parcels {
            round.send(foreign[at], parcel);
        }
        for &(host, parcel) in &arriving {
            round.receive(hosts.carrier(host, column), parcel);
        }
    });
    composition.round(|round| {
        for &(host, parcel) in arriving.iter().filter(|(host, _)| hosts.members(*host).len() > 1) {
            let mut end = 0;
            for &from in hosts.members(host) {
                let place = received(from);
                round.copy(parcel.part(end, place.len), place);
                end += place.len;
            }
        }
    });
    composition.finish(own_copy(request))
}

pub(in crate::algo) fn cost(request: &PlanRequest, paths: &Paths) -> f64 {
    // What is asked before is one message between any two ranks of a host.
    burst(&paths.local, Hosts::of(request).most() as f64 - 1.0) + hierarchical::cost(request, paths)
}

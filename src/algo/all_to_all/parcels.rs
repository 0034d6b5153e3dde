//! Hierarchical all_to_all of unequal blocks: what a host sends to one rank of another host goes as one parcel.
//!
//! As the one of equal blocks ([`super::hierarchical`]), once the carriers of each host have been told how long the blocks are that they
//! collect ([`super::super::survey`]). Who receives a parcel knows the lengths of its blocks, and sorts them into their
//! places: these may be anywhere.
//!
//! Cost, h hosts of l ranks, blocks of n bytes: alpha for the survey, then alpha (for h (l-1) messages) + h (l-1) n beta within a
//! host, then alpha and (h-1) l^2 n beta over its wire. Scratch 2 (h-1) l n.

use super::super::blocks::Blocks;
use super::super::builder::{input, output};
use super::super::compose::Composition;
use super::super::cost::burst;
use super::super::hosts::Hosts;
use super::super::survey::carried;
use super::{hierarchical, own_copy};
use crate::base::Rank;
use crate::plan::{Plan, PlanRequest, Span};
use crate::tuning::Paths;

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let hosts = Hosts::of(request);
    let (sent, received) = (Blocks::of_input(request), Blocks::of_output(request));
    let sent = |to: Rank| input(sent.part(to as usize));
    let received = |from: Rank| output(received.part(from as usize));
    let mut composition = Composition::new(request);

    // For each rank elsewhere that this one carries for: the blocks of this host, and how long they are.
    let carried = carried(&hosts, request.rank);
    let told = |local: usize, at: usize| request.layout.told[local * carried.len() + at];
    let locals = hosts.local().len();
    let parcels: Vec<Span> = (0..carried.len())
        .map(|at| composition.reserve((0..locals).map(|local| told(local, at)).sum()))
        .collect();
    composition.round(|round| {
        for (at, (&to, parcel)) in carried.iter().zip(&parcels).enumerate() {
            let mut end = 0;
            for (local, &from) in hosts.local().iter().enumerate() {
                let place = parcel.part(end, told(local, at));
                match from == request.rank {
                    true => round.copy(sent(to), place),
                    false => round.receive(from, place),
                }
                end += place.len;
            }
        }
        for to in hosts.ranks().filter(|&to| hosts.host_of(to) != hosts.own()) {
            let carrier = hosts.carrier(hosts.own(), hosts.column(to));
            if carrier != request.rank {
                round.send(carrier, sent(to));
            }
        }
        for peer in hosts.neighbours() {
            round.send(peer, sent(peer));
            round.receive(peer, received(peer));
        }
    });

    let column = hosts.column(request.rank);
    let arriving: Vec<(usize, Span)> = hosts
        .others()
        .map(|host| match hosts.members(host) {
            &[from] => (host, received(from)),
            many => (host, composition.reserve(many.iter().map(|&from| received(from).len).sum())),
        })
        .collect();
    composition.round(|round| {
        for (&to, &parcel) in carried.iter().zip(&parcels) {
            round.send(to, parcel);
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

//! Hierarchical all_to_all: all blocks of a host for one rank of another host travel as one message.
//!
//! On every host, the blocks for a rank elsewhere are collected by the carrier of that rank's column, which
//! sends them on together. So two hosts of l ranks exchange l messages of l blocks each way, instead of l^2
//! messages of one block. All local ranks share the work, and blocks need no further step at their
//! destination. Blocks within the host are exchanged while others are collected.
//!
//! A collected block is received at the place from which it is sent. The arriving blocks lie in rank order of
//! their host. If those ranks are consecutive, that is their place in the output; otherwise they are sorted.
//!
//! Cost, h hosts of l ranks, blocks of n bytes: alpha (for h (l-1) messages) + h (l-1) n beta within a host,
//! then alpha and (h-1) l^2 n beta over its wire. Scratch (h-1) l n, twice that where ranks are not
//! consecutive.

use super::{blocks, own_copy};
use crate::algo::hierarchy::compose::Composition;
use crate::algo::hierarchy::hosts::Hosts;
use crate::algo::patterns::builder::{RoundBuilder, input, output};
use crate::base::Rank;
use crate::cost::{Paths, Terms, burst, moved};
use crate::plan::{Plan, PlanRequest, Span};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let hosts = Hosts::of(request);
    let blocks = blocks(request);
    let block = |rank: Rank| blocks.part(rank as usize);
    let carrier = |to: Rank| hosts.carrier(hosts.own(), hosts.column(to));
    let foreign: Vec<Rank> = hosts.foreign().collect();
    let mut composition = Composition::new(request);

    // The blocks of this host for each rank elsewhere that this rank carries for.
    let width = hosts.local().len() * request.count;
    let carried = foreign.iter().copied().filter(|&to| carrier(to) == request.rank);
    let parcels: Vec<(Rank, Span)> = carried.map(|to| (to, composition.reserve(width))).collect();
    composition.round(|round| {
        for &(to, parcel) in &parcels {
            collect(round, request, &hosts, input(block(to)), parcel);
        }
        for &to in foreign.iter().filter(|&&to| carrier(to) != request.rank) {
            round.send(carrier(to), input(block(to)));
        }
        for peer in hosts.neighbours() {
            round.send(peer, input(block(peer)));
            round.receive(peer, output(block(peer)));
        }
    });

    let column = hosts.column(request.rank);
    let arriving: Vec<(usize, Span, bool)> = hosts
        .others()
        .map(|host| match hosts.consecutive(host) {
            Some(range) => (host, output(blocks.range(range)), false),
            None => (host, composition.reserve(hosts.members(host).len() * request.count), true),
        })
        .collect();
    composition.round(|round| {
        for &(to, parcel) in &parcels {
            round.send(to, parcel);
        }
        for &(host, place, _) in &arriving {
            round.receive(hosts.carrier(host, column), place);
        }
    });
    composition.round(|round| {
        for &(host, place, _) in arriving.iter().filter(|&&(_, _, is_unsorted)| is_unsorted) {
            for (index, &from) in hosts.members(host).iter().enumerate() {
                round.copy(place.part(index * request.count, request.count), output(block(from)));
            }
        }
    });
    composition.finish(own_copy(request))
}

/// Fills a parcel with one block of each rank of this host.
fn collect(round: &mut RoundBuilder, request: &PlanRequest, hosts: &Hosts, own: Span, parcel: Span) {
    for (index, &from) in hosts.local().iter().enumerate() {
        let place = parcel.part(index * request.count, request.count);
        match from == request.rank {
            true => round.copy(own, place),
            false => round.receive(from, place),
        }
    }
}

pub(in crate::algo) fn cost(request: &PlanRequest, paths: &Paths) -> f64 {
    let hosts = Hosts::of(request);
    let t = Terms::of(request);
    let (abroad, most) = (hosts.count() as f64 - 1.0, hosts.most() as f64);
    let messages = (most - 1.0) * hosts.count() as f64;
    burst(&paths.local, messages)
        + moved(&paths.local, t.others() * t.bytes)
        + burst(&paths.remote, abroad)
        + moved(&paths.remote, most * (t.size - most) * t.bytes)
}

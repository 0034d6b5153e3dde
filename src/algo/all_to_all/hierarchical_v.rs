//! Hierarchical all_to_all of unequal blocks: all short blocks of a host for one rank of another host travel
//! as one parcel.
//!
//! It works like the one of equal blocks ([`super::hierarchical`]), once the ranks of each host have
//! exchanged the lengths of their blocks ([`crate::algo::hierarchy::length_exchange`]). Long blocks go
//! directly. The receiver of a parcel knows the lengths of its blocks, and sorts them into their places,
//! which may be anywhere.
//!
//! Cost, h hosts of l ranks, blocks of n bytes: alpha for the length exchange, then alpha (for h (l-1)
//! messages) + h (l-1) n beta within a host, then alpha and (h-1) l^2 n beta over its wire. Scratch 2 (h-1) l
//! n.

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
    let exchange = Exchange {
        request,
        hosts: &Hosts::of(request),
        sent: Blocks::of_input(request),
        received: Blocks::of_output(request),
    };
    let mut composition = Composition::new(request);
    let outgoing = exchange.collect_within_host(&mut composition);
    let incoming = exchange.cross_hosts(&mut composition, &outgoing);
    exchange.sort(&mut composition, &incoming);
    composition.finish(own_copy(request))
}

/// The messages of one rank to other hosts. Ranks of other hosts are named by their index in
/// [`Hosts::foreign`].
struct Outgoing {
    foreign: Vec<Rank>,
    /// The parcels that this rank carries: the receiver, and the place where the parcel is collected.
    parcels: Vec<(usize, Span)>,
    /// The receivers for which this rank's own block is too long for a parcel.
    direct: Vec<usize>,
}

/// The call, seen from one rank.
struct Exchange<'a> {
    request: &'a PlanRequest<'a>,
    hosts: &'a Hosts,
    sent: Blocks<'a>,
    received: Blocks<'a>,
}

impl Exchange<'_> {
    fn sent(&self, to: Rank) -> Span {
        input(self.sent.part(to as usize))
    }

    fn received(&self, from: Rank) -> Span {
        output(self.received.part(from as usize))
    }

    /// The round within the host: carriers collect parcels, and neighbours exchange their blocks for each
    /// other.
    fn collect_within_host(&self, composition: &mut Composition) -> Outgoing {
        let Exchange { request, hosts, .. } = *self;
        let foreign: Vec<Rank> = hosts.foreign().collect();
        let locals = hosts.local().len();
        let length = |local: usize, at: usize| request.layout.host_lengths[local * foreign.len() + at];
        let lens = |at: usize| (0..locals).map(move |local| length(local, at));
        let (packed, direct): (Vec<usize>, Vec<usize>) =
            (0..foreign.len()).partition(|&at| is_parcel(request, lens(at)));
        let carrier = |at: usize| hosts.carrier(hosts.own(), hosts.column(foreign[at]));
        let carried = packed.iter().copied().filter(|&at| carrier(at) == request.rank);
        let parcels: Vec<(usize, Span)> =
            carried.map(|at| (at, composition.reserve(lens(at).sum()))).collect();
        composition.round(|round| {
            for &(at, parcel) in &parcels {
                let mut end = 0;
                for (local, &from) in hosts.local().iter().enumerate() {
                    let place = parcel.part(end, length(local, at));
                    match from == request.rank {
                        true => round.copy(self.sent(foreign[at]), place),
                        false => round.receive(from, place),
                    }
                    end += place.len;
                }
            }
            for &at in packed.iter().filter(|&&at| carrier(at) != request.rank) {
                round.send(carrier(at), self.sent(foreign[at]));
            }
            for peer in hosts.neighbours() {
                round.send(peer, self.sent(peer));
                round.receive(peer, self.received(peer));
            }
        });
        Outgoing { foreign, parcels, direct }
    }

    /// The round between hosts: long blocks and parcels. Returns the host and the place of each parcel that
    /// arrived.
    fn cross_hosts(&self, composition: &mut Composition, outgoing: &Outgoing) -> Vec<(usize, Span)> {
        let Exchange { request, hosts, .. } = *self;
        let Outgoing { foreign, parcels, direct } = outgoing;
        let column = hosts.column(request.rank);
        let lens = |host| hosts.members(host).iter().map(|&from| self.received(from).len);
        let (in_parcels, by_block): (Vec<usize>, Vec<usize>) =
            hosts.others().partition(|&host| is_parcel(request, lens(host)));
        let incoming: Vec<(usize, Span)> = in_parcels
            .into_iter()
            .map(|host| match hosts.members(host) {
                &[from] => (host, self.received(from)),
                _ => (host, composition.reserve(lens(host).sum())),
            })
            .collect();
        composition.round(|round| {
            for &at in direct {
                round.send(foreign[at], self.sent(foreign[at]));
            }
            for &from in by_block.iter().flat_map(|&host| hosts.members(host)) {
                round.receive(from, self.received(from));
            }
            for &(at, parcel) in parcels {
                round.send(foreign[at], parcel);
            }
            for &(host, parcel) in &incoming {
                round.receive(hosts.carrier(host, column), parcel);
            }
        });
        incoming
    }

    /// The last round: the blocks of parcels go to their places. A parcel of one block lies in its place
    /// already.
    fn sort(&self, composition: &mut Composition, incoming: &[(usize, Span)]) {
        let hosts = self.hosts;
        composition.round(|round| {
            for &(host, parcel) in incoming.iter().filter(|(host, _)| hosts.members(*host).len() > 1) {
                let mut end = 0;
                for &from in hosts.members(host) {
                    let place = self.received(from);
                    round.copy(parcel.part(end, place.len), place);
                    end += place.len;
                }
            }
        });
    }
}

pub(in crate::algo) fn cost(request: &PlanRequest, paths: &Paths) -> f64 {
    // The length exchange is one message between any two ranks of a host.
    burst(&paths.local, Hosts::of(request).most() as f64 - 1.0) + hierarchical::cost(request, paths)
}

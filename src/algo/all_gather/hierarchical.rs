//! Hierarchical all_gather: each block goes to one rank of every other host, which passes it on to its
//! neighbours.
//!
//! The blocks of the ranks with the same position on their hosts form a column. Its carriers exchange them
//! directly, so each block crosses the wire once per other host, the least possible. Meanwhile the blocks of
//! the own host are exchanged within it.
//!
//! Cost, h hosts of l ranks, blocks of n bytes: alpha and (h-1) l n beta over the wire of a host, then
//! alpha + (h-1) (l-1) n beta within it.

use super::own_copy;
use crate::algo::hierarchy::compose::Composition;
use crate::algo::hierarchy::hosts::{Hosts, runs};
use crate::algo::patterns::blocks::{Blocks, own_input};
use crate::algo::patterns::builder::{input, output};
use crate::base::Rank;
use crate::cost::{Paths, Terms, burst, moved};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let hosts = Hosts::of(request);
    let blocks = Blocks::of_output(request);
    let neighbours = hosts.neighbours();
    // The rank of this host that brings the block of a rank of another host.
    let carrier = |rank: Rank| hosts.carrier(hosts.own(), hosts.column(rank));
    // The parcel in which it passes the block on: everything that lies together.
    let parcel = |rank: usize| (carrier(rank as Rank), if blocks.lie_apart() { rank } else { 0 });
    let foreign = |rank: usize| (hosts.host_of(rank as Rank) != hosts.own()).then(|| parcel(rank));
    let mut composition = Composition::new(request);
    composition.round(|round| {
        let column = hosts.column(request.rank);
        let abroad = hosts.others().map(|host| hosts.carrier(host, column));
        let readers = abroad.chain(neighbours.iter().copied()).collect();
        round.send_to_all(readers, input(own_input(request)));
        for from in (0..request.size).filter(|&from| from != request.rank) {
            if hosts.host_of(from) == hosts.own() || carrier(from) == request.rank {
                round.receive(from, output(blocks.part(from as usize)));
            }
        }
    });
    composition.round(|round| {
        for ((carrier, _), run) in runs(request.size as usize, foreign) {
            match carrier == request.rank {
                true => round.send_to_all(neighbours.clone(), output(blocks.range(run))),
                false => round.receive(carrier, output(blocks.range(run))),
            }
        }
    });
    composition.finish(own_copy(request))
}

pub(in crate::algo) fn cost(request: &PlanRequest, paths: &Paths) -> f64 {
    let hosts = Hosts::of(request);
    let t = Terms::of(request);
    let (abroad, peers) = (hosts.count() as f64 - 1.0, hosts.most() as f64 - 1.0);
    let crossing = (t.size - hosts.fewest() as f64) * t.bytes;
    burst(&paths.remote, abroad)
        + moved(&paths.remote, crossing)
        + burst(&paths.local, peers)
        + moved(&paths.local, peers / (peers + 1.0) * t.size * t.bytes)
}

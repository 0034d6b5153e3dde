//! Hierarchical gather: each host collects its blocks and sends them to the root as one message.
//!
//! If the ranks of a host are consecutive, so are their blocks, and the message arrives in its place.
//! Otherwise the root sorts it.
//!
//! Cost, h hosts of l ranks, blocks of n bytes: alpha + (l-1) n beta within a host, then alpha + (h-1) l n
//! beta into the root's, with one message per host. Best for small blocks of many ranks.

use super::{blocks, linear, own_copy};
use crate::algo::hierarchy::compose::{Composition, GroupCall};
use crate::algo::hierarchy::hosts::Hosts;
use crate::algo::patterns::builder::{input, output};
use crate::base::Collective;
use crate::cost::{Paths, Terms, burst, moved};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let hosts = Hosts::of(request);
    let root_host = hosts.host_of(request.root);
    let mut composition = Composition::new(request);
    if request.rank == request.root {
        collect(request, &hosts, &mut composition);
    } else if hosts.own() == root_host {
        composition.round(|round| round.send(request.root, input(0..request.count)));
    } else {
        let leads = hosts.local()[0] == request.rank;
        let alone = hosts.local().len() == 1;
        let own = input(0..request.count);
        let all =
            if leads && !alone { composition.reserve(hosts.local().len() * request.count) } else { own };
        if !alone {
            composition.call(GroupCall {
                collective: Collective::Gather,
                build: linear::build,
                group: hosts.local().to_vec(),
                root: 0,
                count: request.count,
                input: own,
                output: all,
            });
        }
        if leads {
            composition.round(|round| round.send(request.root, all));
        }
    }
    composition.finish(own_copy(request))
}

/// The root's part.
fn collect(request: &PlanRequest, hosts: &Hosts, composition: &mut Composition) {
    let blocks = blocks(request);
    let unsorted: Vec<_> = hosts
        .others()
        .map(|host| match hosts.consecutive(host) {
            Some(range) => (host, output(blocks.range(range)), false),
            None => (host, composition.reserve(hosts.members(host).len() * request.count), true),
        })
        .collect();
    composition.round(|round| {
        for from in hosts.neighbours() {
            round.receive(from, output(blocks.part(from as usize)));
        }
        for &(host, span, _) in &unsorted {
            round.receive(hosts.members(host)[0], span);
        }
    });
    composition.round(|round| {
        for &(host, span, _) in unsorted.iter().filter(|&&(_, _, is_unsorted)| is_unsorted) {
            for (index, &from) in hosts.members(host).iter().enumerate() {
                round.copy(
                    span.part(index * request.count, request.count),
                    output(blocks.part(from as usize)),
                );
            }
        }
    });
}

pub(in crate::algo) fn cost(request: &PlanRequest, paths: &Paths) -> f64 {
    let hosts = Hosts::of(request);
    let t = Terms::of(request);
    let (abroad, peers) = (hosts.count() as f64 - 1.0, hosts.most() as f64 - 1.0);
    let crossing = (t.size - hosts.fewest() as f64) * t.bytes;
    // Within the root's host, and within the other hosts before the blocks cross.
    burst(&paths.local, peers)
        + moved(&paths.local, 2.0 * peers * t.bytes)
        + burst(&paths.remote, abroad)
        + moved(&paths.remote, crossing)
}

//! Hierarchical scatter: the root sends each host its blocks as one message, and one rank there scatters
//! them.
//!
//! If the ranks of a host are consecutive, so are their blocks, and the message is a part of the root's
//! input. Otherwise the root packs it.
//!
//! Cost, h hosts of l ranks, blocks of n bytes: alpha + (h-1) l n beta out of the root's host, with one
//! message per host, then alpha + (l-1) n beta within a host. Best for small blocks of many ranks.

use super::super::gather;
use super::{blocks, linear, own_copy};
use crate::algo::hierarchy::compose::{Composition, GroupCall};
use crate::algo::hierarchy::hosts::Hosts;
use crate::algo::patterns::builder::{input, output};
use crate::base::Collective;
use crate::cost::Paths;
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let hosts = Hosts::of(request);
    let root_host = hosts.host_of(request.root);
    let mut composition = Composition::new(request);
    if request.rank == request.root {
        distribute(request, &hosts, &mut composition);
    } else if hosts.own() == root_host {
        composition.round(|round| round.receive(request.root, output(0..request.count)));
    } else {
        let leads = hosts.local()[0] == request.rank;
        let alone = hosts.local().len() == 1;
        let own = output(0..request.count);
        let all =
            if leads && !alone { composition.reserve(hosts.local().len() * request.count) } else { own };
        if leads {
            composition.round(|round| round.receive(request.root, all));
        }
        if !alone {
            composition.call(GroupCall {
                collective: Collective::Scatter,
                build: linear::build,
                group: hosts.local().to_vec(),
                root: 0,
                count: request.count,
                input: all,
                output: own,
            });
        }
    }
    composition.finish(own_copy(request))
}

/// The root's part.
fn distribute(request: &PlanRequest, hosts: &Hosts, composition: &mut Composition) {
    let blocks = blocks(request);
    let packed: Vec<_> = hosts
        .others()
        .map(|host| match hosts.consecutive(host) {
            Some(range) => (host, input(blocks.range(range)), false),
            None => (host, composition.reserve(hosts.members(host).len() * request.count), true),
        })
        .collect();
    composition.round(|round| {
        for &(host, span, _) in packed.iter().filter(|&&(_, _, is_packed)| is_packed) {
            for (index, &to) in hosts.members(host).iter().enumerate() {
                round.copy(input(blocks.part(to as usize)), span.part(index * request.count, request.count));
            }
        }
        for &(host, span, _) in &packed {
            round.send(hosts.members(host)[0], span);
        }
        for to in hosts.neighbours() {
            round.send(to, input(blocks.part(to as usize)));
        }
    });
}

pub(in crate::algo) fn cost(request: &PlanRequest, paths: &Paths) -> f64 {
    // The same messages as those of a gather, the other way.
    gather::hierarchical::cost(request, paths)
}

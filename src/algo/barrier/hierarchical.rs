//! Hierarchical barrier: the ranks of each host signal its first rank, the first ranks meet, and each of them
//! releases its host.
//!
//! A signal is one element of scratch; its content means nothing.
//!
//! Cost: 2 alpha within a host, and between hosts that of a barrier of as many ranks as there are hosts.

use super::{dissemination, one_shot};
use crate::algo::hierarchy::between_hosts::{Candidate, cheapest};
use crate::algo::hierarchy::compose::{Composition, GroupCall};
use crate::algo::hierarchy::hosts::Hosts;
use crate::algo::patterns::builder::{scratch, shifted};
use crate::base::Collective;
use crate::cost::{Paths, burst};
use crate::plan::{Plan, PlanRequest};

/// The algorithms for the phase between hosts.
const CANDIDATES: [Candidate; 2] = [
    Candidate { build: one_shot::build, cost: one_shot::cost },
    Candidate { build: dissemination::build, cost: dissemination::cost },
];

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let hosts = Hosts::of(request);
    let leader = hosts.local()[0];
    let neighbours = hosts.neighbours();
    let mut composition = Composition::new(request);
    let signal = scratch(0..1);
    if !neighbours.is_empty() {
        // One signal goes out, the others come in.
        composition.reserve(hosts.local().len());
        composition.round(|round| match request.rank == leader {
            true => {
                for (index, &from) in neighbours.iter().enumerate() {
                    round.receive(from, scratch(shifted(1..2, index)));
                }
            }
            false => round.send(leader, signal),
        });
    }
    composition.call(GroupCall {
        collective: Collective::Barrier,
        build: cheapest(&CANDIDATES, request, &hosts).build,
        group: hosts.carriers(0),
        root: 0,
        count: 0,
        input: signal,
        output: signal,
    });
    composition.round(|round| match request.rank == leader {
        true => round.send_to_all(neighbours, signal),
        false => round.receive(leader, scratch(1..2)),
    });
    composition.finish([])
}

pub(in crate::algo) fn cost(request: &PlanRequest, paths: &Paths) -> f64 {
    let hosts = Hosts::of(request);
    let local = 2.0 * burst(&paths.local, hosts.most() as f64 - 1.0);
    local + cheapest(&CANDIDATES, request, &hosts).price(request, &hosts, &paths.remote)
}

//! Hierarchical all_reduce: reduce_scatter within each host, all_reduce of each slice between hosts, all_gather
//! within each host.
//!
//! Every local rank carries a slice across, so all of them keep the wire busy, and each byte crosses it as often as if
//! each host were a single rank. The phase between hosts is the cheapest of the flat algorithms for as many
//! ranks as there are hosts. Each result is computed by one group of carriers, which end with the same bits.
//!
//! Cost, h hosts of l ranks: 2 alpha + (l-1)/l n (2 beta + gamma) within a host, and that of an all_reduce of n
//! among h ranks between hosts: 2 (h-1)/h n over a host's wire when n is large. Scratch n for l > 2.

use super::super::alone::alone;
use super::super::between::{Candidate, cheapest};
use super::super::broadcast;
use super::super::builder::{input, output};
use super::super::compose::{Call, Composition};
use super::super::cost::{Terms, burst, collected, moved};
use super::super::hosts::Hosts;
use super::super::reduce;
use super::{one_shot, rabenseifner, recursive_doubling, ring, two_shot};
use crate::base::Collective;
use crate::plan::{Plan, PlanRequest};
use crate::tuning::Links;

/// For the phase between hosts.
const CANDIDATES: [Candidate; 5] = [
    Candidate { build: one_shot::build, cost: one_shot::cost },
    Candidate { build: two_shot::build, cost: two_shot::cost },
    Candidate { build: recursive_doubling::build, cost: recursive_doubling::cost },
    Candidate { build: rabenseifner::build, cost: rabenseifner::cost },
    Candidate { build: ring::build, cost: ring::cost },
];

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return alone(request);
    }
    let hosts = Hosts::of(request);
    let slices = hosts.slices(request.count);
    let own = |slice| if request.in_place { output(slices.part(slice)) } else { input(slices.part(slice)) };
    let result = |slice| output(slices.part(slice));
    let shares_host = hosts.local().len() > 1;
    let columns = 0..slices.parts();
    let mut composition = Composition::new(request);
    if shares_host {
        composition.side_by_side(columns.clone().map(|slice| Call {
            collective: Collective::Reduce,
            build: reduce::one_shot::build,
            group: hosts.local().to_vec(),
            root: slice % hosts.local().len(),
            count: result(slice).len,
            input: own(slice),
            output: result(slice),
        }));
    }
    if hosts.count() > 1 {
        let build = cheapest(&CANDIDATES, request, &hosts).build;
        composition.side_by_side(columns.clone().filter(|&slice| hosts.carry(slice)).map(|slice| Call {
            collective: Collective::AllReduce,
            build,
            group: hosts.carriers(slice),
            root: 0,
            count: result(slice).len,
            input: if shares_host { result(slice) } else { own(slice) },
            output: result(slice),
        }));
    }
    composition.side_by_side(columns.map(|slice| Call {
        collective: Collective::Broadcast,
        build: broadcast::one_shot::build,
        group: hosts.local().to_vec(),
        root: slice % hosts.local().len(),
        count: result(slice).len,
        input: result(slice),
        output: result(slice),
    }));
    composition.finish([])
}

pub(in crate::algo) fn cost(request: &PlanRequest, links: &Links) -> f64 {
    let hosts = Hosts::of(request);
    let peers = hosts.most() as f64 - 1.0;
    // What a carrier gets in either local phase.
    let bytes = peers * Terms::of(request).bytes / hosts.slices(request.count).parts() as f64;
    let local =
        2.0 * burst(&links.local, peers) + collected(&links.local, peers, bytes) + moved(&links.local, bytes);
    local + cheapest(&CANDIDATES, request, &hosts).price(request, &hosts, &links.remote)
}

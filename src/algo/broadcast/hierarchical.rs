//! Hierarchical broadcast: the root's host scatters slices among its ranks, each of them broadcasts its slice
//! to the other hosts, and every host gathers the slices on all its ranks.
//!
//! The root leads its host, so it carries the first slice. A small message is a single slice: it is broadcast
//! among one rank of each host, and then within each host.
//!
//! Cost, h hosts of l ranks: 2 alpha + 2 (l-1)/l n beta within a host, and that of a broadcast of n among h
//! ranks between hosts.

use super::{binomial, one_shot, own_copy, scatter_all_gather};
use crate::algo::hierarchy::between_hosts::{Candidate, cheapest};
use crate::algo::hierarchy::compose::{Composition, GroupCall};
use crate::algo::hierarchy::hosts::Hosts;
use crate::algo::patterns::builder::{input, output};
use crate::base::{Collective, Rank};
use crate::cost::{Paths, Terms, burst, moved};
use crate::plan::{Plan, PlanRequest};

/// The algorithms for the phase between hosts.
const CANDIDATES: [Candidate; 3] = [
    Candidate { build: one_shot::build, cost: one_shot::cost },
    Candidate { build: binomial::build, cost: binomial::cost },
    Candidate { build: scatter_all_gather::build, cost: scatter_all_gather::cost },
];

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let hosts = Hosts::led_by_root(request);
    let root_host = hosts.host_of(request.root);
    let is_root = request.rank == request.root;
    let slices = hosts.slices(request.count);
    let place = |slice| match is_root {
        true => input(slices.part(slice)),
        false => output(slices.part(slice)),
    };
    let mut composition = Composition::new(request);
    if hosts.own() == root_host {
        composition.round(|round| {
            for slice in 0..slices.parts() {
                let carrier = hosts.carrier(root_host, slice);
                if is_root && carrier != request.root {
                    round.send(carrier, place(slice));
                } else if !is_root && carrier == request.rank {
                    round.receive(request.root, place(slice));
                }
            }
        });
    }
    let build = cheapest(&CANDIDATES, request, &hosts).build;
    let carried = (0..slices.parts()).filter(|&slice| hosts.carry(slice));
    composition.side_by_side(carried.map(|slice| GroupCall {
        collective: Collective::Broadcast,
        build,
        group: hosts.carriers(slice),
        root: root_host,
        count: place(slice).len,
        input: place(slice),
        output: place(slice),
    }));
    // The root has everything, so it only sends.
    composition.round(|round| {
        for slice in 0..slices.parts() {
            let carrier = hosts.carrier(hosts.own(), slice);
            if carrier != request.rank {
                if !is_root {
                    round.receive(carrier, place(slice));
                }
                continue;
            }
            let readers: Vec<Rank> =
                hosts.neighbours().into_iter().filter(|&rank| rank != request.root).collect();
            round.send_to_all(readers, place(slice));
        }
    });
    composition.finish(own_copy(request))
}

pub(in crate::algo) fn cost(request: &PlanRequest, paths: &Paths) -> f64 {
    let hosts = Hosts::led_by_root(request);
    let slices = hosts.slices(request.count).parts() as f64;
    let (peers, bytes) = (hosts.most() as f64 - 1.0, Terms::of(request).bytes);
    let others = (slices - 1.0) / slices * bytes;
    let scattered = burst(&paths.local, slices - 1.0) + moved(&paths.local, others);
    let gathered = match slices > 1.0 {
        true => burst(&paths.local, peers) + moved(&paths.local, others),
        false => burst(&paths.local, peers) + moved(&paths.local, peers * bytes),
    };
    let local = scattered + gathered;
    local + cheapest(&CANDIDATES, request, &hosts).price(request, &hosts, &paths.remote)
}

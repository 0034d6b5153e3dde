//! Hierarchical reduce: reduce_scatter within each host, reduce of each slice between hosts to the root's
//! host, gather there.
//!
//! The root leads its host, so it carries the first slice. Small messages are a single slice, and reach the
//! root without a detour. Other carriers keep partial results in scratch.
//!
//! Cost, h hosts of l ranks: 2 alpha + (l-1)/l n (2 beta + gamma) within a host, and that of a reduce of n
//! among h ranks between hosts. Scratch n for l > 2.

use super::{binomial, one_shot, rabenseifner_gather};
use crate::algo::hierarchy::between_hosts::{Candidate, cheapest};
use crate::algo::hierarchy::compose::{Composition, GroupCall};
use crate::algo::hierarchy::hosts::Hosts;
use crate::algo::patterns::builder::{input, output};
use crate::algo::patterns::single_rank::single_rank;
use crate::base::Collective;
use crate::cost::{Paths, Terms, burst, collected, moved};
use crate::plan::{Plan, PlanRequest, Span};

/// The algorithms of the phases.
pub(in crate::algo) struct Parts {
    /// reduce of a slice to its carrier, with one round of messages.
    pub(in crate::algo) within: fn(&PlanRequest) -> Plan,
    /// reduce of a slice among its carriers.
    pub(in crate::algo) between: &'static [Candidate],
}

/// Phases that may reduce in any order.
const ANY_ORDER: Parts = Parts { within: one_shot::build, between: &CANDIDATES };

const CANDIDATES: [Candidate; 3] = [
    Candidate { build: one_shot::build, cost: one_shot::cost },
    Candidate { build: binomial::build, cost: binomial::cost },
    Candidate { build: rabenseifner_gather::build, cost: rabenseifner_gather::cost },
];

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    build_of(request, &Hosts::led_by_root(request), &ANY_ORDER)
}

/// Builds the plan with the members of each host in the order in which they are reduced.
pub(in crate::algo) fn build_of(request: &PlanRequest, hosts: &Hosts, parts: &Parts) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let root_host = hosts.host_of(request.root);
    let is_root = request.rank == request.root;
    let slices = hosts.slices(request.count);
    let result = |slice| output(slices.part(slice));
    let own = |slice| match is_root && request.in_place {
        true => result(slice),
        false => input(slices.part(slice)),
    };
    let shares_host = hosts.local().len() > 1;
    let mut composition = Composition::new(request);
    // The place of this host's part of each slice, if this rank carries the slice.
    let partials: Vec<Span> = (0..slices.parts())
        .map(|slice| match hosts.carry(slice) {
            true if is_root => result(slice),
            true if shares_host => composition.reserve(slices.part(slice).len()),
            _ => own(slice),
        })
        .collect();
    if shares_host {
        composition.side_by_side((0..slices.parts()).map(|slice| GroupCall {
            collective: Collective::Reduce,
            build: parts.within,
            group: hosts.local().to_vec(),
            root: slice % hosts.local().len(),
            count: result(slice).len,
            input: own(slice),
            output: partials[slice],
        }));
    }
    if hosts.count() > 1 {
        let build = cheapest(parts.between, request, hosts).build;
        let carried = (0..slices.parts()).filter(|&slice| hosts.carry(slice));
        composition.side_by_side(carried.map(|slice| GroupCall {
            collective: Collective::Reduce,
            build,
            group: hosts.carriers(slice),
            root: root_host,
            count: result(slice).len,
            input: if shares_host { partials[slice] } else { own(slice) },
            output: partials[slice],
        }));
    }
    if hosts.own() == root_host {
        composition.round(|round| {
            for (slice, &partial) in partials.iter().enumerate() {
                let carrier = hosts.carrier(root_host, slice);
                if is_root && carrier != request.root {
                    round.receive(carrier, result(slice));
                } else if !is_root && carrier == request.rank {
                    round.send(request.root, partial);
                }
            }
        });
    }
    composition.finish([])
}

pub(in crate::algo) fn cost(request: &PlanRequest, paths: &Paths) -> f64 {
    cost_of(request, &Hosts::led_by_root(request), paths, &ANY_ORDER)
}

pub(in crate::algo) fn cost_of(request: &PlanRequest, hosts: &Hosts, paths: &Paths, parts: &Parts) -> f64 {
    let slices = hosts.slices(request.count).parts() as f64;
    let (peers, slice) = (hosts.most() as f64 - 1.0, Terms::of(request).bytes / slices);
    let scattered = burst(&paths.local, peers) + collected(&paths.local, peers, peers * slice);
    let gathered = burst(&paths.local, slices - 1.0) + moved(&paths.local, (slices - 1.0) * slice);
    let among = cheapest(parts.between, request, hosts).price(request, hosts, &paths.remote);
    scattered + among + gathered
}

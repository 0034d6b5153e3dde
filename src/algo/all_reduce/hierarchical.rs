//! Hierarchical all_reduce: reduce_scatter within each host, all_reduce of each slice between hosts,
//! all_gather within each host.
//!
//! Every local rank carries a slice across, so all of them keep the wire busy. Each byte crosses the wire as
//! often as if each host were a single rank. The phase between hosts is the cheapest of the flat algorithms
//! for as many ranks as there are hosts. Each result is computed by one group of carriers, which end with the
//! same bits.
//!
//! Large buffers are cut into chunks, with one lane each. While one chunk is between hosts, the next is
//! reduced within the hosts, and the one before is gathered there.
//!
//! Cost, h hosts of l ranks: 2 alpha + (l-1)/l n (2 beta + gamma) within a host, and that of an all_reduce of
//! n among h ranks between hosts: 2 (h-1)/h n over a host's wire when n is large. With c chunks only the
//! larger of both counts, and 1/c of the other. Scratch n for l > 2.

use std::ops::Range;

use super::super::broadcast;
use super::super::reduce;
use super::{one_shot, rabenseifner, recursive_doubling, ring, two_shot};
use crate::algo::hierarchy::between_hosts::{Candidate, cheapest, most_rounds};
use crate::algo::hierarchy::compose::{Composition, GroupCall};
use crate::algo::hierarchy::hosts::Hosts;
use crate::algo::patterns::builder::{input, output, shifted};
use crate::algo::patterns::segments::Segments;
use crate::algo::patterns::single_rank::single_rank;
use crate::base::Collective;
use crate::cost::{Edges, Paths, Terms, burst, collected, moved};
use crate::plan::{Plan, PlanRequest, Span};

/// The algorithms of the phases.
pub(in crate::algo) struct Parts {
    /// reduce of a slice to its carrier: contributions in one round, their reduction in the next.
    pub(in crate::algo) within: fn(&PlanRequest) -> Plan,
    /// all_reduce of a slice among its carriers.
    pub(in crate::algo) between: &'static [Candidate],
    /// Whether the second phase converts numbers, so that chunks overlap even without local phases.
    pub(in crate::algo) converts: bool,
}

/// Phases that may reduce in any order.
const ANY_ORDER: Parts = Parts { within: reduce::one_shot::build, between: &CANDIDATES, converts: false };

const CANDIDATES: [Candidate; 5] = [
    Candidate { build: one_shot::build, cost: one_shot::cost },
    Candidate { build: two_shot::build, cost: two_shot::cost },
    Candidate { build: recursive_doubling::build, cost: recursive_doubling::cost },
    Candidate { build: rabenseifner::build, cost: rabenseifner::cost },
    Candidate { build: ring::build, cost: |request, link| ring::cost(request, &Edges::alike(link)) },
];

/// Rounds of the first phase: contributions, and their reduction.
const LOCAL_ROUNDS: usize = 2;

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    build_of(request, &ANY_ORDER)
}

pub(in crate::algo) fn build_of(request: &PlanRequest, parts: &Parts) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let hosts = Hosts::of(request);
    let chunks = hosts.chunks(request, parts.converts);
    let between = cheapest(parts.between, &largest(request, &chunks), &hosts);
    // Within the rounds, the first phase of a chunk comes just before the last phase of the previous chunk,
    // and its phase between hosts follows that last phase. So the wire always carries one chunk, and the host
    // works on its two neighbours.
    let gather_at = LOCAL_ROUNDS + most_rounds(&hosts);
    let mut composition = Composition::new(request);
    for number in 0..chunks.parts() {
        let begin = number * (gather_at - 1);
        let chunk = Chunk { request, hosts: &hosts, elements: chunks.part(number) };
        composition.begin_lane();
        composition.not_before(begin);
        chunk.reduce_within_host(&mut composition, parts.within);
        composition.not_before(begin + LOCAL_ROUNDS);
        chunk.all_reduce_between_hosts(&mut composition, between);
        composition.not_before(begin + gather_at);
        chunk.gather_within_host(&mut composition);
    }
    composition.finish([])
}

/// The request for one chunk: the first is the largest.
fn largest<'a>(request: &PlanRequest<'a>, chunks: &Segments) -> PlanRequest<'a> {
    PlanRequest { count: chunks.part(0).len(), ..*request }
}

/// The three phases for some of the elements.
struct Chunk<'a> {
    request: &'a PlanRequest<'a>,
    hosts: &'a Hosts,
    elements: Range<usize>,
}

impl Chunk<'_> {
    /// The slices with their numbers.
    fn slices(&self) -> impl Iterator<Item = (usize, Range<usize>)> {
        let slices = self.hosts.slices(self.elements.len());
        let start = self.elements.start;
        (0..slices.parts()).map(move |slice| (slice, shifted(slices.part(slice), start)))
    }

    fn own(&self, slice: Range<usize>) -> Span {
        if self.request.in_place { output(slice) } else { input(slice) }
    }

    fn shares_host(&self) -> bool {
        self.hosts.local().len() > 1
    }

    /// A call among the ranks of this host, for each slice, with its carrier as the root.
    fn within_host<'s>(
        &'s self,
        collective: Collective,
        build: fn(&PlanRequest) -> Plan,
        source: impl Fn(Range<usize>) -> Span + 's,
    ) -> impl Iterator<Item = GroupCall> + 's {
        let local = self.hosts.local();
        self.slices().map(move |(slice, elements)| GroupCall {
            collective,
            build,
            group: local.to_vec(),
            root: slice % local.len(),
            count: elements.len(),
            input: source(elements.clone()),
            output: output(elements),
        })
    }

    fn reduce_within_host(&self, composition: &mut Composition, build: fn(&PlanRequest) -> Plan) {
        if self.shares_host() {
            let own = |slice| self.own(slice);
            composition.side_by_side(self.within_host(Collective::Reduce, build, own));
        }
    }

    fn all_reduce_between_hosts(&self, composition: &mut Composition, between: &Candidate) {
        if self.hosts.count() == 1 {
            return;
        }
        let carried = self.slices().filter(|&(slice, _)| self.hosts.carry(slice));
        composition.side_by_side(carried.map(|(slice, elements)| GroupCall {
            collective: Collective::AllReduce,
            build: between.build,
            group: self.hosts.carriers(slice),
            root: 0,
            count: elements.len(),
            input: if self.shares_host() { output(elements.clone()) } else { self.own(elements.clone()) },
            output: output(elements),
        }));
    }

    fn gather_within_host(&self, composition: &mut Composition) {
        let build = broadcast::one_shot::build;
        composition.side_by_side(self.within_host(Collective::Broadcast, build, output));
    }
}

pub(in crate::algo) fn cost(request: &PlanRequest, paths: &Paths) -> f64 {
    cost_of(request, paths, &ANY_ORDER)
}

pub(in crate::algo) fn cost_of(request: &PlanRequest, paths: &Paths, parts: &Parts) -> f64 {
    let hosts = Hosts::of(request);
    let chunks = hosts.chunks(request, parts.converts);
    let chunk = largest(request, &chunks);
    let peers = hosts.most() as f64 - 1.0;
    // Bytes that a carrier receives in either local phase.
    let bytes = peers * Terms::of(&chunk).bytes / hosts.slices(chunk.count).parts() as f64;
    let within =
        2.0 * burst(&paths.local, peers) + collected(&paths.local, peers, bytes) + moved(&paths.local, bytes);
    let between = cheapest(parts.between, &chunk, &hosts).price(&chunk, &hosts, &paths.remote);
    within + between + (chunks.parts() as f64 - 1.0) * within.max(between)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::hierarchy::between_hosts;
    use crate::plan::BlockLayout;
    use crate::topology::Topology;

    #[test]
    fn no_candidate_has_more_rounds_than_a_chunk_leaves_between_its_local_phases() {
        for hosts in 2..70 {
            let topology = Topology::from_labels(&(0..hosts).collect::<Vec<u32>>());
            let request = PlanRequest {
                collective: Collective::AllReduce,
                size: hosts,
                rank: 0,
                root: 0,
                count: 1000,
                element_bytes: 4,
                in_place: false,
                chunk_bytes: 64,
                topology: &topology,
                layout: BlockLayout::NONE,
            };
            let most = between_hosts::most_rounds(&Hosts::of(&request));
            for (number, candidate) in CANDIDATES.iter().enumerate() {
                for rank in 0..hosts {
                    let plan = (candidate.build)(&PlanRequest { rank, ..request });
                    assert!(plan.lanes.len() == 1 && plan.lanes[0].rounds.len() <= most, "{number}, {hosts}");
                }
            }
        }
    }
}

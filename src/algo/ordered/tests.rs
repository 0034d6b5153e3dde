//! Proves every ordered algorithm with the verifier: it is the collective, and it keeps the order.

use proptest::prelude::*;

use super::*;
use crate::algo::algorithm::{Algorithm, HIERARCHICAL};
use crate::algo::tests::{is_long, roots, sizes};
use crate::base::{Collective, Rank};
use crate::plan::verify::{Violation, verify_each, verify_order};
use crate::plan::{Plan, PlanRequest};
use crate::topology::Topology;

fn proof(
    algorithm: &Algorithm,
    topology: &Topology,
    in_place: &[bool],
    root: Rank,
    count: usize,
) -> Result<(), Violation> {
    let size = in_place.len() as u32;
    let request = PlanRequest {
        collective: algorithm.collective,
        size,
        rank: 0,
        root,
        count,
        element_bytes: 4,
        in_place: false,
        chunk_bytes: 12,
        topology,
        layout: crate::plan::BlockLayout::NONE,
    };
    let of_rank = |(rank, &in_place)| PlanRequest { rank, in_place, ..request };
    let requests: Vec<PlanRequest> = (0..).zip(in_place).map(of_rank).collect();
    let plans: Vec<Plan> = requests.iter().map(algorithm.build).collect();
    verify_each(&plans, &requests).and_then(|()| verify_order(&plans, &requests))?;
    if !plans.iter().any(Plan::is_fused) {
        return Ok(());
    }
    let plans: Vec<Plan> = plans.into_iter().map(Plan::unfused).collect();
    verify_each(&plans, &requests).and_then(|()| verify_order(&plans, &requests))
}

/// The ordered algorithms of collectives that take one count.
fn uniform() -> impl Iterator<Item = &'static Algorithm> {
    ORDERED.iter().filter(|algorithm| !algorithm.collective.has_layout())
}

/// A topology of hosts with these numbers of ranks, each host with consecutive ones.
fn in_runs(hosts: &[usize]) -> Topology {
    let labels: Vec<usize> = hosts.iter().enumerate().flat_map(|(host, &ranks)| vec![host; ranks]).collect();
    Topology::from_labels(&labels)
}

/// All roots in the long tests.
fn all_or_some_roots(collective: Collective, size: u32) -> Vec<Rank> {
    match collective.has_root() && is_long() {
        true => (0..size).collect(),
        false => roots(collective, size),
    }
}

#[test]
fn every_ordered_algorithm_is_correct_and_keeps_the_order_for_every_size_up_to_40() {
    for algorithm in uniform() {
        for size in sizes(40) {
            for root in all_or_some_roots(algorithm.collective, size) {
                for count in [0, 1, size as usize - 1, size as usize, size as usize + 1, 127] {
                    for every in [1, 2, 1000] {
                        let in_place: Vec<bool> = (1..=size).map(|rank| rank % every == 0).collect();
                        if let Err(violation) =
                            proof(algorithm, &Topology::one_host(size), &in_place, root, count)
                        {
                            let name = (algorithm.collective.name(), algorithm.name);
                            panic!("{name:?}, {size} ranks, root {root}, count {count}: {violation}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn ordered_algorithms_by_host_keep_the_order_on_hosts_of_any_number_of_consecutive_ranks() {
    let layouts: [&[usize]; 10] = [
        &[1, 1],
        &[2, 2],
        &[3, 3],
        &[4, 4],
        &[1, 1, 1],
        &[2, 2, 2],
        &[4, 4, 4],
        &[1, 2, 3],
        &[5, 1],
        &[2, 7, 1, 3],
    ];
    for algorithm in uniform().filter(|algorithm| algorithm.name == HIERARCHICAL) {
        for hosts in layouts {
            let topology = in_runs(hosts);
            let size = topology.size();
            for root in if algorithm.collective.has_root() { 0..size } else { 0..1 } {
                for count in [0, 1, hosts.len(), 5, size as usize, 63, 500] {
                    for every in [1, 2, 1000] {
                        let in_place: Vec<bool> = (1..=size).map(|rank| rank % every == 0).collect();
                        if let Err(violation) = proof(algorithm, &topology, &in_place, root, count) {
                            panic!(
                                "{:?} on {hosts:?}, root {root}, count {count}: {violation}",
                                algorithm.collective
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn hosts_whose_ranks_are_not_consecutive_have_no_order() {
    for (labels, is_ordered) in
        [("aabb", true), ("abab", false), ("abba", false), ("abbccc", true), ("aaaa", true)]
    {
        let topology = Topology::from_labels(&labels.chars().collect::<Vec<_>>());
        let request = PlanRequest {
            collective: Collective::AllReduce,
            size: topology.size(),
            rank: 0,
            root: 0,
            count: 1,
            element_bytes: 4,
            in_place: false,
            chunk_bytes: 12,
            topology: &topology,
            layout: crate::plan::BlockLayout::NONE,
        };
        let mut by_host = ordered(Collective::AllReduce).filter(|algorithm| algorithm.name == HIERARCHICAL);
        assert_eq!((by_host.next().unwrap().supports)(&request), is_ordered, "{labels}");
    }
}

#[test]
fn every_collective_that_reduces_has_an_ordered_algorithm() {
    for collective in Collective::ALL.into_iter().filter(|collective| collective.reduces()) {
        assert!(ordered(collective).next().is_some(), "{}", collective.name());
    }
}

/// Shows that the proof can fail.
#[test]
fn algorithms_that_swap_or_rotate_operands_are_not_taken_for_ordered() {
    for (collective, name, root) in [
        (Collective::AllReduce, "one_shot", 0),
        (Collective::AllReduce, "ring", 0),
        (Collective::Reduce, "chain", 1),
        (Collective::ReduceScatter, "pairwise", 0),
    ] {
        let algorithm = crate::algo::find(collective, name).expect("a row of the table");
        let violation =
            proof(algorithm, &Topology::one_host(2), &[false; 2], root, 8).expect_err("it swaps operands");
        assert!(matches!(violation, Violation::OutOfOrder { .. }), "{violation}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn ordered_algorithms_are_correct_for_any_mixture_of_ranks_in_place(
        row in 0..uniform().count(),
        in_place in proptest::collection::vec(any::<bool>(), 1..30),
        hosts in proptest::collection::vec(any::<bool>(), 30),
        root in any::<proptest::sample::Index>(),
        count in 0usize..60,
    ) {
        let algorithm = uniform().nth(row).unwrap();
        let root = if algorithm.collective.has_root() { root.index(in_place.len()) } else { 0 };
        let cuts: Vec<usize> = in_place.iter().enumerate().filter(|(at, _)| hosts[*at]).map(|(at, _)| at).collect();
        let labels: Vec<usize> = (0..in_place.len()).map(|rank| cuts.partition_point(|cut| *cut <= rank)).collect();
        let topology = Topology::from_labels(&labels);
        let proved = proof(algorithm, &topology, &in_place, root as Rank, count);
        prop_assert!(proved.is_ok(), "{} {}: {}", algorithm.collective.name(), algorithm.name, proved.unwrap_err());
    }
}

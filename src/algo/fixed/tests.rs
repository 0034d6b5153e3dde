//! Proves every row with the verifier: it is the collective, and it builds the fixed tree.

use proptest::prelude::*;

use super::*;
use crate::algo::algorithm::{Algorithm, HIERARCHICAL};
use crate::algo::tests::{roots, sizes};
use crate::base::{Collective, Rank};
use crate::plan::verify::{Violation, verify_each, verify_fixed, verify_order};
use crate::plan::{BlockLayout, Plan, PlanRequest};
use crate::topology::Topology;

fn proof(
    algorithm: &Algorithm,
    topology: &Topology,
    in_place: &[bool],
    root: Rank,
    count: usize,
) -> Result<(), Violation> {
    let request = PlanRequest {
        collective: algorithm.collective,
        size: in_place.len() as u32,
        rank: 0,
        root,
        count,
        element_bytes: 4,
        in_place: false,
        chunk_bytes: 12,
        topology,
        layout: BlockLayout::NONE,
    };
    let of_rank = |(rank, &in_place)| PlanRequest { rank, in_place, ..request };
    let requests: Vec<PlanRequest> = (0..).zip(in_place).map(of_rank).collect();
    let plans: Vec<Plan> = requests.iter().map(algorithm.build).collect();
    let proved = |plans: &[Plan]| {
        verify_each(plans, &requests).and_then(|()| verify_fixed(plans, &requests))?;
        // `verify_each` proves the order of scans.
        let is_in_order = fixed_in_order(algorithm.collective).any(|row| std::ptr::eq(row, algorithm));
        if is_in_order && !is_scan(algorithm.collective) { verify_order(plans, &requests) } else { Ok(()) }
    };
    proved(&plans)?;
    if !plans.iter().any(Plan::is_fused) {
        return Ok(());
    }
    proved(&plans.into_iter().map(Plan::unfused).collect::<Vec<_>>())
}

/// The rows of collectives that take one count, with those for operators that do not commute. The others are
/// proved in `algo::tests::layouts`.
fn uniform() -> impl Iterator<Item = &'static Algorithm> {
    let reducing = Collective::ALL.into_iter().filter(|collective| collective.reduces());
    let in_order = reducing.flat_map(fixed_in_order);
    FIXED.iter().chain(in_order).filter(|algorithm| !algorithm.collective.has_layout())
}

fn is_scan(collective: Collective) -> bool {
    matches!(collective, Collective::Scan | Collective::Exscan)
}

#[test]
fn every_row_builds_the_fixed_tree_for_every_size_up_to_64() {
    for algorithm in uniform().filter(|algorithm| algorithm.name != HIERARCHICAL) {
        for size in sizes(64) {
            for root in roots(algorithm.collective, size) {
                for count in [0, 1, size as usize - 1, size as usize + 1, 127] {
                    if count > 20 && size > 16 && algorithm.collective == Collective::ReduceScatter {
                        continue;
                    }
                    for every in [1, 2, 1000] {
                        let in_place: Vec<bool> = (1..=size).map(|rank| rank % every == 0).collect();
                        let proved = proof(algorithm, &Topology::one_host(size), &in_place, root, count);
                        if let Err(violation) = proved {
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
fn algorithms_by_host_build_the_fixed_tree_of_all_ranks() {
    for algorithm in uniform().filter(|algorithm| algorithm.name == HIERARCHICAL) {
        for ranks in [1, 2, 4, 8] {
            for hosts in (1..=9).filter(|hosts| hosts * ranks <= 40) {
                let size = hosts * ranks;
                let topology = Topology::from_labels(&(0..size).map(|rank| rank / ranks).collect::<Vec<_>>());
                for root in roots(algorithm.collective, size) {
                    for count in [0, 1, hosts as usize, 5, size as usize, 63, 500] {
                        let in_place: Vec<bool> = (0..size).map(|rank| rank % 3 == 1).collect();
                        if let Err(violation) = proof(algorithm, &topology, &in_place, root, count) {
                            let name = algorithm.collective.name();
                            panic!(
                                "{name}, {hosts} hosts of {ranks}, root {root}, count {count}: {violation}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn hosts_without_a_subtree_of_one_shape_are_not_served() {
    for (labels, is_served) in [
        ("aabb", true),
        ("abab", false),
        ("aabbcc", true),
        ("aaabbb", false),
        ("aaaabb", false),
        ("aabbbb", false),
        ("aaaabbbb", true),
    ] {
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
            layout: BlockLayout::NONE,
        };
        for row in FIXED.iter().filter(|row| row.name == HIERARCHICAL) {
            assert_eq!((row.supports)(&request), is_served, "{labels}");
        }
    }
}

#[test]
fn every_collective_that_reduces_has_a_row_also_in_order() {
    for collective in Collective::ALL.into_iter().filter(|collective| collective.reduces()) {
        assert!(fixed(collective).any(|row| row.name != HIERARCHICAL), "{}", collective.name());
        assert!(fixed_in_order(collective).next().is_some(), "{}", collective.name());
    }
}

/// Shows that the proof can fail.
#[test]
fn algorithms_with_other_brackets_are_not_taken_for_fixed() {
    for (collective, name, root) in [
        (Collective::AllReduce, "ring", 0),
        (Collective::AllReduce, "staged", 0),
        (Collective::Reduce, "chain", 0),
        (Collective::Reduce, "binomial", 1),
        (Collective::ReduceScatter, "pairwise", 0),
        (Collective::ReduceScatter, "ring", 0),
        (Collective::ReduceScatter, "pat", 0),
        (Collective::Scan, "recursive_doubling", 0),
        (Collective::Exscan, "recursive_doubling", 0),
    ] {
        let algorithm = crate::algo::find(collective, name).expect("a row of the table");
        let violation = proof(algorithm, &Topology::one_host(6), &[false; 6], root, 13);
        let violation = violation.expect_err("it has other brackets");
        assert!(matches!(violation, Violation::WrongResult { .. }), "{name}: {violation}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn rows_are_correct_for_any_mixture_of_ranks_in_place(
        row in 0..uniform().count(),
        in_place in proptest::collection::vec(any::<bool>(), 1..40),
        root in any::<proptest::sample::Index>(),
        count in 0usize..60,
    ) {
        let algorithm = uniform().nth(row).unwrap();
        let root = if algorithm.collective.has_root() { root.index(in_place.len()) } else { 0 };
        let topology = Topology::one_host(in_place.len() as u32);
        let proved = proof(algorithm, &topology, &in_place, root as Rank, count);
        prop_assert!(proved.is_ok(), "{} {}: {}", algorithm.collective.name(), algorithm.name, proved.unwrap_err());
    }
}

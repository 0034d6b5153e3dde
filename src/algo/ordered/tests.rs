//! Every ordered algorithm, proved by the verifier: it is the collective, and it keeps the order.

use proptest::prelude::*;

use super::*;
use crate::plan::Plan;
use crate::plan::verify::{Violation, verify, verify_order};
use crate::topology::Topology;

fn proof(algorithm: &Algorithm, in_place: &[bool], root: Rank, count: usize) -> Result<(), Violation> {
    let size = in_place.len() as u32;
    let topology = Topology::one_host(size);
    let request = PlanRequest {
        collective: algorithm.collective,
        size,
        rank: 0,
        root,
        count,
        element_bytes: 4,
        in_place: false,
        chunk_bytes: 12,
        topology: &topology,
        layout: crate::plan::BlockLayout::NONE,
    };
    let plan = |(rank, &in_place)| (algorithm.build)(&PlanRequest { rank, in_place, ..request });
    let plans: Vec<Plan> = (0..).zip(in_place).map(plan).collect();
    verify(&plans, in_place, &request).and_then(|()| verify_order(&plans, in_place, &request))
}

#[test]
fn every_ordered_algorithm_is_correct_and_keeps_the_order_for_every_size_up_to_40() {
    for algorithm in ORDERED {
        for size in 1..=40u32 {
            for root in if algorithm.collective.has_root() { 0..size } else { 0..1 } {
                for count in [0, 1, size as usize - 1, size as usize, size as usize + 1, 127] {
                    for every in [1, 2, 1000] {
                        let in_place: Vec<bool> = (1..=size).map(|rank| rank % every == 0).collect();
                        if let Err(violation) = proof(algorithm, &in_place, root, count) {
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
fn every_collective_that_reduces_has_an_ordered_algorithm() {
    for collective in Collective::ALL.into_iter().filter(|collective| collective.reduces()) {
        assert!(ordered(collective).next().is_some(), "{}", collective.name());
    }
}

/// The proof can fail.
#[test]
fn algorithms_that_swap_or_rotate_operands_are_not_taken_for_ordered() {
    for (collective, name, root) in [
        (Collective::AllReduce, "one_shot", 0),
        (Collective::AllReduce, "ring", 0),
        (Collective::Reduce, "chain", 1),
        (Collective::ReduceScatter, "pairwise", 0),
    ] {
        let algorithm = crate::algo::find(collective, name).expect("a row of the table");
        let violation = proof(algorithm, &[false; 2], root, 8).expect_err("it swaps operands");
        assert!(matches!(violation, Violation::OutOfOrder { .. }), "{violation}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn ordered_algorithms_are_correct_for_any_mixture_of_ranks_in_place(
        row in 0..ORDERED.len(),
        in_place in proptest::collection::vec(any::<bool>(), 1..30),
        root in any::<proptest::sample::Index>(),
        count in 0usize..60,
    ) {
        let algorithm = &ORDERED[row];
        let root = if algorithm.collective.has_root() { root.index(in_place.len()) } else { 0 };
        let proved = proof(algorithm, &in_place, root as Rank, count);
        prop_assert!(proved.is_ok(), "{} {}: {}", algorithm.collective.name(), algorithm.name, proved.unwrap_err());
    }
}

//! Proves every algorithm with the verifier.

mod hosts;
mod layouts;

use proptest::prelude::*;

use super::*;
use crate::base::{Collective, Rank};
use crate::plan::verify::verify;
use crate::plan::{BlockLayout, Step};
use crate::topology::Topology;

/// The algorithms of collectives that take one count.
fn uniform() -> impl Iterator<Item = &'static Algorithm> {
    ALGORITHMS.iter().filter(|algorithm| !algorithm.collective.has_layout())
}

/// Which ranks are in place.
#[derive(Clone, Copy, Debug)]
enum InPlace {
    Nobody,
    Everybody,
    /// Ranks 0, 1, 4, 5, ...: so there are pairs of equal and of unequal ranks.
    Some,
}

impl InPlace {
    fn of(self, size: u32) -> Vec<bool> {
        let is = |rank| match self {
            InPlace::Nobody => false,
            InPlace::Everybody => true,
            InPlace::Some => rank % 4 < 2,
        };
        (0..size).map(is).collect()
    }
}

fn prove(algorithm: &Algorithm, size: u32, root: Rank, count: usize, in_place: InPlace) {
    // Small, so that pipelines have several chunks and, for the larger counts, too many.
    prove_exactly(algorithm, &Topology::one_host(size), root, count, 12, &in_place.of(size));
}

fn prove_exactly(
    algorithm: &Algorithm,
    topology: &Topology,
    root: Rank,
    count: usize,
    chunk_bytes: usize,
    in_place: &[bool],
) {
    let size = topology.size();
    let request = PlanRequest {
        collective: algorithm.collective,
        size,
        rank: 0,
        root,
        count,
        element_bytes: 4,
        in_place: false,
        chunk_bytes,
        topology,
        layout: BlockLayout::NONE,
    };
    let plan = |(rank, &in_place)| (algorithm.build)(&PlanRequest { rank, in_place, ..request });
    let plans: Vec<Plan> = (0..).zip(in_place).map(plan).collect();
    assert!((algorithm.supports)(&request));
    let name = algorithm.name;
    if let Err(violation) = verify(&plans, in_place, &request) {
        panic!("{name}, {topology:?}, root {root}, count {count}, in place {in_place:?}: {violation}");
    }
    if plans.iter().any(Plan::is_fused) {
        let plans: Vec<Plan> = plans.into_iter().map(Plan::unfused).collect();
        if let Err(violation) = verify(&plans, in_place, &request) {
            panic!("{name} unfused, {topology:?}, root {root}, count {count}, {in_place:?}: {violation}");
        }
    }
}

/// Whether everything is proved that could be: `ANYCCL_TEST_LONG=1`.
pub(super) fn is_long() -> bool {
    std::env::var("ANYCCL_TEST_LONG").is_ok_and(|value| !["", "0"].contains(&value.as_str()))
}

/// Numbers of ranks up to `most` with which an algorithm is proved. Of those above 17: some primes, those
/// around powers of two, and one that `ANYCCL_TEST_SEED` chooses; in the long tests, all.
pub(super) fn sizes(most: u32) -> Vec<u32> {
    let seed = std::env::var("ANYCCL_TEST_SEED").ok().and_then(|text| text.parse().ok());
    let chosen = 18 + seed.unwrap_or(44) % (most - 17);
    let is_proved = |size: &u32| {
        *size <= 17 || [19, 23, 31, 32, 33, 63, 64].contains(size) || *size == chosen || is_long()
    };
    (1..=most).filter(is_proved).collect()
}

/// Whether no rank has more than `count` elements.
fn is_whole(collective: Collective) -> bool {
    use Collective::*;
    matches!(collective, AllReduce | Reduce | Broadcast | Scan | Exscan)
}

/// A prime that no number of ranks divides. It is smaller where the data grows with the square of the ranks.
fn large_count(collective: Collective, size: u32) -> usize {
    match collective {
        _ if is_whole(collective) && size <= 32 => 1009,
        _ if is_whole(collective) => 127,
        _ if size <= 8 => 127,
        _ => 11,
    }
}

/// All roots of few ranks. Of many ranks, those near which something may begin or end.
pub(super) fn roots(collective: Collective, size: u32) -> Vec<Rank> {
    let mut roots = match (collective.has_root(), size) {
        (false, _) => vec![0],
        (true, ..=16) => (0..size).collect(),
        (true, _) => vec![0, 1, size / 2, size - 1],
    };
    roots.dedup();
    roots
}

fn counts(collective: Collective, size: u32) -> Vec<usize> {
    let ranks = size as usize;
    let mut counts = match collective {
        Collective::Barrier => vec![0],
        _ => vec![0, 1, ranks - 1, ranks, ranks + 1, large_count(collective, size)],
    };
    // Blocks of many ranks: the length of a block no longer has to match the number of ranks anywhere.
    if !is_whole(collective) && size > 16 {
        counts.retain(|&count| count < 16);
    }
    counts
}

fn prove_everything(collective: Collective, name: &str) {
    let algorithm = find(collective, name).expect("a row of the table");
    for size in sizes(64) {
        for root in roots(collective, size) {
            for count in counts(collective, size) {
                for in_place in [InPlace::Nobody, InPlace::Everybody, InPlace::Some] {
                    prove(algorithm, size, root, count, in_place);
                }
            }
        }
    }
    for size in [97, 128, 255, 256, 1000, 1024] {
        // The memory of all ranks together grows nearly with the cube of their number.
        let limit = match (collective, name) {
            (Collective::AllToAll, "one_shot") => 97,
            (Collective::AllToAll, "bruck") => 256,
            _ => 1024,
        };
        if size <= limit {
            prove(algorithm, size, if collective.has_root() { size / 3 } else { 0 }, 1, InPlace::Some);
        }
    }
}

/// Makes one test per row of the table, so that the tests run in parallel and a failure names its row.
macro_rules! proofs {
    ($($test:ident: $collective:ident $name:literal;)*) => {
        $(#[test]
        fn $test() {
            prove_everything(Collective::$collective, $name);
        })*

        #[test]
        fn every_row_of_the_table_has_its_proof() {
            let proved = [$((Collective::$collective, $name)),*];
            // Rows with a layout are covered in `layouts`, which takes every row of a collective.
            let rows: Vec<_> = uniform().map(|row| (row.collective, row.name)).collect();
            assert!(rows.iter().all(|row| proved.contains(row)), "unproved row in {rows:?}");
            assert_eq!(rows.len(), proved.len());
        }
    };
}

proofs! {
    all_reduce_one_shot_is_correct_for_every_size_up_to_64: AllReduce "one_shot";
    all_reduce_two_shot_is_correct_for_every_size_up_to_64: AllReduce "two_shot";
    all_reduce_ring_is_correct_for_every_size_up_to_64: AllReduce "ring";
    all_reduce_recursive_doubling_is_correct_for_every_size_up_to_64: AllReduce "recursive_doubling";
    all_reduce_rabenseifner_is_correct_for_every_size_up_to_64: AllReduce "rabenseifner";
    all_reduce_staged_is_correct_for_every_size_up_to_64: AllReduce "staged";
    all_reduce_hierarchical_is_correct_for_every_size_up_to_64: AllReduce "hierarchical";
    reduce_one_shot_is_correct_for_every_size_up_to_64: Reduce "one_shot";
    reduce_binomial_is_correct_for_every_size_up_to_64: Reduce "binomial";
    reduce_rabenseifner_gather_is_correct_for_every_size_up_to_64: Reduce "rabenseifner_gather";
    reduce_chain_is_correct_for_every_size_up_to_64: Reduce "chain";
    reduce_hierarchical_is_correct_for_every_size_up_to_64: Reduce "hierarchical";
    broadcast_one_shot_is_correct_for_every_size_up_to_64: Broadcast "one_shot";
    broadcast_binomial_is_correct_for_every_size_up_to_64: Broadcast "binomial";
    broadcast_scatter_all_gather_is_correct_for_every_size_up_to_64: Broadcast "scatter_all_gather";
    broadcast_chain_is_correct_for_every_size_up_to_64: Broadcast "chain";
    broadcast_staged_is_correct_for_every_size_up_to_64: Broadcast "staged";
    broadcast_hierarchical_is_correct_for_every_size_up_to_64: Broadcast "hierarchical";
    all_gather_one_shot_is_correct_for_every_size_up_to_64: AllGather "one_shot";
    all_gather_recursive_doubling_is_correct_for_every_size_up_to_64: AllGather "recursive_doubling";
    all_gather_bruck_is_correct_for_every_size_up_to_64: AllGather "bruck";
    all_gather_pat_is_correct_for_every_size_up_to_64: AllGather "pat";
    all_gather_ring_is_correct_for_every_size_up_to_64: AllGather "ring";
    all_gather_staged_is_correct_for_every_size_up_to_64: AllGather "staged";
    all_gather_hierarchical_is_correct_for_every_size_up_to_64: AllGather "hierarchical";
    gather_linear_is_correct_for_every_size_up_to_64: Gather "linear";
    gather_binomial_is_correct_for_every_size_up_to_64: Gather "binomial";
    gather_hierarchical_is_correct_for_every_size_up_to_64: Gather "hierarchical";
    scatter_linear_is_correct_for_every_size_up_to_64: Scatter "linear";
    scatter_binomial_is_correct_for_every_size_up_to_64: Scatter "binomial";
    scatter_hierarchical_is_correct_for_every_size_up_to_64: Scatter "hierarchical";
    reduce_scatter_pairwise_is_correct_for_every_size_up_to_64: ReduceScatter "pairwise";
    reduce_scatter_direct_is_correct_for_every_size_up_to_64: ReduceScatter "direct";
    reduce_scatter_recursive_halving_is_correct_for_every_size_up_to_64: ReduceScatter "recursive_halving";
    reduce_scatter_pat_is_correct_for_every_size_up_to_64: ReduceScatter "pat";
    reduce_scatter_ring_is_correct_for_every_size_up_to_64: ReduceScatter "ring";
    reduce_scatter_hierarchical_is_correct_for_every_size_up_to_64: ReduceScatter "hierarchical";
    all_to_all_pairwise_is_correct_for_every_size_up_to_64: AllToAll "pairwise";
    all_to_all_spread_is_correct_for_every_size_up_to_64: AllToAll "spread";
    all_to_all_one_shot_is_correct_for_every_size_up_to_64: AllToAll "one_shot";
    all_to_all_bruck_is_correct_for_every_size_up_to_64: AllToAll "bruck";
    all_to_all_hierarchical_is_correct_for_every_size_up_to_64: AllToAll "hierarchical";
    scan_recursive_doubling_is_correct_for_every_size_up_to_64: Scan "recursive_doubling";
    scan_chain_is_correct_for_every_size_up_to_64: Scan "chain";
    exscan_recursive_doubling_is_correct_for_every_size_up_to_64: Exscan "recursive_doubling";
    exscan_chain_is_correct_for_every_size_up_to_64: Exscan "chain";
    barrier_one_shot_is_correct_for_every_size_up_to_64: Barrier "one_shot";
    barrier_dissemination_is_correct_for_every_size_up_to_64: Barrier "dissemination";
    barrier_hierarchical_is_correct_for_every_size_up_to_64: Barrier "hierarchical";
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn algorithms_are_correct_for_any_mixture_of_ranks_in_place_on_any_hosts(
        row in proptest::sample::select((0..uniform().count()).collect::<Vec<_>>()),
        in_place in proptest::collection::vec(any::<bool>(), 1..40),
        hosts in proptest::collection::vec(0u8..6, 40),
        root in any::<proptest::sample::Index>(),
        count in 0usize..60,
        chunk_bytes in 1usize..50,
    ) {
        let algorithm = uniform().nth(row).unwrap();
        let root = if algorithm.collective.has_root() { root.index(in_place.len()) } else { 0 };
        let count = if algorithm.collective == Collective::Barrier { 0 } else { count };
        let topology = Topology::from_labels(&hosts[..in_place.len()]);
        prove_exactly(algorithm, &topology, root as Rank, count, chunk_bytes, &in_place);
    }
}

/// A request with blocks of 3 elements among 5 ranks, for which every algorithm has a step of every kind.
fn small<'a>(algorithm: &Algorithm, topology: &'a Topology) -> PlanRequest<'a> {
    PlanRequest {
        collective: algorithm.collective,
        size: topology.size(),
        rank: 0,
        root: if algorithm.collective.has_root() { 2 } else { 0 },
        count: if algorithm.collective == Collective::Barrier { 0 } else { 3 },
        element_bytes: 4,
        in_place: false,
        chunk_bytes: 8,
        topology,
        layout: BlockLayout::NONE,
    }
}

/// Changes each step of each rank's plan of each algorithm in turn; the verifier must object every time.
fn assert_every_step_matters(
    topology: &Topology,
    rows: impl Iterator<Item = &'static Algorithm>,
    spoil: fn(&mut Vec<Step>, usize),
) {
    for algorithm in rows {
        let request = small(algorithm, topology);
        let plan = |rank| (algorithm.build)(&PlanRequest { rank, ..request });
        let plans: Vec<Plan> = (0..5).map(plan).collect();
        for rank in 0..plans.len() {
            for (lane, rounds) in plans[rank].lanes.iter().map(|lane| &lane.rounds).enumerate() {
                for (round, steps) in rounds.iter().map(|round| &round.steps).enumerate() {
                    for step in 0..steps.len() {
                        let mut spoilt = plans.clone();
                        spoil(&mut spoilt[rank].lanes[lane].rounds[round].steps, step);
                        let verdict = verify(&spoilt, &[false; 5], &request);
                        assert!(
                            verdict.is_err(),
                            "{} of {}: rank {rank}, lane {lane}, round {round}, step {step}",
                            algorithm.name,
                            algorithm.collective.name(),
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn leaving_out_any_step_of_any_algorithm_is_noticed() {
    for topology in [Topology::one_host(5), Topology::from_labels(&["a", "b", "a", "b", "b"])] {
        assert_every_step_matters(&topology, uniform().chain(NARROW), |steps, step| {
            steps.remove(step);
        });
    }
}

#[test]
fn misplacing_any_step_of_any_algorithm_is_noticed() {
    // Signals of a barrier have no content, so their place does not matter.
    let rows = || uniform().filter(|row| row.collective != Collective::Barrier).chain(NARROW);
    for topology in [Topology::one_host(5), Topology::from_labels(&["a", "b", "a", "b", "b"])] {
        assert_every_step_matters(&topology, rows(), |steps, step| match &mut steps[step] {
            Step::Copy { dst: span, .. }
            | Step::Reduce { dst: span, .. }
            | Step::Narrow { dst: span, .. }
            | Step::Widen { dst: span, .. }
            | Step::Send { span, .. }
            | Step::Recv { dst: span, .. }
            | Step::RecvReduce { dst: span, .. } => span.offset += 1,
        });
    }
}

//! Random sequences of calls. Several calls run at once, and each rank waits for them in an order of its own,
//! on any number of ranks.

use crate::common;
use anyccl_engine::base::{Collective, Rank};
use common::attempt::{Attempt, Placement, Running, check};
use common::case::{Case, support_table};
use common::ranks::{TRANSPORTS, config, on_ranks};
use common::values::noise;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// One call of a sequence.
#[derive(Clone, Debug)]
struct Turn {
    case: Case,
    /// Whether it is started and waited for later.
    started: bool,
    in_place: bool,
}

/// Largest number of calls that run at once.
const MOST_RUNNING: usize = 4;

fn turn(size: u32) -> impl Strategy<Value = Turn> {
    let count = prop_oneof![4 => 0usize..40, 3 => 40usize..3000, 1 => 3000usize..40_000];
    let cell = prop::sample::select(support_table());
    (cell, count, 0..size, any::<bool>(), any::<bool>()).prop_map(|(cell, count, root, started, in_place)| {
        let (collective, datatype, op) = cell;
        let count = if collective == Collective::Barrier { 0 } else { count };
        Turn { case: Case { collective, datatype, op, root, count }, started, in_place }
    })
}

fn sequence() -> impl Strategy<Value = (u32, Vec<Turn>)> {
    (2u32..=4).prop_flat_map(|size| (Just(size), prop::collection::vec(turn(size), 1..30)))
}

/// Waits for one of the running calls. Each rank chooses another one.
fn wait_for_one(running: &mut Vec<Running>, rank: Rank, turn: usize) {
    let at = noise(rank, turn) as usize % running.len();
    running.swap_remove(at).wait_and_verify();
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        // Communicators are expensive. A few dozen attempts find the shortest failing sequence.
        max_shrink_iters: 100,
        rng_seed: RngSeed::Fixed(20),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_sequence_of_calls_gives_the_oracles_bytes_on_every_rank((size, turns) in sequence()) {
        for transport in TRANSPORTS {
            on_ranks(size, &config(transport), |comm| {
                let mut running = Vec::new();
                for (at, turn) in turns.iter().enumerate() {
                    let placement = if turn.in_place { Placement::InPlace } else { Placement::Apart };
                    if !turn.started {
                        check(comm, turn.case, placement);
                        continue;
                    }
                    if running.len() == MOST_RUNNING {
                        wait_for_one(&mut running, comm.rank(), at);
                    }
                    let attempt = Attempt::on(comm, turn.case, placement);
                    running.push(attempt.start(comm).expect("it starts"));
                }
                for rest in (1..=running.len()).rev() {
                    wait_for_one(&mut running, comm.rank(), rest);
                }
            });
        }
    }
}

//! Ranks that make different calls. Every rank gets an error, at that call or at the end of its communicator.
//! No rank stays without an error, and none waits until the timeout.

use std::time::{Duration, Instant};

use crate::common;
use anyccl_engine::base::{Collective, Datatype, Error, Rank, ReduceOp, Result};
use anyccl_engine::comm::{CommConfig, Communicator};
use anyccl_engine::config::{Config, TransportChoice};
use anyccl_engine::observe::log;
use anyccl_engine::p2p::Selector;
use common::attempt::{Attempt, Placement};
use common::case::Case;
use common::ranks::{TRANSPORTS, config, name_of, on_failing_ranks};

/// Settings without log lines. These tests fail hundreds of communicators, whose log lines would hide
/// everything else.
fn quietly(transport: TransportChoice) -> Config {
    log::set_level(log::Level::Off);
    config(transport)
}

fn attempt(comm: &Communicator, case: Case) -> Result<()> {
    Attempt::on(comm, case, Placement::Apart).run(comm)
}

/// Calls of every kind, and calls that differ from those in root, count, datatype or operator.
fn calls() -> Vec<Case> {
    let mut calls = vec![Case::barrier()];
    for collective in Collective::UNIFORM {
        let plain = Case::plain(collective, 0, 10);
        calls.push(plain);
        if collective.has_root() {
            calls.push(Case { root: 1, ..plain });
        }
    }
    let sum = Case::plain(Collective::AllReduce, 0, 10);
    let sent = Case::plain(Collective::Broadcast, 0, 10);
    calls.push(Case { op: Some(ReduceOp::Max), ..sum });
    calls.push(Case { count: 70_000, ..sum });
    calls.push(Case { count: 0, ..sum });
    calls.push(Case { datatype: Datatype::Float64, ..sent });
    calls.push(Case { count: 11, ..sent });
    calls.push(Case { count: 200_000, ..sent });
    calls.push(Case { root: 1, count: 0, ..sent });
    calls
}

/// The call of all ranks but one, the call of that one, and its rank.
#[derive(Clone, Copy)]
struct Disagreement {
    common: Case,
    odd: Case,
    odd_rank: Rank,
}

/// Result of the call and of finalizing the communicators, on each rank.
fn outcomes(
    size: u32,
    transport: TransportChoice,
    is_derived: bool,
    what: Disagreement,
) -> Vec<Vec<Result<()>>> {
    on_failing_ranks(size, &quietly(transport), |comm| {
        let case = if comm.rank() == what.odd_rank { what.odd } else { what.common };
        if !is_derived {
            return vec![attempt(&comm, case), comm.finalize()];
        }
        let derived = comm.dup(&CommConfig::default()).expect("all ranks make it");
        vec![attempt(&derived, case), derived.finalize(), comm.finalize()]
    })
}

fn every_rank_gets_an_error(size: u32, transport: TransportChoice, is_derived: bool, what: Disagreement) {
    let Disagreement { common, odd, odd_rank } = what;
    for (rank, outcomes) in outcomes(size, transport, is_derived, what).into_iter().enumerate() {
        let of = if is_derived { " in one made from another" } else { "" };
        let transport = name_of(transport);
        let who =
            format!("rank {rank} of {size}, {transport}{of}: rank {odd_rank} called {odd}, not {common}");
        let errors: Vec<Error> = outcomes.into_iter().filter_map(Result::err).collect();
        let first = errors.first().unwrap_or_else(|| panic!("{who}: never an error"));
        assert!(matches!(first, Error::Mismatch(_)), "{who}: {first:?}");
        let text = first.to_string();
        assert!(text.contains(&common.to_string()) && text.contains(&odd.to_string()), "{who}: {text}");
    }
}

#[test]
fn every_pair_of_different_calls_is_an_error_on_every_rank() {
    let calls = calls();
    let mut turn = 0;
    for common in &calls {
        for odd in calls.iter().filter(|odd| odd.to_string() != common.to_string()) {
            // Each pair runs with one size, rank, transport and kind of communicator. All pairs together
            // cover every combination.
            turn += 1;
            let size = 2 + turn % 3;
            let odd_rank = turn / 3 % size;
            let transport = TRANSPORTS[(turn / 12 % 2) as usize];
            let what = Disagreement { common: *common, odd: *odd, odd_rank };
            every_rank_gets_an_error(size, transport, turn / 24 % 2 == 1, what);
        }
    }
}

/// Number of runs. It is high because an earlier bug appeared in some runs only.
const RUNS: usize = 60;

fn roots_that_differ(collective: Collective, size: u32) {
    let [common, odd] = [0, 1].map(|root| Case::plain(collective, root, 1));
    for run in 0..RUNS {
        let what = Disagreement { common, odd, odd_rank: 1 };
        every_rank_gets_an_error(size, TRANSPORTS[run % 2], run / 2 % 2 == 1, what);
    }
}

#[test]
fn broadcasts_with_two_roots_are_an_error_on_every_rank_in_all_of_60_runs() {
    roots_that_differ(Collective::Broadcast, 2);
    roots_that_differ(Collective::Broadcast, 3);
}

#[test]
fn scatters_with_two_roots_are_an_error_on_every_rank_in_all_of_60_runs() {
    roots_that_differ(Collective::Scatter, 2);
    roots_that_differ(Collective::Scatter, 3);
}

#[test]
fn a_reduce_among_broadcasts_is_an_error_on_every_rank_in_all_of_60_runs() {
    let [common, odd] = [Collective::Broadcast, Collective::Reduce].map(|kind| Case::plain(kind, 0, 4));
    for run in 0..RUNS {
        let what = Disagreement { common, odd, odd_rank: 1 };
        every_rank_gets_an_error(3, TRANSPORTS[run % 2], run / 2 % 2 == 1, what);
    }
}

#[test]
fn a_rank_that_takes_another_for_the_root_learns_it_from_what_it_receives() {
    for transport in TRANSPORTS {
        for collective in [Collective::Broadcast, Collective::Scatter] {
            // Rank 0 sends to rank 2, rank 2 waits for rank 1, and rank 1 waits for rank 0.
            let outcomes = on_failing_ranks(3, &quietly(transport), |comm| {
                let root = if comm.rank() == 2 { 1 } else { 0 };
                let call = attempt(&comm, Case::plain(collective, root, 10));
                (call, comm.finalize())
            });
            let (at_once, _) = &outcomes[2];
            assert!(matches!(at_once, Err(Error::Mismatch(_))), "{}: {at_once:?}", name_of(transport));
            for (call, end) in &outcomes {
                assert!(matches!((call, end), (Err(Error::Mismatch(_)), _) | (_, Err(Error::Mismatch(_)))));
            }
        }
    }
}

#[test]
fn a_call_that_only_one_rank_has_made_is_an_error_on_every_rank() {
    for transport in TRANSPORTS {
        for size in [2, 3, 4] {
            for odd_rank in 0..size {
                // No rank waits here: the root of a broadcast only sends, and a rank that sends to it has
                // nothing more to do.
                let outcomes = on_failing_ranks(size, &quietly(transport), |comm| {
                    let derived = comm.dup(&CommConfig::default()).expect("all ranks make it");
                    let mut all = vec![attempt(&derived, Case::barrier())];
                    if comm.rank() == odd_rank {
                        all.push(attempt(&derived, Case::plain(Collective::Broadcast, odd_rank, 1)));
                    }
                    all.extend([derived.finalize(), comm.finalize()]);
                    all
                });
                for (rank, outcomes) in outcomes.into_iter().enumerate() {
                    let first = outcomes.into_iter().find_map(Result::err);
                    let who = format!("rank {rank} of {size}, {odd_rank} made it, {}", name_of(transport));
                    assert!(matches!(first, Some(Error::Mismatch(_))), "{who}: {first:?}");
                }
            }
        }
    }
}

#[test]
fn a_rank_whose_call_reported_a_disagreement_finalizes_without_an_error() {
    for transport in TRANSPORTS {
        let outcomes = on_failing_ranks(3, &quietly(transport), |comm| {
            let derived = comm.dup(&CommConfig::default()).expect("all ranks make it");
            // Ranks 0 and 1 disagree. Rank 2 learns about it before its first call.
            let end = Instant::now() + Duration::from_secs(60);
            while comm.rank() == 2 && derived.failure().is_none() {
                assert!(Instant::now() < end, "rank 2 is not told");
                assert!(comm.try_probe(Selector::ANY).expect("the world works").is_none());
            }
            let count = if comm.rank() == 0 { 1 } else { 2 };
            let call = attempt(&derived, Case::plain(Collective::AllReduce, 0, count));
            (call, derived.finalize(), comm.finalize())
        });
        for (rank, (call, derived, world)) in outcomes.into_iter().enumerate() {
            let who = format!("rank {rank}, {}", name_of(transport));
            assert!(matches!(call, Err(Error::Mismatch(_))), "{who}: {call:?}");
            assert!(derived.is_ok() && world.is_ok(), "{who}: said twice: {derived:?}, {world:?}");
        }
    }
}

#[test]
fn ranks_that_agree_part_without_an_error_in_whatever_order() {
    for transport in TRANSPORTS {
        for size in [2, 3, 4] {
            on_failing_ranks(size, &quietly(transport), |comm| {
                let derived: Vec<Communicator> =
                    (0..3).map(|_| comm.dup(&CommConfig::default()).expect("all ranks make it")).collect();
                for case in calls() {
                    for comm in &derived {
                        attempt(comm, case).expect("all ranks call the same");
                    }
                }
                // Each rank finalizes the communicators in another order, some of them after the world.
                let first = comm.rank() as usize % 3;
                derived[first].finalize().expect("the same calls");
                attempt(&comm, Case::barrier()).expect("all ranks call the same");
                derived[(first + 1) % 3].finalize().expect("the same calls");
                comm.finalize().expect("the same calls");
                derived[(first + 2) % 3].finalize().expect("the same calls");
            });
        }
    }
}

#[test]
fn a_rank_that_forgets_a_call_is_said_to_have_finalized() {
    for transport in TRANSPORTS {
        let told = on_failing_ranks(3, &quietly(transport), |comm| {
            let forgets = comm.rank() == 1;
            let call =
                if forgets { Ok(()) } else { attempt(&comm, Case::plain(Collective::AllReduce, 0, 10)) };
            call.and(comm.finalize()).unwrap_err().to_string()
        });
        for (rank, told) in told.iter().enumerate() {
            let both = told.contains("rank 1 called finalize") && told.contains("called all_reduce(");
            assert!(both, "rank {rank}: {told}");
        }
    }
}

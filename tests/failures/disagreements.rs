//! Ranks that make different calls, abort, or leave too early. Every rank gets an error, and none hangs.

use std::sync::mpsc::channel;
use std::sync::{Barrier, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use crate::common;
use anyccl_engine::base::{Collective, Datatype, Error, Rank, ReduceOp, Result};
use anyccl_engine::bootstrap::UniqueId;
use anyccl_engine::comm::{CommConfig, Communicator};
use anyccl_engine::config::{Config, TransportChoice};
use anyccl_engine::observe::log;
use common::attempt::{Attempt, Placement};
use common::case::Case;
use common::lateness::Stopwatch;
use common::proc_fs::{state, wait_until};
use common::ranks::{TRANSPORTS, config, name_of, on_failing_ranks, on_ranks, on_threads};

/// Settings without log lines. These tests fail hundreds of communicators, whose log lines would hide
/// everything else.
fn quietly(transport: TransportChoice) -> Config {
    log::set_level(log::Level::Off);
    config(transport)
}

fn attempt(comm: &Communicator, case: Case) -> Result<()> {
    Attempt::on(comm, case, Placement::Apart).run(comm)
}

/// Pairs of the call that most ranks make and the call that one rank makes.
fn disagreements() -> Vec<(Case, Case)> {
    use Collective::*;
    let sum = |count| Case::plain(AllReduce, 0, count);
    let mut pairs = vec![
        (sum(10), Case::plain(AllGather, 0, 10)),
        (Case::plain(Reduce, 0, 10), Case::plain(Broadcast, 0, 10)),
        (Case::plain(AllToAll, 0, 10), Case::barrier()),
        (Case::barrier(), sum(3)),
        (sum(10), sum(11)),
        (sum(10), sum(1_000_000)),
        (sum(1_000_000), sum(10)),
        (sum(10), sum(0)),
        (sum(0), sum(10)),
        (sum(10), Case { datatype: Datatype::Float32, ..sum(10) }),
        (sum(10), Case { op: Some(ReduceOp::Max), ..sum(10) }),
    ];
    for collective in Collective::UNIFORM.into_iter().filter(|c| c.has_root()) {
        pairs.push((Case::plain(collective, 0, 10), Case::plain(collective, 1, 10)));
        pairs.push((Case::plain(collective, 1, 200_000), Case::plain(collective, 0, 200_000)));
    }
    pairs
}

/// The error of a call about which the ranks disagreed. A rank whose part of the call was correct may
/// complete it. It may also complete a barrier that the others entered before they noticed. No rank completes
/// two barriers.
fn learn(comm: &Communicator, first: Result<()>) -> Error {
    let barrier = || attempt(comm, Case::barrier());
    first.and_then(|()| barrier()).and_then(|()| barrier()).expect_err("the ranks disagree")
}

fn everybody_learns_both_calls(transport: TransportChoice, size: u32) {
    for (common, odd) in disagreements() {
        for odd_rank in 0..size {
            on_failing_ranks(size, &quietly(transport), |comm| {
                let me = comm.rank();
                let case = if me == odd_rank { odd } else { common };
                let error = learn(&comm, attempt(&comm, case));
                let who = format!(
                    "rank {me} of {size}, {}: {odd_rank} called {odd}, not {common}",
                    name_of(transport)
                );
                assert!(matches!(error, Error::Mismatch(_)), "{who}: {error:?}");
                let text = error.to_string();
                assert!(text.contains(&common.to_string()), "{who}: {text}");
                assert!(text.contains(&odd.to_string()), "{who}: {text}");
                assert!(text.contains(&format!("rank {odd_rank} called {odd}")), "{who}: {text}");
            });
        }
    }
}

#[test]
fn ranks_that_call_different_things_all_learn_both_calls_over_shared_memory() {
    for size in [2, 3, 4] {
        everybody_learns_both_calls(TransportChoice::Auto, size);
    }
}

#[test]
fn ranks_that_call_different_things_all_learn_both_calls_over_tcp() {
    for size in [2, 3, 4] {
        everybody_learns_both_calls(TransportChoice::Tcp, size);
    }
}

#[test]
fn a_failure_is_repeated_to_every_later_call_and_finalize_is_local() {
    for transport in TRANSPORTS {
        on_failing_ranks(3, &quietly(transport), |comm| {
            let case = Case::plain(Collective::AllGather, 0, 1 + comm.rank() as usize);
            let error = learn(&comm, attempt(&comm, case)).to_string();
            for collective in Collective::UNIFORM {
                let again = attempt(&comm, Case::plain(collective, 0, 5)).expect_err("it has failed");
                assert_eq!(again.to_string(), error);
            }
            let started = Attempt::on(&comm, Case::barrier(), Placement::Apart).start(&comm);
            assert_eq!(started.err().expect("it has failed").to_string(), error);
            assert_eq!(comm.failure().expect("it has failed").to_string(), error);
            comm.finalize().expect("nobody is waited for");
        });
    }
}

#[test]
fn a_finalized_communicator_refuses_calls_and_a_second_finalize() {
    on_failing_ranks(3, &quietly(TransportChoice::Auto), |comm| {
        comm.finalize().expect("the first time");
        assert!(matches!(comm.finalize(), Err(Error::InvalidUsage(_))));
        assert!(matches!(attempt(&comm, Case::barrier()), Err(Error::InvalidUsage(_))));
        assert!(comm.failure().is_none());
    });
}

/// Name of the calling thread in /proc.
fn own_task() -> String {
    let link = std::fs::read_link("/proc/thread-self").expect("Linux");
    link.to_string_lossy().into_owned()
}

#[test]
fn abort_from_another_thread_ends_a_blocked_call_at_once_on_every_rank() {
    for transport in TRANSPORTS {
        let set_free = Barrier::new(3);
        let since_abort = OnceLock::new();
        on_failing_ranks(3, &quietly(transport), |comm| {
            let comm = &comm;
            // Rank 2 makes its call only after the abort has set the others free.
            let aborted = |error: Error| {
                assert!(matches!(error, Error::Aborted(_)), "{error:?}");
                let text = error.to_string();
                assert!(text.contains("rank 0") && text.contains("tired of waiting"), "{text}");
            };
            if comm.rank() == 2 {
                set_free.wait();
                return aborted(attempt(comm, Case::barrier()).expect_err("aborted"));
            }
            let (sender, task) = channel();
            std::thread::scope(|scope| {
                let blocked = scope.spawn(|| {
                    sender.send(own_task()).expect("we listen");
                    let case = Case::plain(Collective::Gather, 2, 500_000);
                    let outcome = attempt(comm, case).and_then(|()| attempt(comm, Case::barrier()));
                    (outcome.expect_err("aborted"), Instant::now())
                });
                if comm.rank() == 0 {
                    let task = task.recv().expect("it says its name");
                    wait_until("the call sleeps", || state(&task) == Some('S'));
                    since_abort.get_or_init(|| Stopwatch::start([]));
                    comm.abort("tired of waiting");
                }
                let (error, when) = blocked.join().expect("no panic");
                aborted(error);
                let since_abort = since_abort.get().expect("the abort was before");
                since_abort.check(Duration::from_secs(1), when, format_args!("rank {}", comm.rank()));
            });
            set_free.wait();
        });
    }
}

#[test]
fn a_rank_that_leaves_without_finalizing_is_named_to_the_others() {
    for transport in TRANSPORTS {
        for leaver in 0..3 {
            on_failing_ranks(3, &quietly(transport), |comm| {
                if comm.rank() == leaver {
                    return;
                }
                let error =
                    attempt(&comm, Case::plain(Collective::AllReduce, 0, 10)).expect_err("one has left");
                match &error {
                    Error::PeerLost { rank, .. } => assert_eq!(*rank, leaver, "{error}"),
                    other => panic!("{other:?}"),
                }
            });
        }
    }
}

#[test]
fn a_rank_that_does_not_come_to_a_call_is_named_after_the_timeout() {
    for transport in TRANSPORTS {
        const LIMIT: Duration = Duration::from_millis(700);
        let (done, end) = channel::<()>();
        let (done, end) = (Mutex::new(Some(done)), Mutex::new(end));
        on_failing_ranks(2, &quietly(transport), |comm| {
            comm.set_timeout(Some(LIMIT));
            if comm.rank() == 1 {
                // The receive ends when rank 0 has dropped its sender.
                let _ = end.lock().unwrap().recv();
                return;
            }
            let _done = done.lock().unwrap().take();
            let started = Instant::now();
            let error = attempt(&comm, Case::plain(Collective::AllReduce, 0, 10)).expect_err("nobody comes");
            assert!(matches!(error, Error::Timeout { .. }), "{error:?}");
            assert!(error.to_string().contains("rank 1 "), "{error}");
            assert!(started.elapsed() >= LIMIT, "too early");
        });
    }
}

#[test]
fn a_rank_that_never_joins_is_named_to_those_who_wait() {
    // The timeout is long enough for two ranks to join on a busy machine. All cases wait at the same time.
    const PATIENCE: Duration = Duration::from_secs(5);
    let cases = (0..3).flat_map(|absent| TRANSPORTS.map(|transport| (absent, transport)));
    thread::scope(|scope| {
        for (absent, transport) in cases {
            scope.spawn(move || {
                let settings = Config { timeout: Some(PATIENCE), ..quietly(transport) };
                let id = UniqueId::create(&settings).expect("an id");
                let errors: Vec<Option<Error>> = on_threads(3, |rank: Rank| {
                    let join = || Communicator::create(&id, 3, rank, &settings, &CommConfig::default());
                    (rank != absent).then(|| join().err().expect("one rank is missing"))
                });
                for error in errors.into_iter().flatten() {
                    let right = matches!(error, Error::Timeout { .. } | Error::Bootstrap(_));
                    assert!(right && error.to_string().contains(&format!("rank {absent}")), "{error:?}");
                }
            });
        }
    });
}

#[test]
fn a_rank_outside_of_the_communicator_is_refused() {
    let settings = quietly(TransportChoice::Auto);
    let id = UniqueId::create(&settings).expect("an id");
    for (size, rank) in [(0, 0), (2, 2), (2, u32::MAX)] {
        let joined = Communicator::create(&id, size, rank, &settings, &CommConfig::default());
        assert!(matches!(joined.err(), Some(Error::InvalidArgument { .. })), "{rank} of {size}");
    }
}

#[test]
fn ranks_that_agree_get_no_error() {
    // Without this test, the tests above would also pass if every call failed.
    on_ranks(3, &quietly(TransportChoice::Auto), |comm| {
        for (common, _) in disagreements() {
            attempt(comm, common).expect("all ranks call the same");
        }
    });
}

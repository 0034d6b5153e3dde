//! Calls on a stream of a device while something goes wrong: an abort, calls that differ, a rank that does
//! not come, that is killed or stopped, a device that fails. Every rank gets an error, and its stream drains.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use crate::common;
use anyccl_engine::base::{Collective, Datatype, Error, ReduceOp, Result};
use anyccl_engine::comm::{Communicator, Operation};
use anyccl_engine::config::{Config, TransportChoice};
use common::case::Case;
use common::device::{Arena, Stream, both_paths, double, have_device};
use common::lateness::Stopwatch;
use common::processes::{ProcessJob, RankProcess, join, part, say, tcp_store};
use common::ranks::{TRANSPORTS, config, on_failing_ranks_after};
use common::watchdog::Watchdog;

const BYTES: usize = 50_000;
/// Bytes of a piece, in the tests whose calls have any.
const PIECE: usize = 7000;
/// The paths of collectives on device memory.
const PATHS: [&str; 2] = ["staged", "direct"];
/// A short deadline of calls.
const DEADLINE: Duration = Duration::from_millis(400);
/// Longest time until all ranks have their errors, by an abort or by the deadline.
const SOON: Duration = Duration::from_secs(5);
/// Time after which a rank that is told nothing hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// The settings of a test: its calls are in pieces where ranks share memory.
fn settings(transport: TransportChoice) -> Config {
    let plain = config(transport);
    match transport {
        TransportChoice::Tcp => plain,
        _ => Config { device_piece_bytes: PIECE, ..plain },
    }
}

fn operation(collective: Collective, buffer: u64) -> Operation {
    let place = std::ptr::with_exposed_provenance_mut::<u8>(buffer as usize);
    let case = match collective {
        Collective::AllReduce => Case::reducing(collective, Datatype::Uint8, ReduceOp::Sum, 0, BYTES),
        _ => Case { datatype: Datatype::Uint8, ..Case::plain(collective, 0, BYTES) },
    };
    Operation { call: case.call(), send: place.cast_const(), recv: place }
}

/// Makes a call on the stream of the communicator.
fn enqueue(comm: &Communicator, collective: Collective, buffer: u64) -> Result<()> {
    // SAFETY: the arenas of these tests live until their streams have passed all calls.
    unsafe { comm.run(&operation(collective, buffer)) }
}

/// Runs ranks with a stream each, whose body makes calls on the stream, by each path. Afterwards each rank
/// waits for its stream. Returns the error that each rank learns by its next call.
fn errors_after(size: u32, config: &Config, body: impl Fn(&Communicator, u64, &Stream) + Sync) -> Vec<Error> {
    double();
    let arenas: Vec<u64> = (0..size).map(|_| Box::leak(Box::new(Arena::new(1 << 20))).take(BYTES)).collect();
    let run = |config: Config| {
        on_failing_ranks_after(size, &config, have_device, |comm| {
            let comm = comm.shared();
            let stream = Stream::new();
            comm.set_stream(Some(stream.handle()));
            let buffer = arenas[comm.rank() as usize];
            body(&comm, buffer, &stream);
            stream.synchronize();
            let end = Instant::now() + PATIENCE;
            let error = loop {
                match comm.failure() {
                    Some(error) => break error,
                    None => assert!(Instant::now() < end, "rank {} is not told", comm.rank()),
                }
                // A rank that makes no call learns nothing.
                if let Err(error) = enqueue(&comm, Collective::AllReduce, buffer) {
                    break error;
                }
                stream.synchronize();
            };
            let _ = comm.finalize();
            stream.synchronize();
            error
        })
    };
    both_paths(config).into_iter().flat_map(run).collect()
}

#[test]
fn an_abort_by_another_thread_ends_calls_on_streams() {
    for transport in TRANSPORTS {
        let begin = Stopwatch::start([]);
        let errors = errors_after(2, &settings(transport), |comm, buffer, _| {
            if comm.rank() == 1 {
                return;
            }
            std::thread::scope(|scope| {
                for _ in 0..3 {
                    enqueue(comm, Collective::AllReduce, buffer).unwrap();
                }
                scope.spawn(|| comm.abort("enough"));
            });
        });
        assert!(errors.iter().all(|error| error.to_string().contains("enough")), "{errors:?}");
        begin.check(SOON, Instant::now(), "every rank");
    }
}

#[test]
fn a_rank_that_quits_within_a_call_gives_the_others_the_error_of_an_abort() {
    for transport in TRANSPORTS {
        let (have_begun, has_quit) = (Barrier::new(3), Barrier::new(3));
        let errors = errors_after(3, &settings(transport), |comm, buffer, _| {
            if comm.rank() > 0 {
                enqueue(comm, Collective::AllReduce, buffer).unwrap();
            }
            have_begun.wait();
            if comm.rank() == 1 {
                comm.quit("enough");
            }
            has_quit.wait();
        });
        // The errors of both paths, by rank. Rank 1 itself may be told only that it has left.
        for (rank, error) in (0..3).cycle().zip(errors) {
            let is_of_abort = matches!(error, Error::Aborted(_));
            assert!(is_of_abort || rank == 1, "rank {rank}: {error}");
        }
    }
}

#[test]
fn different_calls_on_streams_are_named_on_every_rank() {
    let errors = errors_after(2, &settings(TRANSPORTS[0]), |comm, buffer, _| {
        let collective = [Collective::AllReduce, Collective::Broadcast][comm.rank() as usize];
        enqueue(comm, collective, buffer).unwrap();
        enqueue(comm, Collective::AllReduce, buffer).ok();
    });
    for error in errors {
        assert!(matches!(error, Error::Mismatch(_)), "{error}");
    }
}

#[test]
fn a_rank_that_does_not_come_ends_the_calls_of_the_others_in_time() {
    let begin = Stopwatch::start([]);
    let have_ended = Barrier::new(3);
    let errors = errors_after(3, &settings(TRANSPORTS[0]), |comm, buffer, stream| {
        comm.set_timeout(Some(DEADLINE));
        if comm.rank() < 2 {
            enqueue(comm, Collective::AllReduce, buffer).unwrap();
            enqueue(comm, Collective::AllReduce, buffer).unwrap();
            stream.synchronize();
        }
        have_ended.wait();
    });
    for error in errors {
        assert!(error.to_string().contains("rank 2"), "{error}");
    }
    begin.check(SOON, Instant::now(), "every rank");
}

#[test]
fn a_communicator_that_is_dropped_while_calls_wait_lets_the_streams_go_on() {
    double();
    let arenas: Vec<u64> = (0..2).map(|_| Box::leak(Box::new(Arena::new(1 << 20))).take(BYTES)).collect();
    for config in both_paths(&settings(TRANSPORTS[0])) {
        let are_enqueued = Barrier::new(2);
        on_failing_ranks_after(2, &config, have_device, |comm| {
            let comm = comm.shared();
            let stream = Stream::new();
            comm.set_stream(Some(stream.handle()));
            if comm.rank() == 0 {
                for _ in 0..3 {
                    enqueue(&comm, Collective::AllReduce, arenas[0]).unwrap();
                }
            }
            are_enqueued.wait();
            comm.abort("the end");
            drop(comm);
            stream.synchronize();
        });
    }
}

#[test]
fn two_communicators_on_one_stream_whose_ranks_differ_in_their_order_end_by_a_deadline() {
    let begin = Stopwatch::start([]);
    let errors = errors_after(2, &settings(TRANSPORTS[0]), |comm, buffer, _| {
        let other = comm.dup(&Default::default()).expect("all ranks take part").shared();
        let stream = Stream::new();
        let mut both = [comm, &*other];
        for comm in both {
            comm.set_timeout(Some(DEADLINE));
            comm.set_stream(Some(stream.handle()));
        }
        if comm.rank() == 1 {
            both.reverse();
        }
        for comm in both {
            enqueue(comm, Collective::AllReduce, buffer).unwrap();
        }
        // The first deadline ends one call. Perhaps the other communicator's ranks meet then.
        stream.synchronize();
        let failures = [comm.failure(), other.failure()];
        assert!(failures.iter().any(|failure| failure.is_some()));
        let _ = other.finalize();
        comm.set_stream(None);
        comm.abort("the end");
    });
    assert_eq!(errors.len(), 2 * PATHS.len());
    begin.check(SOON, Instant::now(), "every rank");
}

#[test]
fn a_killed_rank_is_named_by_the_others_and_their_streams_drain() {
    let _watchdog = Watchdog::new("a killed rank", Duration::from_secs(60));
    let settings =
        [("shm", "staged", PIECE), ("tcp", "staged", 0), ("shm", "direct", 0), ("tcp", "direct", 0)];
    for (transport, path, piece) in settings {
        let job = ProcessJob::new(module_path!(), 3, "call until failure", tcp_store())
            .set("ANYCCL_TRANSPORT", transport)
            .set("ANYCCL_DEVICE_WAY", path)
            .set("ANYCCL_DEVICE_PIECE_BYTES", piece);
        let mut ranks = job.start_all();
        ranks.iter_mut().for_each(|rank| rank.expect("running"));
        ranks[2].signal(libc::SIGKILL);
        let lost = ranks.remove(2);
        for rank in &mut ranks {
            let said = rank.hear().text;
            assert!(said.starts_with("drained, lost 2"), "{transport}, {path}, rank {}: {said}", rank.rank);
        }
        drop(lost);
        ranks.into_iter().for_each(RankProcess::end_well);
    }
}

#[test]
fn a_stopped_rank_is_named_by_the_others_and_every_stream_drains() {
    let _watchdog = Watchdog::new("a stopped rank", Duration::from_secs(60));
    for path in PATHS {
        let job = ProcessJob::new(module_path!(), 3, "call until failure", tcp_store())
            .set("ANYCCL_DEVICE_WAY", path)
            .deadline(Duration::from_secs(1));
        let mut ranks = job.start_all();
        ranks.iter_mut().for_each(|rank| rank.expect("running"));
        ranks[1].signal(libc::SIGSTOP);
        for at in [0, 2] {
            let said = ranks[at].hear().text;
            assert!(said.starts_with("drained, ") && said.contains("rank 1"), "{path}, rank {at}: {said}");
        }
        ranks[1].signal(libc::SIGCONT);
        let said = ranks[1].hear().text;
        assert!(said.starts_with("drained, "), "{path}, the stopped rank: {said}");
        ranks.into_iter().for_each(RankProcess::end_well);
    }
}

#[test]
fn a_device_that_fails_on_one_rank_fails_the_calls_of_all() {
    if double().leaves_out("operation that is illegal when it is told to") {
        return;
    }
    let _watchdog = Watchdog::new("a corrupt context", Duration::from_secs(100));
    let operations = [1, 2, 3, 4, 5, 6, 9, 14, 23];
    let paths = [("staged", 0), ("staged", PIECE), ("direct", 0)];
    let mut numbered = 0;
    for (n, (path, piece)) in operations.into_iter().flat_map(|n| paths.map(|path| (n, path))) {
        let job = ProcessJob::new(module_path!(), 2, "fail by the device", tcp_store())
            .set("ANYCCL_TEST_CORRUPT", n)
            .set("ANYCCL_DEVICE_WAY", path)
            .set("ANYCCL_DEVICE_PIECE_BYTES", piece);
        let mut ranks = job.start_all();
        for rank in &mut ranks {
            let said = rank.hear().text;
            let who = format!("{path}, operation {n}, rank {}", rank.rank);
            assert!(said.starts_with("failed: "), "{who}: {said}");
            // A call that has failed before its path was chosen is not named as one on devices.
            let call = format!("(uint8 sum, count {BYTES})");
            for once in ["all_reduce", &call, "on \"world\" failed on rank 1 (", ": cu", "illegal"] {
                assert_eq!(said.matches(once).count(), 1, "{who}, {once}: {said}");
            }
            assert_eq!(said.matches("rank 1").count(), 1, "{who}: {said}");
            numbered += said.matches(") #").count();
        }
        ranks.into_iter().for_each(RankProcess::end_well);
    }
    // A call that could not be enqueued has no number yet.
    assert!(numbered > 0);
}

/// Makes calls on a stream until one fails.
fn call_until_failure(comm: &Communicator) {
    let (mut arena, stream) = (Arena::new(1 << 20), Stream::new());
    comm.set_stream(Some(stream.handle()));
    let buffer = arena.take(BYTES);
    let mut turn = 0;
    let error = loop {
        if turn == 12 {
            say("running");
        }
        double().fill(buffer, 1, BYTES, &stream);
        if let Err(error) = enqueue(comm, Collective::AllReduce, buffer) {
            break error;
        }
        turn += 1;
        if turn % 4 == 0 {
            stream.synchronize();
        }
    };
    stream.synchronize();
    match &error {
        Error::PeerLost { rank, .. } => say(&format!("drained, lost {rank}: {error}")),
        other => say(&format!("drained, {other}")),
    }
    let _ = comm.finalize();
}

/// Makes calls while an operation of the device of rank 1 is an illegal access.
fn fail_by_the_device(comm: &Communicator) {
    let n = std::env::var("ANYCCL_TEST_CORRUPT").expect("told").parse().expect("a number");
    let (mut arena, stream) = (Arena::new(1 << 20), Stream::new());
    let buffer = arena.take(BYTES);
    double().write(buffer, &[1; BYTES]);
    if comm.rank() == 1 {
        double().corrupt(n);
    }
    for turn in 0.. {
        comm.set_stream((turn % 3 > 0).then(|| stream.handle()));
        if let Err(error) = enqueue(comm, Collective::AllReduce, buffer) {
            // On the rank whose device has failed, this is an error, and no wait.
            stream.has_drained();
            say(&format!("failed: {error}"));
            break;
        }
    }
    let _ = comm.finalize();
    // Memory and streams of a corrupt context cannot be freed.
    std::mem::forget((arena, stream));
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(part) = part() else { return };
    double();
    let comm = join().expect("a world");
    match part.as_str() {
        "call until failure" => call_until_failure(&comm),
        "fail by the device" => fail_by_the_device(&comm),
        other => panic!("no part {other}"),
    }
}

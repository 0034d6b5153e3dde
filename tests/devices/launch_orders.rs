//! Launches of captured collectives without one of the orders that they rely on: the driver double ignores
//! the ordering calls of one function in turn, on one rank, and the ranks must not get the right bytes. All
//! ranks end, also the one whose stream never says that it has come to the launch.

use std::time::Duration;

use crate::common;
use crate::launches::{Device, ROUNDS, captured, expect_bytes, number, sum_from, sum_in_place};
use anyccl_engine::base::ReduceOp;
use anyccl_engine::comm::{Communicator, DevicePath};
use common::device::{Arena, Stream, double};
use common::graphs::CaptureMode;
use common::processes::{self, ProcessJob, first_silence, say, tcp_store};
use common::watchdog::Watchdog;

const ARENA: usize = 4 << 20;
const BYTES: usize = 300_000;
/// Number of seeds within which a missing order must do harm.
const SEEDS: u64 = 60;
/// Number of seeds that give the right bytes with all orders.
const RIGHT_SEEDS: u64 = 8;
/// Variables with what is ignored while a call is captured, and while its graph is launched.
const AT_CAPTURE: &str = "ANYCCL_TEST_AT_CAPTURE";
const AT_LAUNCH: &str = "ANYCCL_TEST_AT_LAUNCH";

/// A missing order: ordering calls of the driver, when they are ignored, and on which rank.
type Missing = (&'static str, &'static str, u32);

/// The first seed with which ranks of a path do not get the right bytes.
fn first_harm((part, path): (&'static str, &str), missing: Option<Missing>) -> Option<u64> {
    let job = ProcessJob::new(module_path!(), 2, part, tcp_store())
        .set("ANYCCL_DEVICE_WAY", path)
        .set("ANYCCL_DEVICE_MAP", "off")
        .set("CUDA_DOUBLE_OPEN_FREE", 1)
        .deadline(Duration::from_secs(if missing.is_some() { 2 } else { 50 }));
    let job = match missing {
        Some((ignored, when, rank)) => job.set(when, ignored).set("ANYCCL_TEST_IGNORING", rank),
        None => job,
    };
    let seeds = if missing.is_some() { SEEDS } else { RIGHT_SEEDS };
    first_silence(seeds, |seed| job.clone().set("CUDA_DOUBLE_SEED", seed).start_all())
}

fn check_all(of_part: (&'static str, &str), all: &[Missing]) {
    if double().leaves_out("orders that can be removed") {
        return;
    }
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(500));
    for missing in all {
        let seed = first_harm(of_part, Some(*missing));
        println!("{of_part:?}, {missing:?}: seed {seed:?}");
        assert!(seed.is_some(), "{of_part:?}, {missing:?}: no seed has shown it");
    }
    assert_eq!(first_harm(of_part, None), None);
}

#[test]
fn without_the_orders_of_a_direct_launch_some_seed_gives_wrong_bytes() {
    check_all(
        ("launches", "direct"),
        &[
            ("cuStreamWaitValue32", AT_CAPTURE, 0),
            ("cuStreamWaitValue32", AT_CAPTURE, 1),
            // The stream of the library has come to the call.
            ("cuStreamWriteValue32:1", AT_LAUNCH, 0),
            ("cuStreamWriteValue32:1", AT_LAUNCH, 1),
            // The leader's kernels have run.
            ("cuStreamWriteValue32:2", AT_LAUNCH, 0),
            // The end of the pieces on the library's stream.
            ("cuEventRecord", AT_LAUNCH, 1),
        ],
    );
}

#[test]
fn without_the_orders_of_a_staged_launch_some_seed_gives_wrong_bytes() {
    check_all(
        ("launches", "staged"),
        &[
            ("cuStreamWaitValue32", AT_CAPTURE, 0),
            ("cuStreamWaitValue32", AT_CAPTURE, 1),
            // The word for which the next launch waits is zero again.
            ("cuStreamWriteValue32", AT_CAPTURE, 0),
            ("cuStreamWriteValue32", AT_CAPTURE, 1),
        ],
    );
}

#[test]
fn without_the_order_of_collectives_in_a_graph_some_seed_gives_wrong_bytes() {
    for path in ["direct", "staged"] {
        check_all(
            ("two streams", path),
            &[("cuStreamWaitEvent", AT_CAPTURE, 0), ("cuStreamWaitEvent", AT_CAPTURE, 1)],
        );
    }
}

/// Lets the driver double ignore what a variable says, if this is the rank for it.
fn ignore(comm: &Communicator, variable: &str) {
    let ignored = std::env::var(variable).unwrap_or_default();
    let is_here = u64::from(comm.rank()) == number("ANYCCL_TEST_IGNORING");
    double().set_faults("", if is_here { &ignored } else { "" });
}

fn ignore_nothing() {
    double().set_faults("", "");
}

/// Launches with inputs that are written, and results that are copied, within the graph.
fn launches(comm: &Communicator, (arena, stream): &mut Device) {
    let (buffer, result, source) = (arena.take(BYTES), arena.take(BYTES), arena.take(BYTES));
    let operation = sum_in_place(buffer, BYTES);
    // How streams wait is measured before.
    drop(captured(comm, stream, &operation, [&|| (), &|| ()]));
    ignore(comm, AT_CAPTURE);
    let before = || double().copy(buffer, source, BYTES, stream);
    let graph =
        captured(comm, stream, &operation, [&before, &|| double().copy(result, buffer, BYTES, stream)]);
    ignore_nothing();
    let executable = graph.executable();
    for round in 1..=ROUNDS {
        double().fill(source, round + comm.rank() as u8, BYTES, stream);
        double().fill(result, 0, BYTES, stream);
        stream.synchronize();
        ignore(comm, AT_LAUNCH);
        executable.launch(stream);
        stream.synchronize();
        ignore_nothing();
        expect_bytes(result, BYTES, sum_from(round, comm.size()));
    }
}

/// A graph with two collectives on two streams. The second one reads what the first one has written. In the
/// other order, the result would be another one.
fn two_streams(comm: &Communicator, (arena, stream): &mut Device) {
    let other = Stream::new();
    let (buffer, source) = (arena.take(BYTES), arena.take(BYTES));
    let reduce = |on: &Stream, op| {
        let mut operation = sum_in_place(buffer, BYTES);
        operation.call.op = Some(op);
        comm.set_stream(Some(on.handle()));
        // SAFETY: the buffer outlives the graph.
        unsafe { comm.run(&operation) }.unwrap();
    };
    stream.begin_capture(CaptureMode::ThreadLocal);
    double().copy(buffer, source, BYTES, stream);
    other.follow(stream);
    reduce(stream, ReduceOp::Sum);
    ignore(comm, AT_CAPTURE);
    reduce(&other, ReduceOp::Max);
    ignore_nothing();
    stream.follow(&other);
    let executable = stream.end_capture().expect("a valid capture").executable();
    for round in 1..=ROUNDS {
        double().fill(source, round + comm.rank() as u8, BYTES, stream);
        stream.synchronize();
        executable.launch(stream);
        stream.synchronize();
        expect_bytes(buffer, BYTES, sum_from(round, comm.size()));
    }
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(part) = processes::part() else { return };
    double();
    let comm = processes::join().expect("all ranks join");
    let is_direct = std::env::var("ANYCCL_DEVICE_WAY").as_deref() == Ok("direct");
    assert_eq!(comm.device_path(), if is_direct { DevicePath::Direct } else { DevicePath::Staged });
    let device = &mut (Arena::new(ARENA), Stream::new());
    match part.as_str() {
        "launches" => launches(&comm, device),
        "two streams" => two_streams(&comm, device),
        other => panic!("no part {other}"),
    }
    comm.finalize().expect("all calls have ended");
    say("all is right");
}

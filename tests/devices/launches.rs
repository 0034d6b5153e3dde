//! Launches of captured collectives on the direct path, by ranks in processes of their own: the right bytes
//! on buffers that the leader has mapped at the capture, beside eager calls, updates and several streams.
//! What a launch needs is never held by calls behind it, and nothing is mapped while a stream waits.

use std::time::Duration;

use crate::common;
use anyccl_engine::base::{Collective, Datatype, ReduceOp};
use anyccl_engine::comm::{CallSpec, Communicator, Operation, Places, Unequal, enqueue_on};
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector};
use anyccl_engine::plan::{Block, BlockLayout};
use common::attempt::{Attempt, Placement};
use common::case::Case;
use common::device::{Arena, Stream, double};
use common::direct_ranks::join_direct;
use common::graphs::{CaptureMode, Executable, Graph};
use common::proc_fs::wait_until;
use common::processes::{self, ProcessJob, RankProcess, listen, say, tcp_store};
use common::watchdog::Watchdog;

const ARENA: usize = 64 << 20;
/// Longer than a slot of the bounce buffer, and no multiple of one.
const LONG: usize = 20_000_000;
pub const ROUNDS: u8 = 4;

/// A job of ranks with one device.
fn job(processes: u32, part: &'static str) -> ProcessJob {
    ProcessJob::new(module_path!(), processes, part, tcp_store())
        .set("ANYCCL_DEVICE_WAY", "direct")
        .set("CUDA_DOUBLE_OPEN_FREE", 1)
}

pub fn number(name: &str) -> u64 {
    std::env::var(name).map_or(0, |text| text.parse().expect("a number"))
}

/// Device memory and a stream of one rank.
pub type Device = (Arena, Stream);

pub fn sum_in_place(buffer: u64, bytes: usize) -> Operation {
    let place = std::ptr::with_exposed_provenance_mut::<u8>(buffer as usize);
    let case = Case::reducing(Collective::AllReduce, Datatype::Uint8, ReduceOp::Sum, 0, bytes);
    Operation { call: case.call(), send: place.cast_const(), recv: place }
}

/// A call on host memory, which all ranks make.
fn meet(comm: &Communicator) {
    Attempt::on(comm, Case::barrier(), Placement::Apart).run(comm).unwrap();
}

/// A graph of a call, and of what `before` and `after` enqueue.
pub fn captured<'a>(
    comm: &Communicator,
    stream: &Stream,
    call: impl Into<CallSpec<'a>>,
    around: [&dyn Fn(); 2],
) -> Graph {
    comm.set_stream(Some(stream.handle()));
    stream.begin_capture(CaptureMode::ThreadLocal);
    around[0]();
    // SAFETY: the buffers outlive the graph.
    unsafe { comm.run(call) }.unwrap();
    around[1]();
    stream.end_capture().expect("a valid capture")
}

fn captured_alone<'a>(comm: &Communicator, stream: &Stream, call: impl Into<CallSpec<'a>>) -> Graph {
    captured(comm, stream, call, [&|| (), &|| ()])
}

/// What the sum of the ranks' bytes is, if rank r gives `first` + r.
pub fn sum_from(first: u8, size: u32) -> u8 {
    (0..size as u8).map(|rank| first + rank).sum()
}

#[track_caller]
pub fn expect_bytes(buffer: u64, bytes: usize, expected: u8) {
    let found = double().read(buffer, bytes);
    let wrong = found.iter().position(|byte| *byte != expected);
    assert_eq!(wrong.map(|at| (at, found[at])), None, "the first wrong byte, of {bytes} that are {expected}");
}

#[test]
fn captured_collectives_give_the_oracles_bytes_and_use_buffers_that_were_mapped_at_the_capture() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(300));
    for processes in [1, 2, 4] {
        job(processes, "table").run();
    }
    job(3, "table").set("ANYCCL_DEVICE_MAP", "off").run();
}

#[test]
fn captured_calls_with_blocks_of_different_lengths_give_the_right_bytes() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(200));
    for processes in [1, 2, 4] {
        job(processes, "blocks").run();
    }
    job(3, "blocks").set("ANYCCL_DEVICE_MAP", "off").run();
}

#[test]
fn long_captured_calls_go_as_a_whole_where_all_buffers_are_mapped_and_else_in_pieces() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(200));
    for map in ["all", "off"] {
        job(2, "long").set("ANYCCL_DEVICE_MAP", map).run();
    }
}

#[test]
fn a_launch_of_one_rank_meets_an_eager_call_of_another() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(100));
    job(3, "mixed").run();
}

#[test]
fn a_launch_ends_although_calls_behind_it_hold_all_slots_and_tables() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(200));
    for late in [0, 1] {
        let mut ranks =
            job(2, "behind").set("ANYCCL_DEVICE_MAP", "off").set("ANYCCL_TEST_LATE", late).start_all();
        ranks[1 - late].expect("enqueued");
        ranks[late].tell("go");
        ranks.iter_mut().for_each(|rank| rank.expect("all is right"));
        ranks.into_iter().for_each(RankProcess::end_well);
    }
}

#[test]
fn nothing_is_mapped_while_a_stream_waits_for_a_launch() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(100));
    // The driver double ends a process that maps memory while a value wait is pending for so long.
    let mut ranks = job(2, "pending").set("CUDA_DOUBLE_HANG_MS", 300).start_all();
    ranks[0].expect("captured");
    ranks[1].tell("go");
    ranks.iter_mut().for_each(|rank| rank.expect("all is right"));
    ranks.into_iter().for_each(RankProcess::end_well);
}

#[test]
fn the_others_learn_of_a_killed_rank_at_a_launch_and_their_results_are_none() {
    let _watchdog = Watchdog::new("a killed rank", Duration::from_secs(100));
    for killed in [0, 2] {
        processes::kill_one(job(3, "launch until failure").start_all(), killed);
    }
}

#[test]
fn an_updated_graph_makes_the_new_call_and_launches_go_on_several_streams() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(100));
    job(2, "update").run();
}

#[test]
fn ranks_that_launch_different_calls_are_told_both() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(100));
    job(2, "different").run();
}

/// Captures and launches collectives of all kinds. The other ranks capture first, so that the leader finds
/// what they ask for.
fn table(comm: &Communicator, (arena, stream): &mut Device) {
    let size = comm.size();
    let operator = |collective, datatype, op| Case::reducing(collective, datatype, op, size - 1, 1001);
    let cases = [
        operator(Collective::AllReduce, Datatype::Float32, ReduceOp::Sum),
        operator(Collective::Reduce, Datatype::Float16, ReduceOp::Max),
        operator(Collective::ReduceScatter, Datatype::Bfloat16, ReduceOp::Avg),
        operator(Collective::Scan, Datatype::Int64, ReduceOp::Sum),
        operator(Collective::Exscan, Datatype::Uint8, ReduceOp::Bxor),
        Case::plain(Collective::AllGather, 0, 777),
        Case::plain(Collective::AllToAll, 0, 500),
        Case::plain(Collective::Broadcast, size - 1, 90_000),
        Case::plain(Collective::Gather, size - 1, 5),
        Case::plain(Collective::Scatter, 0, 5000),
    ];
    let before = comm.direct_buffers();
    for case in cases {
        let mut attempt = Attempt::on(comm, case, Placement::Apart);
        let outcome = attempt.run_on_device(arena, |operation| {
            let capture = || captured_alone(comm, stream, operation);
            let early = (comm.rank() > 0).then(capture);
            meet(comm);
            let graph = early.unwrap_or_else(capture);
            meet(comm);
            assert_eq!(graph.nodes(), 2, "a launch and a wait");
            for _ in 0..3 {
                graph.launch(stream);
            }
            stream.synchronize();
            comm.failure().map_or(Ok(()), Err)
        });
        outcome.unwrap_or_else(|error| panic!("{case} on rank {}: {error}", comm.rank()));
        attempt.verify();
        arena.clear();
    }
    let (in_place, moved) = comm.direct_buffers();
    let is_mapped = comm.rank() == 0 || std::env::var("ANYCCL_DEVICE_MAP").is_err();
    let (in_place, moved) = (in_place - before.0, moved - before.1);
    assert_eq!(
        (in_place > 0, moved > 0),
        (is_mapped, !is_mapped),
        "rank {}: {in_place}, {moved}",
        comm.rank()
    );
}

/// Bytes that `from` sends to `to` in [`blocks`]. Rank 2 sends and receives none.
fn block_bytes(from: usize, to: usize) -> usize {
    if from == 2 || to == 2 { 0 } else { 90_000 * from + 300 * to + 7 }
}

/// Captures and launches an exchange of blocks and a gather of blocks, with gaps between them.
fn blocks(comm: &Communicator, (arena, stream): &mut Device) {
    const STEP: usize = 400_000;
    let (rank, size) = (comm.rank() as usize, comm.size() as usize);
    for collective in [Collective::AllToAllV, Collective::GatherV] {
        let is_gather = collective == Collective::GatherV;
        let block = |at: usize, len| Block { offset: at * STEP, len };
        let sent = (0..if is_gather { 1 } else { size }).map(|to| block(to, block_bytes(rank, to)));
        let received = (0..size).map(|from| block(from, block_bytes(from, if is_gather { 0 } else { rank })));
        let received = received.filter(|_| !is_gather || rank == 0);
        let (input, output): (Vec<Block>, Vec<Block>) = (sent.collect(), received.collect());
        let (send, recv) = (arena.take(size * STEP), arena.take(size * STEP));
        let place = std::ptr::with_exposed_provenance_mut(recv as usize);
        let places = Places::Buffers { send: std::ptr::with_exposed_provenance(send as usize), recv: place };
        let layout = BlockLayout { input: &input, output: &output, ..BlockLayout::NONE };
        let call = Unequal { collective, datatype: Datatype::Uint8, op: None, root: 0, layout, places };
        let capture = || captured_alone(comm, stream, &call);
        let early = (rank > 0).then(capture);
        meet(comm);
        let graph = early.unwrap_or_else(capture);
        meet(comm);
        assert_eq!(graph.nodes(), 2, "a launch and a wait");
        for round in 1..=ROUNDS {
            double().fill(send, round + rank as u8, size * STEP, stream);
            double().fill(recv, 0, size * STEP, stream);
            graph.launch(stream);
            stream.synchronize();
            for (from, Block { offset, len }) in output.iter().enumerate() {
                expect_bytes(recv + *offset as u64, *len, round + from as u8);
                expect_bytes(recv + (offset + len) as u64, STEP - len, 0);
            }
        }
        arena.clear();
    }
    assert_eq!(comm.failure().map(|error| error.to_string()), None);
}

/// A call that takes three pieces in the bounce buffer.
fn long(comm: &Communicator, (arena, stream): &mut Device) {
    let buffer = arena.take(LONG);
    let capture = || captured_alone(comm, stream, &sum_in_place(buffer, LONG));
    let early = (comm.rank() > 0).then(capture);
    meet(comm);
    let graph = early.unwrap_or_else(capture);
    meet(comm);
    for round in 1..=ROUNDS {
        let before = comm.direct_exchanges();
        double().fill(buffer, round + comm.rank() as u8, LONG, stream);
        graph.launch(stream);
        stream.synchronize();
        expect_bytes(buffer, LONG, sum_from(round, comm.size()));
        let is_mapped = std::env::var("ANYCCL_DEVICE_MAP").as_deref() != Ok("off");
        assert_eq!(comm.direct_exchanges() - before, if is_mapped { 1 } else { 3 });
    }
}

/// In each round, another rank launches its graph, and the others make an eager call.
fn mixed(comm: &Communicator, (arena, stream): &mut Device) {
    let buffer = arena.take(100_000);
    let operation = sum_in_place(buffer, 100_000);
    let executable = captured_alone(comm, stream, &operation).executable();
    for round in 1..=3 * ROUNDS {
        double().fill(buffer, round + comm.rank() as u8, 100_000, stream);
        if u32::from(round) % comm.size() == comm.rank() {
            executable.launch(stream);
        } else {
            // SAFETY: the buffer lives until the stream has passed the call.
            unsafe { comm.run(&operation) }.unwrap();
        }
        stream.synchronize();
        expect_bytes(buffer, 100_000, sum_from(round, comm.size()));
    }
}

/// One rank has a receive, a launch and many eager calls in its stream before the other one begins. The
/// receive is staged, so it holds nothing that the launch could have later.
fn behind(comm: &Communicator, (arena, stream): &mut Device) {
    const CALLS: usize = 40;
    let buffers: Vec<u64> = (0..=CALLS).map(|_| arena.take(1000)).collect();
    let operations: Vec<Operation> = buffers.iter().map(|buffer| sum_in_place(*buffer, 1000)).collect();
    let message = std::ptr::with_exposed_provenance_mut::<u8>(arena.take(100) as usize);
    let executable = captured_alone(comm, stream, &operations[0]).executable();
    for buffer in &buffers {
        double().fill(*buffer, 1 + comm.rank() as u8, 1000, stream);
    }
    stream.synchronize();
    let is_late = number("ANYCCL_TEST_LATE") == u64::from(comm.rank());
    if is_late {
        listen();
    }
    let (count, datatype) = (100, Datatype::Uint8);
    let to = 1 - comm.rank();
    let what =
        OutgoingMessage { data: message.cast_const(), count, datatype, to, tag: 1, is_synchronous: false };
    let place = RecvBuffer { data: message, count, datatype, is_lenient: false };
    let call = if is_late { (&what).into() } else { CallSpec::Receive(Selector::ANY, place) };
    // SAFETY: the arena lives until the stream has passed the calls.
    drop(unsafe { enqueue_on(comm, &call, stream.handle()) }.expect("device memory").unwrap());
    executable.launch(stream);
    for operation in &operations[1..] {
        // SAFETY: as above.
        unsafe { comm.run(operation) }.unwrap();
    }
    if !is_late {
        say("enqueued");
    }
    stream.synchronize();
    buffers.iter().for_each(|buffer| expect_bytes(*buffer, 1000, 3));
}

/// The leader captures a second graph while its stream waits for a launch of the first one. The other rank
/// has asked it to map the memory of both.
fn pending(comm: &Communicator, (arena, stream): &mut Device) {
    let (mut apart, second) = (Arena::new(1 << 20), Stream::new());
    let buffers = [arena.take(1000), apart.take(1000)];
    let capture = |at: usize| {
        let of_call = [&*stream, &second][at];
        captured_alone(comm, of_call, &sum_in_place(buffers[at], 1000)).executable()
    };
    double().fill(buffers[0], 1 + comm.rank() as u8, 1000, stream);
    double().fill(buffers[1], 3 + comm.rank() as u8, 1000, &second);
    let first = capture(0);
    meet(comm);
    let early = (comm.rank() == 1).then(|| capture(1));
    meet(comm);
    let openings = double().live("ipc_openings");
    if comm.rank() == 1 {
        listen();
        first.launch(stream);
    } else {
        first.launch(stream);
        wait_until("the stream waits", || double().live("waits") == 1);
    }
    let of_second = early.unwrap_or_else(|| capture(1));
    assert_eq!(double().live("ipc_openings"), openings);
    if comm.rank() == 0 {
        say("captured");
    }
    stream.synchronize();
    of_second.launch(&second);
    second.synchronize();
    expect_bytes(buffers[0], 1000, 3);
    expect_bytes(buffers[1], 1000, 7);
}

/// Launches a graph until its communicator has failed.
fn launch_until_failure(comm: &Communicator, (arena, stream): &mut Device) {
    let buffer = arena.take(200_000);
    let executable = captured_alone(comm, stream, &sum_in_place(buffer, 200_000)).executable();
    for turn in 0.. {
        if turn == 12 {
            say("running");
        }
        executable.launch(stream);
        stream.synchronize();
        if let Some(error) = comm.failure() {
            // The launch that has failed, or the next one.
            executable.launch(stream);
            stream.synchronize();
            expect_bytes(buffer, 200_000, 0xFF);
            say(&format!("drained, {error}"));
            return;
        }
    }
}

/// A graph of the same shape takes the place of another one, also between launches in two streams.
fn update(comm: &Communicator, (arena, stream): &mut Device) {
    let other = Stream::new();
    let (first, second) = (arena.take(5000), arena.take(70_000));
    let of_first = captured_alone(comm, stream, &sum_in_place(first, 5000));
    let of_second = captured_alone(comm, stream, &sum_in_place(second, 70_000));
    let executable: Executable = of_first.executable();
    let objects = double().live("user_objects");
    for round in 1..=ROUNDS {
        double().fill(first, round + comm.rank() as u8, 5000, stream);
        double().fill(second, round + comm.rank() as u8, 70_000, stream);
        stream.synchronize();
        executable.update(&of_first);
        executable.launch(&other);
        executable.update(&of_second);
        // The driver makes the launches of one executable graph one after the other.
        executable.launch(stream);
        stream.synchronize();
        other.synchronize();
        expect_bytes(first, 5000, sum_from(round, comm.size()));
        expect_bytes(second, 70_000, sum_from(round, comm.size()));
    }
    assert_eq!(double().live("user_objects"), objects);
    // Only the executable graph keeps the call now, and a launch that is not at its end.
    drop((of_first, of_second));
    double().fill(second, 5 + comm.rank() as u8, 70_000, stream);
    executable.launch(stream);
    drop(executable);
    stream.synchronize();
    expect_bytes(second, 70_000, sum_from(5, comm.size()));
    wait_until("the graphs have given back what they kept", || double().live("user_objects") == 0);
}

/// The lengths of the calls differ. Each rank gets the error, and none has a result.
fn different(comm: &Communicator, (arena, stream): &mut Device) {
    let buffer = arena.take(2000);
    let bytes = 1000 * (1 + comm.rank() as usize);
    let graph = captured_alone(comm, stream, &sum_in_place(buffer, bytes));
    graph.launch(stream);
    stream.synchronize();
    expect_bytes(buffer, bytes, 0xFF);
    let error = comm.failure().expect("an error of the communicator").to_string();
    assert!(error.contains("all_reduce") && error.contains("1000") && error.contains("2000"), "{error}");
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(part) = processes::part() else { return };
    let comm = join_direct();
    let device = &mut (Arena::new(ARENA), Stream::new());
    // An allocation would wait for the stream of a rank that is ahead, and that for this rank.
    meet(&comm);
    match part.as_str() {
        "table" => table(&comm, device),
        "blocks" => blocks(&comm, device),
        "long" => long(&comm, device),
        "mixed" => mixed(&comm, device),
        "behind" => behind(&comm, device),
        "pending" => pending(&comm, device),
        "update" => update(&comm, device),
        "different" => different(&comm, device),
        "launch until failure" => launch_until_failure(&comm, device),
        other => panic!("no part {other}"),
    }
    if !matches!(part.as_str(), "launch until failure" | "different") {
        comm.finalize().expect("all calls have ended");
    }
    if part != "launch until failure" {
        say("all is right");
    }
}

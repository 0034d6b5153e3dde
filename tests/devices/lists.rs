//! Lists of collectives by the direct path: the bytes of single calls, in few exchanges, in place and apart,
//! in pieces, as a whole and in graphs. Ranks whose lists differ all learn of it before a kernel runs, and a
//! list ends when a rank is late, lost or without a device.
//!
//! `ANYCCL_TEST_SEEDS` sets the number of seeds (8; 100 is a long test).

use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::time::Duration;

use crate::common;
use anyccl_engine::base::{Collective, Datatype, Error, Rank, ReduceOp, Result};
use anyccl_engine::comm::{CallSpec, Communicator, List, Part};
use anyccl_engine::observe::log;
use common::device::{Arena, Stream, Way, double, have_device};
use common::direct_ranks::{RankDevice, devices, direct, join_direct, on_direct_ranks};
use common::graphs::CaptureMode;
use common::processes::{self, ProcessJob, say, tcp_store};
use common::ranks::on_failing_ranks_after;
use common::values::noise;
use common::watchdog::Watchdog;

const ARENA: usize = 16 << 20;
/// Room for buffers that are longer than a slot of the bounce buffer.
const LONG_ARENA: usize = 160 << 20;
const COLLECTIVES: [Collective; 4] =
    [Collective::AllReduce, Collective::Broadcast, Collective::AllGather, Collective::ReduceScatter];
/// Content of what no call has written.
const UNTOUCHED: u8 = 0xc3;
/// Calls after which the leader has mapped a buffer that each of them uses.
const WARM_UP: u64 = 4;

fn seeds() -> u64 {
    std::env::var("ANYCCL_TEST_SEEDS").map_or(8, |seeds| seeds.parse().expect("a number"))
}

fn number(name: &str) -> u64 {
    std::env::var(name).map_or(0, |text| text.parse().expect("a number"))
}

/// A buffer of a list on the device.
#[derive(Clone, Copy)]
struct Buffer {
    send: u64,
    recv: u64,
    count: usize,
    datatype: Datatype,
}

impl Buffer {
    /// Buffers with the input of this rank. In place, input and output coincide as the collective defines it.
    fn take(
        comm: &Communicator,
        arena: &mut Arena,
        collective: Collective,
        (count, datatype): (usize, Datatype),
        in_place: bool,
    ) -> Buffer {
        let (size, block) = (comm.size() as usize, count * datatype.bytes());
        let rank = comm.rank() as usize;
        let (read, written, send_at, recv_at) = match collective {
            Collective::AllGather => (block, size * block, rank * block, 0),
            Collective::ReduceScatter => (size * block, block, 0, rank * block),
            _ => (block, block, 0, 0),
        };
        let start = arena.take(read.max(written).max(1));
        let (send, recv) = match in_place {
            true => (start + send_at as u64, start + recv_at as u64),
            false => (start, arena.take(written.max(1))),
        };
        if !in_place {
            double().write(recv, &vec![UNTOUCHED; written]);
        }
        double().write(send, &elements(comm.rank(), datatype, read, send));
        Buffer { send, recv, count, datatype }
    }

    fn written(&self, comm: &Communicator, collective: Collective) -> usize {
        let blocks = if collective == Collective::AllGather { comm.size() as usize } else { 1 };
        blocks * self.count * self.datatype.bytes()
    }

    fn part(&self) -> Part {
        let (count, datatype) = (self.count, self.datatype);
        let (send, recv) =
            (with_exposed_provenance(self.send as usize), with_exposed_provenance_mut(self.recv as usize));
        Part { send, recv, count, datatype }
    }
}

/// Input of a rank. Sums of these floats depend on the order of the ranks.
fn elements(rank: Rank, datatype: Datatype, bytes: usize, seed: u64) -> Vec<u8> {
    let count = bytes / datatype.bytes();
    let value = |at: usize| noise(rank, at.wrapping_add(seed as usize));
    match datatype {
        Datatype::Float32 => (0..count).flat_map(|at| (value(at) as f32 / 1e15).to_le_bytes()).collect(),
        Datatype::Float64 => (0..count).flat_map(|at| (value(at) as f64 / 1e15).to_le_bytes()).collect(),
        _ => (0..bytes).map(|at| value(at) as u8).collect(),
    }
}

pub fn list(collective: Collective, root: Rank, parts: &[Part]) -> List<'_> {
    let is_reduction = matches!(collective, Collective::AllReduce | Collective::ReduceScatter);
    let op = is_reduction.then_some(ReduceOp::Sum);
    List { collective, op, root, parts }
}

/// Makes a call, and returns when it has ended.
fn call<'a>(way: Way, comm: &Communicator, stream: &Stream, call: impl Into<CallSpec<'a>>) -> Result<()> {
    comm.set_stream(matches!(way, Way::Stream).then(|| stream.handle()));
    let outcome = match way {
        // SAFETY: the arenas of these tests live until their streams have passed all calls.
        Way::Started => unsafe { comm.start(call) }.and_then(|mut started| started.wait()),
        // SAFETY: as above.
        _ => unsafe { comm.run(call) },
    };
    stream.synchronize();
    comm.set_stream(None);
    outcome.and_then(|()| comm.failure().map_or(Ok(()), Err))
}

/// Makes a list, and then each of its calls by itself: the bits are the same. Returns the number of exchanges
/// of the list.
fn check(
    comm: &Communicator,
    (arena, stream): &mut RankDevice,
    (collective, root): (Collective, Rank),
    shapes: &[(usize, Datatype)],
    (in_place, way): (bool, Way),
) -> u64 {
    let buffers: Vec<Buffer> =
        shapes.iter().map(|shape| Buffer::take(comm, arena, collective, *shape, in_place)).collect();
    let inputs: Vec<Vec<u8>> = buffers.iter().map(|buffer| read_input(comm, collective, buffer)).collect();
    let parts: Vec<Part> = buffers.iter().map(Buffer::part).collect();
    let before = (comm.direct_exchanges(), comm.direct_buffers());
    let outcome = call(way, comm, stream, &list(collective, root, &parts));
    outcome.unwrap_or_else(|error| panic!("{collective:?} on rank {}: {error}", comm.rank()));
    let exchanges = comm.direct_exchanges() - before.0;
    let has_elements = shapes.iter().any(|shape| shape.0 > 0);
    assert_eq!(comm.direct_buffers() != before.1, has_elements, "{collective:?}: not by the direct path");
    for (at, (buffer, input)) in buffers.iter().zip(inputs).enumerate().filter(|each| each.1.0.count > 0) {
        let written = buffer.written(comm, collective);
        let found = double().read(buffer.recv, written);
        double().write(buffer.send, &input);
        let parts = [buffer.part()];
        let all = list(collective, root, &parts);
        let single = single_call(&all, &parts[0]);
        call(Way::Blocking, comm, stream, &single).expect("a call by itself");
        let expected = double().read(buffer.recv, written);
        assert!(
            found == expected,
            "{collective:?}, {way:?}, in place {in_place}, buffer {at} of {:?} on rank {}",
            shapes[at],
            comm.rank()
        );
    }
    arena.clear();
    exchanges
}

fn single_call(list: &List, part: &Part) -> anyccl_engine::comm::Operation {
    let kind = anyccl_engine::base::CallKind::Collective(list.collective);
    let call = anyccl_engine::base::Call {
        kind,
        datatype: part.datatype,
        op: list.op,
        root: list.root,
        count: part.count as u64,
    };
    anyccl_engine::comm::Operation { call, send: part.send, recv: part.recv }
}

fn read_input(comm: &Communicator, collective: Collective, buffer: &Buffer) -> Vec<u8> {
    let blocks = if collective == Collective::ReduceScatter { comm.size() as usize } else { 1 };
    double().read(buffer.send, blocks * buffer.count * buffer.datatype.bytes())
}

/// Lists of a few buffers, of many, of several datatypes, with empty ones among them.
fn lists(comm: &Communicator, device: &mut RankDevice, seed: u64) {
    use Datatype::{Float32, Float64, Uint8};
    let many: Vec<(usize, Datatype)> = (0..70).map(|at| (noise(9, at) as usize % 700, Float32)).collect();
    let shapes: [&[(usize, Datatype)]; 4] = [
        &[(1000, Float32)],
        &[(5, Uint8), (0, Uint8), (3001, Uint8), (40_000, Uint8)],
        &[(77, Float64), (1, Uint8), (123, Float32), (0, Float64), (9, Uint8), (500, Float64)],
        &many,
    ];
    for (number, collective) in COLLECTIVES.into_iter().enumerate() {
        for (turn, shapes) in shapes.into_iter().enumerate() {
            let way = [Way::Blocking, Way::Started, Way::Stream][(number + turn + comm.rank() as usize) % 3];
            let in_place = (turn as u64 + seed).is_multiple_of(2);
            let root = turn as u32 % comm.size();
            let root = if collective == Collective::Broadcast { root } else { 0 };
            let exchanges = check(comm, device, (collective, root), shapes, (in_place, way));
            let most = if shapes.len() > 10 { 5 } else { 1 };
            assert!((1..=most).contains(&exchanges), "{collective:?}: {exchanges} exchanges");
        }
    }
}

#[test]
fn a_list_gives_the_bits_of_its_calls_in_few_exchanges() {
    for seed in 0..seeds() {
        double().set_seed(seed);
        on_direct_ranks([1, 2, 4, 3][seed as usize % 4], ARENA, |comm, device| lists(comm, device, seed));
    }
}

fn job(size: u32, part: &'static str) -> ProcessJob {
    ProcessJob::new(module_path!(), size, part, tcp_store())
        .set("ANYCCL_DEVICE_WAY", "direct")
        .set("CUDA_DOUBLE_OPEN_FREE", 1)
}

#[test]
fn a_list_gives_the_bits_of_its_calls_on_ranks_as_processes() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(120 + 6 * seeds()));
    for seed in 0..seeds().div_ceil(2) {
        let (size, devices) = [(2, 1), (3, 1), (4, 2)][seed as usize % 3];
        let job = job(size, "lists").set("CUDA_DOUBLE_SEED", seed).set("ANYCCL_TEST_SEED", seed);
        let job = job.set("CUDA_DOUBLE_DEVICES", devices).set("ANYCCL_TEST_DEVICES", devices);
        job.set("ANYCCL_DEVICE_MAP", if seed % 2 == 0 { "all" } else { "off" }).run();
    }
}

/// A list with buffers that are longer than a slot, or fill it together, and small ones between them.
fn long(comm: &Communicator, device: &mut RankDevice) {
    let shapes = [300, 20_000_000, 7, 5_000_000, 6_000_000, 0, 900].map(|count| (count, Datatype::Uint8));
    let is_mapped = std::env::var("ANYCCL_DEVICE_MAP").as_deref() != Ok("off");
    for turn in 0..=WARM_UP {
        let way = [Way::Stream, Way::Blocking][turn as usize % 2];
        let exchanges = check(comm, device, (Collective::AllReduce, 0), &shapes, (turn % 2 == 0, way));
        if turn == WARM_UP {
            assert_eq!(exchanges == 1, is_mapped, "{exchanges} exchanges");
        }
    }
    let shapes = [3_000_000, 100, 1_000_000].map(|count| (count, Datatype::Uint8));
    for collective in [Collective::ReduceScatter, Collective::AllGather] {
        check(comm, device, (collective, 0), &shapes, (false, Way::Stream));
    }
}

#[test]
fn a_list_with_long_buffers_is_one_exchange_where_all_are_mapped_and_else_several() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(300));
    for map in ["all", "off"] {
        job(2, "long").set("ANYCCL_DEVICE_MAP", map).run();
    }
}

/// A graph of a list and of fills of its buffers, launched several times, also beside eager calls of others.
fn graph(comm: &Communicator, (arena, stream): &mut RankDevice) {
    let counts: Vec<usize> = (0..30).map(|at| 100 + 400 * at).collect();
    let buffers: Vec<u64> = counts.iter().map(|count| arena.take(*count)).collect();
    let part = |(buffer, count): (&u64, &usize)| {
        let recv = with_exposed_provenance_mut::<u8>(*buffer as usize);
        Part { send: recv.cast_const(), recv, count: *count, datatype: Datatype::Uint8 }
    };
    let parts: Vec<Part> = buffers.iter().zip(&counts).map(part).collect();
    let sums = list(Collective::AllReduce, 0, &parts);
    comm.set_stream(Some(stream.handle()));
    stream.begin_capture(CaptureMode::ThreadLocal);
    // SAFETY: the buffers outlive the graph.
    unsafe { comm.run(&sums) }.expect("a capture of a list");
    let graph = stream.end_capture().expect("a valid capture");
    assert_eq!(graph.nodes(), 2, "a host function and a wait");
    for round in 0..6 {
        for (buffer, count) in buffers.iter().zip(&counts) {
            double().fill(*buffer, round + comm.rank() as u8, *count, stream);
        }
        if round > 2 && u32::from(round) % comm.size() == comm.rank() {
            // SAFETY: as above.
            unsafe { comm.run(&sums) }.expect("an eager list");
        } else {
            graph.launch(stream);
        }
        stream.synchronize();
        let sum: u8 = (0..comm.size() as u8).map(|rank| round + rank).sum();
        for (buffer, count) in buffers.iter().zip(&counts) {
            assert!(double().read(*buffer, *count).iter().all(|byte| *byte == sum), "round {round}");
        }
    }
    comm.set_stream(None);
    assert_eq!(comm.failure().map(|error| error.to_string()), None);
}

#[test]
fn a_captured_list_is_a_call_at_each_launch() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(200));
    for (size, map) in [(1, "all"), (2, "all"), (3, "off")] {
        job(size, "graph").set("ANYCCL_DEVICE_MAP", map).run();
    }
}

/// The list of rank 1, in place of counts 10, 20 and 30 of every rank.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Odd {
    Shorter,
    Longer,
    OtherCount,
    OtherOrder,
    OtherType,
    OtherCollective,
    OnHost,
    NoList,
    Empty,
}

const ODD: [Odd; 9] = [
    Odd::Shorter,
    Odd::Longer,
    Odd::OtherCount,
    Odd::OtherOrder,
    Odd::OtherType,
    Odd::OtherCollective,
    Odd::OnHost,
    Odd::NoList,
    Odd::Empty,
];

/// Makes a list of which rank 1 has another one. The error names both calls, and no kernel runs: nothing is
/// written, but by copies out of a bounce buffer between processes.
fn check_disagreement(comm: &Communicator, (arena, stream): &mut RankDevice, odd: Odd) {
    use Datatype::{Int8, Uint8};
    let is_odd = comm.rank() == 1;
    let counts: &[usize] = match odd {
        Odd::Shorter if is_odd => &[10, 20],
        Odd::Longer if is_odd => &[10, 20, 30, 1],
        Odd::OtherCount if is_odd => &[10, 20, 31],
        Odd::OtherOrder if is_odd => &[10, 30, 20],
        Odd::Empty if is_odd => &[],
        _ => &[10, 20, 30],
    };
    let datatype = |at: usize| if odd == Odd::OtherType && is_odd && at == 2 { Int8 } else { Uint8 };
    let is_gather = odd == Odd::OtherCollective && is_odd;
    let collective = if is_gather { Collective::AllGather } else { Collective::AllReduce };
    let shapes = counts.iter().enumerate().map(|(at, count)| (*count, datatype(at)));
    let buffers: Vec<Buffer> =
        shapes.map(|shape| Buffer::take(comm, arena, collective, shape, false)).collect();
    let mut host = vec![0u8; 100];
    let mut parts: Vec<Part> = buffers.iter().map(Buffer::part).collect();
    if odd == Odd::OnHost && is_odd {
        let place = host.as_mut_ptr();
        parts.iter_mut().for_each(|part| (part.send, part.recv) = (place.cast_const(), place));
    }
    let whole = list(collective, 0, &parts);
    let outcome = match odd {
        Odd::NoList if is_odd => call(Way::Stream, comm, stream, &single_call(&whole, &parts[0])),
        _ => call(Way::Stream, comm, stream, &whole),
    };
    let error = outcome.expect_err("the lists differ");
    let (who, text) = (format!("{odd:?} on rank {} of {}", comm.rank(), comm.size()), error.to_string());
    assert!(matches!(error, Error::Mismatch(_)), "{who}: {error:?}");
    assert!(text.contains("all_reduce_coalesced on devices(uint8 sum, 3 of 3 buffers"), "{who}: {text}");
    assert!(text.contains("rank 1"), "{who}: {text}");
    let are_in_place = if processes::part().is_none() { &buffers[..] } else { &[] };
    for buffer in are_in_place {
        let found = double().read(buffer.recv, buffer.written(comm, collective));
        assert!(found.iter().all(|byte| *byte == UNTOUCHED), "{who}: a kernel has run");
    }
    arena.clear();
}

#[test]
fn ranks_with_different_lists_are_told_both_before_a_kernel_runs() {
    log::set_level(log::Level::Off);
    for size in [2, 3] {
        for odd in ODD {
            let devices = devices(size, ARENA);
            on_failing_ranks_after(size, &direct(), have_device, |comm| {
                let comm = comm.shared();
                check_disagreement(&comm, &mut devices[comm.rank() as usize].lock().unwrap(), odd);
            });
        }
    }
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(100));
    for odd in 0..ODD.len() {
        job(2, "disagree").set("ANYCCL_TEST_ODD", odd).run();
    }
}

#[test]
fn a_list_with_memory_of_the_host_beside_a_device_is_refused() {
    on_direct_ranks(2, ARENA, |comm, (arena, stream)| {
        let buffer = Buffer::take(comm, arena, Collective::AllReduce, (10, Datatype::Uint8), false);
        let mut host = vec![0u8; 10];
        let place = host.as_mut_ptr();
        let parts = [buffer.part(), Part { send: place, recv: place, ..buffer.part() }];
        let outcome = call(Way::Blocking, comm, stream, &list(Collective::AllReduce, 0, &parts));
        let error = outcome.expect_err("one buffer is on the host");
        assert!(error.to_string().contains("one in ordinary host memory"), "{error}");
        // Nothing was sent.
        check(
            comm,
            &mut (Arena::part_of(arena), Stream::new()),
            (Collective::AllReduce, 0),
            &[(10, Datatype::Uint8); 2],
            (false, Way::Blocking),
        );
        arena.clear();
    });
}

/// Parts of a list that is made until it fails: two bundles.
pub fn sums(arena: &mut Arena) -> Vec<Part> {
    let part = |at: usize| {
        let count = 1000 + 300 * at;
        let recv = with_exposed_provenance_mut::<u8>(arena.take(count) as usize);
        Part { send: recv.cast_const(), recv, count, datatype: Datatype::Uint8 }
    };
    (0..30).map(part).collect()
}

/// Makes lists on a stream until one fails.
fn call_until_failure(comm: &Communicator, (arena, stream): &mut RankDevice) {
    let parts = sums(arena);
    comm.set_stream(Some(stream.handle()));
    for turn in 0.. {
        if turn == 12 {
            say("running");
        }
        // SAFETY: the arena lives until the stream has passed all calls.
        let outcome = unsafe { comm.run(&list(Collective::AllReduce, 0, &parts)) };
        if turn % 4 == 0 || outcome.is_err() {
            stream.synchronize();
        }
        if let Err(error) = outcome {
            return say(&format!("drained, {error}"));
        }
    }
}

#[test]
fn the_others_learn_of_a_rank_that_is_killed_within_lists_and_their_streams_drain() {
    let _watchdog = Watchdog::new("a killed rank", Duration::from_secs(100));
    for (killed, map) in [(0, "all"), (2, "all"), (0, "off"), (2, "off")] {
        let job = job(3, "call until failure").set("ANYCCL_DEVICE_MAP", map);
        processes::kill_one(job.start_all(), killed);
    }
}

#[test]
fn a_rank_that_does_not_come_ends_the_list_of_the_others_in_time() {
    let have_ended = std::sync::Barrier::new(3);
    // Without the leader, the others wait for the end that it tells.
    for late in [2, 0] {
        let devices = devices(3, ARENA);
        on_failing_ranks_after(3, &direct(), have_device, |comm| {
            let comm = comm.shared();
            let (arena, stream) = &mut *devices[comm.rank() as usize].lock().unwrap();
            comm.set_timeout(Some(Duration::from_millis(500)));
            let parts = sums(arena);
            let sums = || call(Way::Stream, &comm, stream, &list(Collective::AllReduce, 0, &parts));
            let outcome = if comm.rank() == late { Ok(()) } else { sums() };
            have_ended.wait();
            if comm.rank() != late {
                let error = outcome.expect_err("a rank does not come");
                let text = error.to_string();
                assert!(matches!(error, Error::Timeout { .. }), "{error:?}");
                let bundle = "all_reduce_coalesced on devices(uint8 sum, 20 of 30 buffers";
                assert!(text.contains(&format!("rank {late}")) && text.contains(bundle), "{text}");
            }
        });
    }
}

#[test]
fn an_abort_by_another_thread_ends_a_list() {
    let devices = devices(2, ARENA);
    on_failing_ranks_after(2, &direct(), have_device, |comm| {
        let comm = comm.shared();
        let (arena, stream) = &mut *devices[comm.rank() as usize].lock().unwrap();
        let parts = sums(arena);
        std::thread::scope(|scope| {
            if comm.rank() == 1 {
                scope.spawn(|| comm.abort("enough"));
                return;
            }
            let outcome = call(Way::Stream, &comm, stream, &list(Collective::AllReduce, 0, &parts));
            let text = outcome.expect_err("an abort").to_string();
            assert!(text.contains("enough"), "{text}");
        });
    });
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(part) = processes::part() else { return };
    let mut device = (Arena::new(if part == "long" { LONG_ARENA } else { ARENA }), Stream::new());
    let comm = join_direct();
    let (seed, device) = (number("ANYCCL_TEST_SEED"), &mut device);
    match part.as_str() {
        // Buffers that were used before may be mapped by then.
        "lists" => (0..3).for_each(|turn| lists(&comm, device, seed + turn)),
        "long" => long(&comm, device),
        "graph" => graph(&comm, device),
        "disagree" => {
            log::set_level(log::Level::Off);
            check_disagreement(&comm, device, ODD[number("ANYCCL_TEST_ODD") as usize]);
        }
        "call until failure" => return call_until_failure(&comm, device),
        other => panic!("no part {other}"),
    }
    device.1.synchronize();
    let ended = comm.finalize();
    assert!(ended.is_ok() || part == "disagree");
    say("all is right");
}

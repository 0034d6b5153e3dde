//! Long messages of the direct path: their receiver copies them out of the buffer of their sender. They give
//! the right bytes in the order of streams, whatever the delays of the device, with ranks as threads and as
//! processes, and without copies in host memory where the receiver can address the sender's memory.
//!
//! `ANYCCL_TEST_SEEDS` sets the number of seeds (4; 100 is a long test).

use std::cell::RefCell;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common;
use anyccl_engine::base::{Collective, Datatype, Rank, ReduceOp, Result};
use anyccl_engine::comm::{CallSpec, CommConfig, Communicator, DeviceGroup, DevicePath, Operation};
use anyccl_engine::config::Config;
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector};
use common::case::Case;
use common::device::{Arena, ArenaHome, Stream, double, have_device};
use common::processes::{self, ProcessJob, RankProcess, first_silence, id_of_job, listen, say, tcp_store};
use common::ranks::on_threads;
use common::values::noise;
use common::watchdog::Watchdog;

const ARENA: usize = 48 << 20;
/// Processes, and ranks in each of them.
const LAYOUTS: [(u32, u32); 5] = [(1, 2), (1, 3), (2, 1), (2, 2), (3, 1)];
/// A length that takes the direct path, and one that does not.
const LONG: usize = (1 << 20) + 12_345;
const SHORT: usize = 3000;
const TAG: i32 = 5;
/// Groups after which each receiver would have mapped what each other rank sends, if it could.
const WARM_UP: usize = 5;

fn seeds() -> u64 {
    std::env::var("ANYCCL_TEST_SEEDS").map_or(4, |seeds| seeds.parse().expect("a number"))
}

/// Variable with the length up to which messages are staged.
const LEAST: &str = "ANYCCL_DEVICE_MESSAGE_BYTES";

fn job(processes: u32, threads: u32, part: &'static str) -> ProcessJob {
    ProcessJob::new(module_path!(), processes, part, tcp_store())
        .set("ANYCCL_DEVICE_WAY", "direct")
        .set("ANYCCL_TEST_THREADS", threads)
}

fn start(job: &ProcessJob) -> Vec<RankProcess> {
    let mut ranks = job.start_all();
    let id = ranks[0].hear().text;
    ranks.iter_mut().for_each(|rank| rank.tell(&id));
    ranks
}

fn run(job: &ProcessJob) {
    let mut ranks = start(job);
    ranks.iter_mut().for_each(|rank| rank.expect("all is right"));
    ranks.into_iter().for_each(RankProcess::end_well);
}

fn number(name: &str) -> u64 {
    std::env::var(name).map_or(0, |text| text.parse().expect("a number"))
}

/// Device memory and two streams of one rank.
type Device = (Arena, [Stream; 2]);

#[test]
fn groups_of_sends_and_receives_give_the_right_bytes_without_copies_in_host_memory() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(100 + 20 * seeds()));
    for seed in 0..seeds() {
        for (processes, threads) in LAYOUTS {
            let job = job(processes, threads, "groups").set("CUDA_DOUBLE_SEED", seed);
            run(&job.set("ANYCCL_TEST_SEED", seed).set("CUDA_DOUBLE_HANG_MS", 20_000));
        }
    }
}

#[test]
fn shorter_messages_are_direct_if_a_variable_says_so_and_ranks_may_differ() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(100));
    for (processes, threads) in [(3, 1), (2, 2)] {
        run(&job(processes, threads, "groups").set(LEAST, 0).set("CUDA_DOUBLE_HANG_MS", 20_000));
    }
    let job = job(2, 1, "groups").set("ANYCCL_TEST_HOME", "differ");
    let mut ranks = vec![job.clone().set(LEAST, 0).start(0), job.start(1)];
    let id = ranks[0].hear().text;
    ranks.iter_mut().for_each(|rank| rank.tell(&id));
    ranks.iter_mut().for_each(|rank| rank.expect("all is right"));
    ranks.into_iter().for_each(RankProcess::end_well);
}

#[test]
fn memory_that_cannot_be_exported_goes_through_the_host_and_the_pair_decides() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(100));
    for (processes, threads) in [(3, 1), (2, 2)] {
        run(&job(processes, threads, "groups").set("ANYCCL_TEST_HOME", "last in a pool"));
    }
    run(&job(2, 1, "groups").set("ANYCCL_DEVICE_MAP", "off").set("ANYCCL_TEST_HOME", "no maps"));
}

#[test]
fn a_message_between_a_device_and_host_memory_arrives() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(100));
    for (processes, threads) in [(2, 1), (1, 2)] {
        run(&job(processes, threads, "mixed"));
    }
}

#[test]
fn messages_are_sent_and_received_in_the_order_of_streams() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(100 + 10 * seeds()));
    for seed in 0..seeds() {
        for (processes, threads) in [(2, 1), (1, 2)] {
            run(&job(processes, threads, "order").set("CUDA_DOUBLE_SEED", seed));
        }
    }
}

#[test]
fn without_the_waits_of_a_stream_some_seed_gives_wrong_bytes() {
    if double().leaves_out("waits that can be removed") {
        return;
    }
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(500));
    let harm = |ignored: &str, of_rank: i32| {
        let job = job(2, 1, "order")
            .deadline(Duration::from_secs(if ignored.is_empty() { 50 } else { 2 }))
            .set("ANYCCL_TEST_IGNORED", ignored)
            .set("ANYCCL_TEST_IGNORING", of_rank);
        let seeds = if ignored.is_empty() { 1 } else { 40 };
        first_silence(seeds, |seed| start(&job.clone().set("CUDA_DOUBLE_SEED", seed)))
    };
    for (ignored, rank) in [
        ("cuStreamWaitValue32", 0),
        ("cuStreamWaitValue32", 1),
        ("cuStreamWriteValue32", 0),
        ("cuStreamWriteValue32", 1),
    ] {
        let seed = harm(ignored, rank);
        println!("{ignored} of rank {rank}: seed {seed:?}");
        assert!(seed.is_some(), "{ignored} of rank {rank}: no seed has shown it");
    }
    assert_eq!(harm("", 0), None);
}

#[test]
fn a_receiver_learns_of_a_killed_sender_and_a_sender_of_a_killed_receiver() {
    let _watchdog = Watchdog::new("a killed rank", Duration::from_secs(100));
    for killed in [0, 1] {
        let mut ranks = start(&job(2, 1, "send until failure"));
        ranks.iter_mut().for_each(|rank| rank.expect("running"));
        ranks[killed].signal(libc::SIGKILL);
        let lost = ranks.remove(killed);
        let said = ranks[0].hear().text;
        assert!(said.starts_with("drained"), "without rank {killed}: {said}");
        drop(lost);
        ranks.into_iter().for_each(RankProcess::end_well);
    }
}

#[test]
fn a_send_without_a_receive_ends_at_its_deadline_and_names_it() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(60));
    let mut ranks = start(&job(2, 1, "deadline"));
    ranks[0].expect("all is right");
    ranks[1].tell("leave");
    ranks[1].expect("all is right");
    ranks.into_iter().for_each(RankProcess::end_well);
}

/// A byte pattern that depends on a number.
fn pattern(seed: u64, len: usize) -> Vec<u8> {
    const PERIOD: usize = 251 * 256;
    let period: Vec<u8> =
        (0..len.min(PERIOD)).map(|at| (at / 251 * 7 + at + seed as usize * 31) as u8).collect();
    let mut all = period.repeat(len.div_ceil(PERIOD));
    all.truncate(len);
    all
}

fn outgoing(to: Rank, from: u64, bytes: usize) -> OutgoingMessage {
    let data = std::ptr::with_exposed_provenance(from as usize);
    OutgoingMessage {
        to,
        tag: TAG,
        datatype: Datatype::Byte,
        count: bytes as u64,
        data,
        is_synchronous: false,
    }
}

fn incoming(from: Rank, to: u64, bytes: usize) -> (Selector, RecvBuffer) {
    let data = std::ptr::with_exposed_provenance_mut(to as usize);
    let buffer = RecvBuffer { data, datatype: Datatype::Byte, count: bytes as u64, is_lenient: false };
    (Selector::new(Some(from), Some(TAG)), buffer)
}

/// The lengths of the messages from a rank to another one in a group. Without a turn, all are long.
fn lengths(seed: u64, turn: Option<u64>, from: Rank, to: Rank) -> Vec<usize> {
    let Some(turn) = turn else { return vec![LONG] };
    let chance = noise((seed * 256 + turn * 16) as u32 + from * 4 + to, 1);
    let count = chance as usize % 3;
    (0..count).map(|at| [LONG, 0, SHORT, LONG + 777][(chance >> (8 + 8 * at)) as usize % 4]).collect()
}

/// One group: messages from each rank to each one, also to itself, on two streams.
fn group(comm: &Arc<Communicator>, device: &mut Device, seed: u64, turn: Option<u64>) {
    let (arena, streams) = device;
    let number = turn.unwrap_or_default();
    let (me, size) = (comm.rank(), comm.size());
    let mut group = DeviceGroup::begin();
    let mut received = Vec::new();
    for peer in 0..size {
        for (at, bytes) in lengths(seed, turn, me, peer).into_iter().enumerate() {
            let from = arena.take(bytes.max(1));
            double().write(from, &pattern(u64::from(me * 16 + peer) + at as u64 + number, bytes));
            let stream = &streams[(at + peer as usize) % 2];
            let message = outgoing(peer, from, bytes);
            assert!(bytes == 0 || group.add(comm, &CallSpec::Send(&message), stream.handle(), ()));
        }
        for (at, bytes) in lengths(seed, turn, peer, me).into_iter().enumerate() {
            let to = arena.take(bytes.max(1));
            let stream = &streams[(at + me as usize) % 2];
            let (selector, buffer) = incoming(peer, to, bytes);
            let call = CallSpec::ReceiveAll(selector, buffer);
            assert!(bytes == 0 || group.add(comm, &call, stream.handle(), ()));
            received.push((to, pattern(u64::from(peer * 16 + me) + at as u64 + number, bytes)));
        }
    }
    let mut calls = Vec::new();
    // SAFETY: the arena lives until the streams have passed all calls.
    unsafe { group.finish(&mut |(), call| calls.push(call)) }.expect("all calls are enqueued");
    streams.iter().for_each(Stream::synchronize);
    for call in calls {
        call.wait().unwrap_or_else(|error| panic!("rank {me}: {error}"));
    }
    for (to, expected) in received {
        assert!(double().read(to, expected.len()) == expected, "seed {seed}, turn {turn:?}, rank {me}");
    }
    arena.clear();
}

/// Whether something holds on all ranks.
fn on_all_ranks(comm: &Communicator, holds: bool) -> bool {
    let mut all = u8::from(holds);
    let place = &raw mut all;
    let case = Case::reducing(Collective::AllReduce, Datatype::Uint8, ReduceOp::Min, 0, 1);
    let operation = Operation { call: case.call(), send: place.cast_const(), recv: place };
    // SAFETY: one byte, which lives until the call has ended.
    unsafe { comm.run(&operation) }.expect("all ranks take part");
    all == 1
}

fn groups(comm: &Arc<Communicator>, device: &mut Device) {
    let seed = number("ANYCCL_TEST_SEED");
    let home = std::env::var("ANYCCL_TEST_HOME").unwrap_or_default();
    let buffers_of = |device: &mut Device, turns: &[Option<u64>]| {
        let before = comm.direct_buffers();
        turns.iter().for_each(|turn| group(comm, device, seed, *turn));
        let after = comm.direct_buffers();
        (after.0 - before.0, after.1 - before.1)
    };
    if home.is_empty() {
        // Memory is mapped at the beginning of a call, if no other call of the process is queued.
        while !on_all_ranks(comm, buffers_of(device, &[None]).1 == 0) {}
    } else {
        buffers_of(device, &[None; WARM_UP]);
    }
    let (in_place, through_host) = buffers_of(device, &[0, 1, 2, 3].map(Some));
    if home.is_empty() {
        let (me, least) = (comm.rank(), std::env::var(LEAST).map_or(1 << 20, |_| number(LEAST) as usize));
        let between = |(turn, peer): (u64, Rank)| {
            let sent = lengths(seed, Some(turn), me, peer);
            [sent, lengths(seed, Some(turn), peer, me)].concat()
        };
        let pairs = (0..4).flat_map(|turn| (0..comm.size()).map(move |peer| (turn, peer)));
        let direct = pairs.flat_map(between).filter(|bytes| *bytes > least).count() as u64;
        assert_eq!((in_place, through_host), (direct, 0), "rank {me}");
    }
}

/// Long messages between device memory of one rank and host memory of the other, in both directions, also on
/// a receive that takes less than comes.
fn mixed(comm: &Arc<Communicator>, device: &mut Device) {
    let (arena, _) = device;
    let (me, peer) = (comm.rank(), 1 - comm.rank());
    let place = arena.take(LONG);
    for turn in 0..6_u64 {
        let sender = turn as Rank % 2;
        let sends_from_device = turn / 2 % 2 == 0;
        let message = pattern(turn, LONG);
        let mut host = vec![0; LONG];
        let is_on_device = (me == sender) == sends_from_device || turn >= 4;
        if me == sender {
            double().write(place, &message);
            host.copy_from_slice(&message);
            let from = if is_on_device { place } else { host.as_ptr().expose_provenance() as u64 };
            // SAFETY: both live until the call has ended.
            unsafe { comm.send(&outgoing(peer, from, LONG)) }.expect("it is received");
        } else {
            let to = if is_on_device { place } else { host.as_mut_ptr().expose_provenance() as u64 };
            let (selector, buffer) = incoming(peer, to, LONG);
            // SAFETY: both live until the call has ended.
            let status = unsafe { comm.receive(selector, buffer) }.expect("it is sent");
            assert_eq!((status.source, status.bytes), (peer, LONG));
            let found = if is_on_device { double().read(place, LONG) } else { host };
            assert!(found == message, "turn {turn}");
        }
    }
    // Too much comes, and the receive is lenient.
    let lenient = |comm: &Communicator| {
        let (selector, buffer) = incoming(0, place, LONG - 99);
        // SAFETY: the arena lives until the call has ended.
        let outcome = unsafe { comm.receive(selector, RecvBuffer { is_lenient: true, ..buffer }) };
        let error = outcome.expect_err("the message is too long").to_string();
        assert!(error.contains("too long"), "{error}");
    };
    double().write(place, &pattern(if me == 0 { 9 } else { 8 }, LONG));
    match me {
        // SAFETY: as above.
        0 => unsafe { comm.send(&outgoing(1, place, LONG)) }.expect("it is received"),
        _ => lenient(comm),
    }
    arena.clear();
}

/// Sends on a stream what the stream writes before, and receives what it copies afterwards. The host does not
/// wait between them.
fn order(comm: &Arc<Communicator>, device: &mut Device) {
    const ROUNDS: u8 = 6;
    let (arena, streams) = device;
    let stream = &streams[0];
    let (place, all) = (arena.take(LONG), arena.take(ROUNDS as usize * LONG));
    let calls = RefCell::new(Vec::new());
    let in_group = |call: &CallSpec| {
        let mut group = DeviceGroup::begin();
        assert!(group.add(comm, call, stream.handle(), ()));
        // SAFETY: the arena lives until the stream has passed all calls.
        unsafe { group.finish(&mut |(), call| calls.borrow_mut().push(call)) }.expect("it is enqueued");
    };
    let exchange = |round: u8| {
        let at = all + u64::from(round) * LONG as u64;
        if comm.rank() == 0 {
            double().fill(place, round + 1, LONG, stream);
            in_group(&CallSpec::Send(&outgoing(1, place, LONG)));
            double().fill(place, 0xee, LONG, stream);
        } else {
            double().fill(place, 0xdd, LONG, stream);
            let (selector, buffer) = incoming(0, place, LONG);
            in_group(&CallSpec::ReceiveAll(selector, buffer));
            double().copy(at, place, LONG, stream);
        }
    };
    // Until the memory is mapped.
    for round in 0..3 {
        exchange(round);
        stream.synchronize();
    }
    if u64::from(comm.rank()) == number("ANYCCL_TEST_IGNORING") {
        double().set_faults("", &std::env::var("ANYCCL_TEST_IGNORED").unwrap_or_default());
    }
    (0..ROUNDS).for_each(exchange);
    stream.synchronize();
    double().set_faults("", "");
    assert!(comm.failure().is_none());
    for call in calls.take() {
        call.wait().expect("it has ended");
    }
    for round in 0..ROUNDS * comm.rank() as u8 {
        let found = double().read(all + u64::from(round) * LONG as u64, LONG);
        assert!(found.iter().all(|byte| *byte == round + 1), "round {round}");
    }
}

/// Makes a long message from rank 0 to rank 1.
fn one_message(comm: &Communicator, place: u64) -> Result<()> {
    if comm.rank() == 0 {
        // SAFETY: the arena lives until the stream has passed the call.
        return unsafe { comm.send(&outgoing(1, place, LONG)) };
    }
    let (selector, buffer) = incoming(0, place, LONG);
    // SAFETY: as above.
    unsafe { comm.receive(selector, buffer) }.map(drop)
}

/// Makes long messages from rank 0 to rank 1 until one fails.
fn send_until_failure(comm: &Arc<Communicator>, device: &mut Device) {
    let (arena, streams) = device;
    comm.set_stream(Some(streams[0].handle()));
    let place = arena.take(LONG);
    for turn in 0.. {
        if turn == 12 {
            say("running");
        }
        if let Err(error) = one_message(comm, place) {
            streams[0].synchronize();
            say(&format!("drained, {error}"));
            break;
        }
        if turn % 4 == 0 {
            streams[0].synchronize();
        }
    }
}

/// Rank 0 sends what rank 1 does not receive. Rank 1 stays until rank 0 has learnt it.
fn deadline(comm: &Arc<Communicator>, device: &mut Device) {
    let place = device.0.take(LONG);
    (0..4).for_each(|_| one_message(comm, place).expect("both take part"));
    comm.set_timeout(Some(Duration::from_millis(300)));
    if comm.rank() == 0 {
        let error = one_message(comm, place).expect_err("nobody receives it").to_string();
        assert!(error.contains("send(") && error.contains("rank 1"), "{error}");
    } else {
        listen();
    }
}

fn home(rank: Rank, size: u32) -> ArenaHome {
    match std::env::var("ANYCCL_TEST_HOME").as_deref() {
        Ok("last in a pool") if rank + 1 == size => ArenaHome::Pool,
        _ => ArenaHome::Plain,
    }
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(part) = processes::part() else { return };
    double();
    let config = Config::from_environment().expect("settings");
    let (threads, process) = (number("ANYCCL_TEST_THREADS") as u32, number("ANYCCL_RANK"));
    let id = id_of_job(process, &config);
    let size = threads * number("ANYCCL_WORLD_SIZE") as u32;
    let device = |thread| {
        let home = home(process as u32 * threads + thread, size);
        (Arena::of(home, ARENA), [Stream::new(), Stream::new()])
    };
    let devices: Vec<_> = (0..threads).map(|thread| Mutex::new(device(thread))).collect();
    on_threads(threads, |thread| {
        have_device();
        let rank = process as u32 * threads + thread;
        let device = &mut *devices[thread as usize].lock().unwrap();
        let comm = Communicator::create(&id, size, rank, &config, &CommConfig::default());
        let comm = comm.expect("all ranks join").shared();
        assert_eq!(comm.device_path(), DevicePath::Direct);
        match part.as_str() {
            "groups" => groups(&comm, device),
            "mixed" => mixed(&comm, device),
            "order" => order(&comm, device),
            "send until failure" => return send_until_failure(&comm, device),
            "deadline" => return deadline(&comm, device),
            other => panic!("no part {other}"),
        }
        comm.finalize().expect("all calls have ended");
    });
    if part != "send until failure" {
        say("all is right");
    }
}

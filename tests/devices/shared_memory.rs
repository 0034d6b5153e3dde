//! What the communicators of a process share: bounce buffers on the device, and pinned memory. Two of them
//! have no more than one, whatever the order of their calls is on each rank, and all of it is given back.

use std::sync::Barrier;
use std::time::Duration;

use crate::common;
use anyccl_engine::base::{Collective, Datatype, ReduceOp};
use anyccl_engine::comm::{CommConfig, Communicator, Operation, world_finalize};
use common::case::Case;
use common::device::{Arena, Stream, double, have_device};
use common::direct_ranks::join_direct;
use common::processes::{self, ProcessJob, RankProcess, say, tcp_store};
use common::ranks::{TRANSPORTS, config, on_failing_ranks_after};
use common::watchdog::Watchdog;

/// Bytes of a bounce buffer, and of one side of a slot.
const BOUNCE: u64 = 128 << 20;
const SLOT: usize = 8 << 20;
/// Most bytes that a communicator has for itself, on rank 0.
const TABLES: u64 = 8 << 20;
/// Communicators that have their own slots in one bounce buffer.
const IN_ONE: usize = 2;
/// Calls on each stream: more than a bounce buffer has slots.
const DEPTH: usize = 12;

/// A job whose calls all go through bounce buffers.
fn run(processes: u32, part: &'static str, seed: u64) {
    let job = ProcessJob::new(module_path!(), processes, part, tcp_store())
        .set("ANYCCL_DEVICE_WAY", "direct")
        .set("ANYCCL_DEVICE_MAP", "off")
        .set("CUDA_DOUBLE_SEED", seed);
    let mut ranks = job.start_all();
    ranks.iter_mut().for_each(|rank| rank.expect("all is right"));
    ranks.into_iter().for_each(RankProcess::end_well);
}

#[test]
fn communicators_share_bounce_buffers_and_the_last_one_gives_them_back() {
    if double().leaves_out("memory that is counted") {
        return;
    }
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(100));
    for processes in [2, 3] {
        run(processes, "bytes", 0);
    }
}

#[test]
fn calls_of_several_communicators_in_another_order_on_each_rank_end() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(200));
    // Rank 0 needs no slots, so two other ranks must differ.
    for seed in 0..3 {
        run(3, "crossing", seed);
    }
    run(4, "crossing", 0);
}

#[test]
fn pinned_memory_shrinks_when_calls_do_not_need_it_and_goes_with_the_last_communicator() {
    if double().leaves_out("memory that is counted") {
        return;
    }
    let _watchdog = Watchdog::new("ranks as threads", Duration::from_secs(100));
    run(1, "pinned", 0);
}

/// The sum of all ranks' bytes.
fn sum(comm: &Communicator, buffer: u64, bytes: usize) {
    let place = std::ptr::with_exposed_provenance_mut::<u8>(buffer as usize);
    let case = Case::reducing(Collective::AllReduce, Datatype::Uint8, ReduceOp::Sum, 0, bytes);
    let operation = Operation { call: case.call(), send: place.cast_const(), recv: place };
    // SAFETY: the arena lives until the stream has passed the call.
    unsafe { comm.run(&operation) }.expect("nothing fails");
}

/// Calls of as many bytes on each communicator, one after the other.
fn check(comms: &[&Communicator], arena: &mut Arena, bytes: usize) {
    let stream = Stream::new();
    for (turn, comm) in comms.iter().enumerate() {
        let buffer = arena.take(bytes);
        double().fill(buffer, comm.rank() as u8 + turn as u8, bytes, &stream);
        stream.synchronize();
        sum(comm, buffer, bytes);
        let expected: u32 = (0..comm.size()).map(|rank| rank + turn as u32).sum();
        assert!(double().read(buffer, bytes).iter().all(|byte| u32::from(*byte) == expected));
    }
    arena.clear();
}

fn bytes() -> u64 {
    double().live("bytes")
}

/// Communicators one by one, and what the device has for them.
fn bytes_of_communicators(arena: &mut Arena) {
    let before = (bytes(), double().live("physical"));
    let world = join_direct();
    let of = |bounces: u64, communicators: usize| {
        let more = bytes() - before.0;
        let least = bounces * BOUNCE;
        assert!((least..=least + communicators as u64 * TABLES).contains(&more), "{more} bytes");
        // Rank 0 has mapped those of the others.
        let mapped = if world.rank() == 0 { u64::from(world.size() - 1) } else { 0 };
        assert_eq!(double().live("physical") - before.1, bounces * (1 + mapped));
    };
    of(1, 1);
    let mut others = Vec::new();
    while others.len() + 1 < IN_ONE {
        others.push(world.dup(&CommConfig::default()).expect("all take part").shared());
        of(1, others.len() + 1);
    }
    // One more is needed, so that calls share some slots.
    others.push(world.dup(&CommConfig::default()).expect("all take part").shared());
    of(2, others.len() + 1);
    let all: Vec<&Communicator> = others.iter().map(|comm| &**comm).chain([&*world]).collect();
    check(&all, arena, 3000);
    check(&all, arena, SLOT + 5000);
    // Rank 0 addresses its own buffers.
    let moved = world.direct_buffers().1;
    assert_eq!(moved > 0, world.rank() > 0, "{moved} buffers went through a slot");
    // What the later communicators alone have used goes with them.
    let end = |comm: &Communicator| comm.finalize().expect("all calls have ended");
    others.iter().for_each(|comm| end(comm));
    drop(all);
    drop(others);
    // Rank 0 unmaps it before a later call at the latest.
    check(&[&*world], arena, 100);
    check(&[&*world], arena, 100);
    of(1, 1);
    drop(world);
    world_finalize().expect("all calls have ended");
    assert_eq!((bytes(), double().live("physical")), before);
}

/// Each rank enqueues the calls of one communicator after those of another, each on a stream of its own, and
/// every rank begins with another one. The first one's calls need all slots of the bounce buffer.
fn crossing(arena: &mut Arena) {
    let world = join_direct();
    let dup = |_| world.dup(&CommConfig::default()).expect("all take part").shared();
    let comms: Vec<_> = (0..3).map(dup).collect();
    let streams: Vec<Stream> = comms.iter().map(|_| Stream::new()).collect();
    // Some calls are longer than a slot.
    let bytes = |turn: usize| if turn % 5 == 4 { SLOT + 1000 } else { 20_000 };
    let mut buffers: Vec<Vec<u64>> = Vec::new();
    for _ in &comms {
        buffers.push((0..DEPTH).map(|turn| arena.take(bytes(turn))).collect());
    }
    for (stream, buffers) in streams.iter().zip(&buffers) {
        for (turn, buffer) in buffers.iter().enumerate() {
            double().fill(*buffer, world.rank() as u8 + turn as u8, bytes(turn), stream);
        }
    }
    let first = world.rank() as usize * comms.len() / world.size() as usize;
    for at in (0..comms.len()).map(|turn| (first + turn) % comms.len()) {
        comms[at].set_stream(Some(streams[at].handle()));
        for (turn, buffer) in buffers[at].iter().enumerate() {
            sum(&comms[at], *buffer, bytes(turn));
        }
    }
    streams.iter().for_each(Stream::synchronize);
    for buffers in &buffers {
        for (turn, buffer) in buffers.iter().enumerate() {
            let expected: u32 = (0..world.size()).map(|rank| rank + turn as u32).sum();
            let found = double().read(*buffer, bytes(turn));
            assert!(found.iter().all(|byte| u32::from(*byte) == expected), "call {turn}");
        }
    }
    for comm in comms.iter().chain([&world]) {
        let is_bounced = comm.rank() > 0 && !std::ptr::eq(&**comm, &*world);
        assert_eq!(comm.direct_buffers().1 > 0, is_bounced);
        comm.set_stream(None);
        comm.finalize().expect("all calls have ended");
    }
}

/// Calls of two ranks as threads, on copies in pinned memory.
fn pinned() {
    /// Bytes of a call that the pool must grow for, and number of calls after which it shrinks.
    const LONG: usize = 40 << 20;
    const MANY: usize = 1100;
    let registrations = || double().live("registrations");
    assert_eq!(registrations(), 0);
    let buffers: Vec<u64> = (0..2).map(|_| Box::leak(Box::new(Arena::new(LONG + 1))).take(LONG)).collect();
    let meet = Barrier::new(2);
    on_failing_ranks_after(2, &config(TRANSPORTS[0]), have_device, |comm| {
        let buffer = buffers[comm.rank() as usize];
        let comm = comm.shared();
        sum(&comm, buffer, 100);
        meet.wait();
        let small = registrations();
        meet.wait();
        sum(&comm, buffer, LONG);
        assert!(registrations() > small);
        (0..MANY).for_each(|_| sum(&comm, buffer, 100));
        assert_eq!(registrations(), small);
        comm.finalize().expect("all calls have ended");
    });
    assert_eq!(registrations(), 0);
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(part) = processes::part() else { return };
    double();
    match part.as_str() {
        "bytes" => bytes_of_communicators(&mut Arena::new(64 << 20)),
        "crossing" => crossing(&mut Arena::new(160 << 20)),
        _ => pinned(),
    }
    say("all is right");
}

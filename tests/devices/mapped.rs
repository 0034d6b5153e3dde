//! Collectives of the direct path on buffers of other processes, which the leader maps: they give the
//! oracle's bytes, whatever the delays of the device, whatever memory is freed and allocated, and whatever
//! call of the driver fails. Nothing that was mapped is left.
//!
//! `ANYCCL_TEST_SEEDS` sets the number of seeds (8; 100 is a long test).

use std::time::Duration;

use crate::common;
use anyccl_engine::base::{Collective, Datatype, Rank, ReduceOp};
use anyccl_engine::comm::{CommConfig, Communicator, DevicePath};
use anyccl_engine::config::Config;
use common::attempt::Placement;
use common::case::Case;
use common::device::{
    Arena, ArenaHome, Stream, Way, calls_of_table, check_order_in_stream, double, have_device,
};
use common::direct_ranks::{RankDevice, calls_of_seed, check};
use common::processes::{self, ProcessJob, RankProcess, first_silence, id_of_job, say, tcp_store};
use common::ranks::on_threads;
use common::sample::Coverage;
use common::watchdog::Watchdog;

const ARENA: usize = 4 << 20;
/// Room for the buffers of the longest calls.
const LONG_ARENA: usize = 150 << 20;
/// Processes, and ranks in each of them.
const LAYOUTS: [(u32, u32); 6] = [(1, 1), (2, 1), (4, 1), (8, 1), (2, 2), (4, 2)];
/// Calls after which the leader has mapped a buffer that each of them uses.
const WARM_UP: usize = 4;
/// What is counted, and must be at the end as it was before the communicator. Registrations are not: they are
/// the pool of pinned memory.
const OBJECTS: [&str; 5] = ["ipc_openings", "reservations", "physical", "mappings", "descriptors"];

fn seeds() -> u64 {
    std::env::var("ANYCCL_TEST_SEEDS").map_or(8, |seeds| seeds.parse().expect("a number"))
}

/// A job of some processes with the same number of ranks, as threads, in each.
fn job(processes: u32, threads: u32, part: &'static str) -> ProcessJob {
    ProcessJob::new(module_path!(), processes, part, tcp_store())
        .set("ANYCCL_DEVICE_WAY", "direct")
        .set("ANYCCL_TEST_THREADS", threads)
        .set("CUDA_DOUBLE_OPEN_FREE", 1)
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

fn sum(count: usize) -> Case {
    Case::reducing(Collective::AllReduce, Datatype::Float32, ReduceOp::Sum, 0, count)
}

/// Makes calls until the leader has mapped the arena.
fn warm_up(comm: &Communicator, device: &mut RankDevice) {
    for _ in 0..WARM_UP {
        check(comm, device, sum(100), Placement::Apart, Way::Blocking);
    }
}

/// Checks that calls since then have used the buffers where they are, or that none has.
fn expect_mapped(comm: &Communicator, before: (u64, u64), is_mapped: bool) {
    let (in_place, moved) = comm.direct_buffers();
    let now = (in_place - before.0, moved - before.1);
    let is_right = if is_mapped { now.0 > 0 && now.1 == 0 } else { now.0 == 0 && now.1 > 0 };
    assert!(is_right, "rank {}: {now:?} used in place and moved", comm.rank());
}

#[test]
fn every_collective_datatype_and_operator_gives_the_oracles_bytes_on_mapped_buffers() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(400));
    println!("{Coverage}");
    for (layout, (processes, threads)) in LAYOUTS.into_iter().enumerate() {
        run(&job(processes, threads, "table").set("ANYCCL_TEST_LAYOUT", layout));
    }
}

#[test]
fn memory_that_is_exported_as_a_descriptor_is_mapped_and_memory_of_a_pool_is_not() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(100));
    for home in ["exportable", "pool"] {
        run(&job(2, 2, "kinds").set("ANYCCL_TEST_HOME", home));
    }
    for (map, is_mapped) in [("off", 0), ("exportable", 0), ("all", 1)] {
        let job = job(2, 1, "kinds").set("ANYCCL_TEST_HOME", "plain").set("ANYCCL_DEVICE_MAP", map);
        run(&job.set("ANYCCL_TEST_IS_MAPPED", is_mapped));
    }
}

#[test]
fn every_seed_gives_the_right_bytes_on_mapped_buffers() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(100 + 6 * seeds()));
    for seed in 0..seeds() {
        let (processes, threads) = [(2, 1), (4, 1), (2, 2)][seed as usize % 3];
        let job = job(processes, threads, "seed").set("CUDA_DOUBLE_SEED", seed).set("ANYCCL_TEST_SEED", seed);
        run(&job.set("CUDA_DOUBLE_HANG_MS", 20_000));
    }
}

#[test]
fn memory_that_was_freed_is_not_used_when_its_address_is_given_out_again() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(100));
    for processes in [2, 4] {
        run(&job(processes, 1, "free"));
    }
}

#[test]
fn more_allocations_than_are_mapped_at_once_give_the_right_bytes() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(100));
    run(&job(2, 1, "many"));
}

#[test]
fn a_long_call_is_made_as_a_whole_if_every_buffer_is_mapped_and_else_in_pieces() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(300));
    for (processes, threads) in [(2, 1), (2, 2)] {
        run(&job(processes, threads, "long").set("ANYCCL_TEST_ARENA", LONG_ARENA));
    }
    run(&job(3, 1, "long").set("ANYCCL_TEST_ARENA", LONG_ARENA).set("ANYCCL_TEST_HOME", "last in a pool"));
}

#[test]
fn communicators_of_the_same_ranks_share_what_is_mapped() {
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(100));
    run(&job(3, 1, "shared"));
}

#[test]
fn a_leader_or_an_owner_whose_driver_fails_while_it_maps_goes_on_with_copies() {
    if double().leaves_out("calls of the driver that fail when they are told to") {
        return;
    }
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(200));
    let of_plain = ["cuIpcGetMemHandle:1", "cuMemGetAddressRange:1", "cuIpcOpenMemHandle:1"];
    let of_exportable = [
        "cuMemRetainAllocationHandle:1",
        "cuMemExportToShareableHandle:1",
        "cuMemImportFromShareableHandle:1",
        "cuMemAddressReserve:1",
        "cuMemMap:1",
        "cuMemSetAccess:1",
    ];
    for (home, faults) in [("plain", &of_plain[..]), ("exportable", &of_exportable[..])] {
        for fault in faults {
            run(&job(2, 1, "fault").set("ANYCCL_TEST_HOME", home).set("ANYCCL_TEST_FAULT", fault));
        }
    }
}

#[test]
fn the_others_learn_of_a_killed_owner_or_leader_and_their_streams_drain() {
    let _watchdog = Watchdog::new("a killed rank", Duration::from_secs(100));
    for killed in [0, 2] {
        processes::kill_one(start(&job(3, 1, "call until failure")), killed);
    }
}

#[test]
fn without_the_waits_of_the_leader_or_of_an_owner_some_seed_gives_wrong_bytes() {
    if double().leaves_out("waits that can be removed") {
        return;
    }
    let _watchdog = Watchdog::new("ranks as processes", Duration::from_secs(500));
    let harm = |ignored: &str, of_rank: i32| {
        let job = job(2, 1, "mutation")
            .deadline(Duration::from_secs(if ignored.is_empty() { 50 } else { 2 }))
            .set("ANYCCL_TEST_IGNORED", ignored)
            .set("ANYCCL_TEST_IGNORING", of_rank);
        let seeds = if ignored.is_empty() { seeds() } else { 60 };
        first_silence(seeds, |seed| start(&job.clone().set("CUDA_DOUBLE_SEED", seed)))
    };
    for (ignored, rank) in
        [("cuStreamWaitValue32", 0), ("cuStreamWaitValue32", 1), ("cuStreamWriteValue32", 1)]
    {
        let seed = harm(ignored, rank);
        println!("{ignored} of rank {rank}: seed {seed:?}");
        assert!(seed.is_some(), "{ignored} of rank {rank}: no seed has shown it");
    }
    assert_eq!(harm("", 0), None);
}

/// Calls on a stream, without an order of the driver on one rank.
fn mutation(comm: &Communicator, device: &mut RankDevice) {
    warm_up(comm, device);
    if u64::from(comm.rank()) == number("ANYCCL_TEST_IGNORING") {
        double().set_faults("", &std::env::var("ANYCCL_TEST_IGNORED").expect("told"));
    }
    check_order_in_stream(comm, device, 0);
    double().set_faults("", "");
    device.0.clear();
}

/// All collectives, datatypes and operators. After the first calls, none moves a buffer but those that must.
fn table(comm: &Communicator, device: &mut RankDevice) {
    warm_up(comm, device);
    let before = comm.direct_buffers();
    let size = comm.size();
    for (case, placement, way) in calls_of_table(LAYOUTS.len(), number("ANYCCL_TEST_LAYOUT") as usize, size) {
        let (_, moved) = comm.direct_buffers();
        check(comm, device, case, placement, way);
        // The input of an all_to_all in place is copied away first.
        let must_move = case.collective == Collective::AllToAll && placement == Placement::InPlace;
        let moves = comm.direct_buffers().1 - moved;
        assert!(must_move || moves == 0, "{case}, {placement:?} on rank {}", comm.rank());
    }
    assert!(comm.direct_buffers().0 > before.0);
}

fn kinds(comm: &Communicator, device: &mut RankDevice) {
    warm_up(comm, device);
    let before = comm.direct_buffers();
    check(comm, device, sum(5000), Placement::Apart, Way::Stream);
    // Ranks of the leader's process may have memory of pools copied, too.
    let home = std::env::var("ANYCCL_TEST_HOME").expect("told");
    let is_mapped = match home.as_str() {
        "plain" => number("ANYCCL_TEST_IS_MAPPED") == 1,
        other => other == "exportable",
    };
    if processes_of(comm.rank()) > 0 {
        expect_mapped(comm, before, is_mapped);
    }
}

/// Number of the process of a rank.
fn processes_of(rank: Rank) -> u64 {
    u64::from(rank) / number("ANYCCL_TEST_THREADS")
}

fn seed(comm: &Communicator, device: &mut RankDevice) {
    let seed = number("ANYCCL_TEST_SEED");
    calls_of_seed(comm, device, seed, 10);
    warm_up(comm, device);
    let before = comm.direct_buffers();
    if comm.size() == 2 {
        check_order_in_stream(comm, device, seed);
        device.0.clear();
    }
    check(comm, device, sum(9000), Placement::InPlace, Way::Stream);
    if processes_of(comm.rank()) > 0 {
        expect_mapped(comm, before, true);
    }
}

/// Calls longer than a slot of the bounce buffer.
fn long(comm: &Communicator, device: &mut RankDevice) {
    let all_are_mapped = std::env::var("ANYCCL_TEST_HOME").is_err();
    // Wide elements: fewer of them to compare.
    let wide = |collective, bytes: usize| {
        let datatype = Datatype::Complex128;
        Case { datatype, ..Case::plain(collective, 1, bytes / datatype.bytes()) }
    };
    let exchanges = |device: &mut RankDevice, case, placement, way| {
        let before = comm.direct_exchanges();
        check(comm, device, case, placement, way);
        comm.direct_exchanges() - before
    };
    // Nine pieces of 8 MiB.
    let longest = wide(Collective::AllReduce, 70_000_000);
    let long = wide(Collective::AllReduce, 9_000_000);
    assert_eq!(exchanges(device, long, Placement::InPlace, Way::Stream), 2);
    warm_up(comm, device);
    if comm.size() == 2 {
        assert_eq!(exchanges(device, longest, Placement::Apart, Way::Stream), 1);
    }
    let of_blocks = 9_000_000 / comm.size() as usize;
    for (at, case) in [
        long,
        wide(Collective::ReduceScatter, of_blocks),
        wide(Collective::AllGather, of_blocks),
        wide(Collective::AllToAll, of_blocks),
        wide(Collective::Broadcast, 9_000_000),
        long,
        wide(Collective::AllToAll, of_blocks),
    ]
    .into_iter()
    .enumerate()
    {
        let placement = Placement::ALL[(at + at / 4) % 2];
        let number = exchanges(device, case, placement, [Way::Stream, Way::Started][at % 2]);
        let stays = placement == Placement::Apart || case.collective != Collective::AllToAll;
        assert_eq!(number == 1, all_are_mapped && stays, "{case}, {placement:?}: {number} exchanges");
    }
}

/// Frees and allocates an arena between calls. The address stays, and the memory is another one.
fn free(comm: &Communicator, device: &mut RankDevice) {
    for turn in 0..4 {
        let start = device.0.start();
        warm_up(comm, device);
        let before = comm.direct_buffers();
        check(comm, device, sum(20_000), Placement::ALL[turn % 2], Way::Stream);
        if comm.rank() > 0 {
            expect_mapped(comm, before, true);
        }
        // Freed before the next one is allocated.
        device.0.free();
        device.0 = Arena::new(ARENA);
        // The double gives out another address now and then, and the leader's mappings may take one.
        let mut others = Vec::new();
        while device.0.start() != start && comm.rank() > 0 {
            others.push(std::mem::replace(&mut device.0, Arena::new(ARENA)));
            assert!(others.len() < 50, "the driver gives out an address again");
        }
    }
    warm_up(comm, device);
    // The leader has one mapping of each rank's memory. Bounce buffers are mapped in another way.
    let most = u64::from(comm.size() - 1) + 1;
    if comm.rank() == 0 {
        assert!(double().live("ipc_openings") <= most, "{}", double().live("ipc_openings"));
    }
}

/// Uses more allocations than may be mapped, twice.
fn many(comm: &Communicator, device: &mut RankDevice) {
    let arenas: Vec<Arena> = (0..200).map(|_| Arena::new(8 << 10)).collect();
    for round in 0..2 {
        for arena in &arenas {
            let mut of_arena = (Arena::part_of(arena), Stream::new());
            check(comm, &mut of_arena, sum(100 + round), Placement::InPlace, Way::Blocking);
        }
    }
    if comm.rank() == 0 && !double().is_real() {
        let openings = double().live("ipc_openings");
        assert!((100..=130).contains(&openings), "{openings} openings");
    }
    warm_up(comm, device);
}

/// A second communicator uses at its first call what the first one has mapped, and its bounce buffers.
fn shared(comm: &Communicator, device: &mut RankDevice) {
    warm_up(comm, device);
    let mapped = || OBJECTS.map(|kind| double().live(kind));
    let before = mapped();
    let other = comm.dup(&CommConfig::default()).expect("all ranks take part").shared();
    assert_eq!(mapped(), before);
    check(&other, device, sum(300), Placement::Apart, Way::Stream);
    if comm.rank() > 0 {
        expect_mapped(&other, (0, 0), true);
    }
    assert_eq!(mapped(), before);
    other.finalize().expect("all calls have ended");
    drop(other);
    check(comm, device, sum(300), Placement::Apart, Way::Blocking);
    assert_eq!(mapped(), before);
}

/// Calls with a driver that fails once, on all ranks, while it exports or maps.
fn fault(comm: &Communicator, device: &mut RankDevice) {
    double().set_faults(&std::env::var("ANYCCL_TEST_FAULT").expect("told"), "");
    warm_up(comm, device);
    double().set_faults("", "");
    for turn in 0..WARM_UP {
        check(comm, device, sum(1000), Placement::ALL[turn % 2], Way::Stream);
    }
}

/// Makes calls on mapped buffers until one fails.
fn call_until_failure(comm: &Communicator, device: &mut RankDevice) {
    warm_up(comm, device);
    let (arena, stream) = device;
    comm.set_stream(Some(stream.handle()));
    let buffer = std::ptr::with_exposed_provenance_mut::<u8>(arena.take(200_000) as usize);
    let operation =
        anyccl_engine::comm::Operation { call: sum(50_000).call(), send: buffer.cast_const(), recv: buffer };
    for turn in 0.. {
        if turn == 12 {
            say("running");
        }
        // SAFETY: the arena lives until the stream has passed all calls.
        if let Err(error) = unsafe { comm.run(&operation) } {
            stream.synchronize();
            say(&format!("drained, {error}"));
            break;
        }
        if turn % 4 == 0 {
            stream.synchronize();
        }
    }
}

fn home(rank: Rank, size: u32) -> ArenaHome {
    match std::env::var("ANYCCL_TEST_HOME").as_deref() {
        Ok("last in a pool") if rank + 1 == size => ArenaHome::Pool,
        Ok("exportable") => ArenaHome::Exportable,
        Ok("pool") => ArenaHome::Pool,
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
    let bytes = std::env::var("ANYCCL_TEST_ARENA").map_or(ARENA, |text| text.parse().expect("a number"));
    let device = |thread| (Arena::of(home(process as u32 * threads + thread, size), bytes), Stream::new());
    let devices: Vec<_> = (0..threads).map(|thread| std::sync::Mutex::new(device(thread))).collect();
    let counts = || OBJECTS.map(|kind| double().live(kind));
    on_threads(threads, |thread| {
        have_device();
        let rank = process as u32 * threads + thread;
        let device = &mut *devices[thread as usize].lock().unwrap();
        let before = counts();
        let comm = Communicator::create(&id, size, rank, &config, &CommConfig::default());
        let comm = comm.expect("all ranks join").shared();
        assert_eq!(comm.device_path(), DevicePath::Direct);
        match part.as_str() {
            "table" => table(&comm, device),
            "kinds" => kinds(&comm, device),
            "seed" => seed(&comm, device),
            "free" => free(&comm, device),
            "long" => long(&comm, device),
            "many" => many(&comm, device),
            "shared" => shared(&comm, device),
            "mutation" => mutation(&comm, device),
            "fault" => fault(&comm, device),
            "call until failure" => return call_until_failure(&comm, device),
            other => panic!("no part {other}"),
        }
        comm.finalize().expect("all calls have ended");
        drop(comm);
        if threads == 1 {
            assert_eq!(counts(), before, "rank {rank}: {OBJECTS:?}");
        }
    });
    if part != "call until failure" {
        say("all is right");
    }
}

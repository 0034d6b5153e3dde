//! Buffers of `anyccl_mem_alloc`. Every collective gives the same bytes for every kind of memory, nothing
//! grows, and nothing is left behind.

use std::time::Duration;

use crate::common;
use anyccl_engine::base::{Call, CallKind, Collective, Datatype, Error};
use anyccl_engine::comm::{Communicator, Operation, world_finalize};
use anyccl_engine::config::TransportChoice;
use anyccl_engine::memory;
use common::attempt::{Attempt, Home, Placement};
use common::case::Case;
use common::proc_fs::{named_shared_mappings, shared_files};
use common::processes::{ProcessJob, RankProcess, join, listen, part, say, tcp_store};
use common::ranks::{config, on_ranks};
use common::temp_dir::TempDir;
use common::values::noise;
use common::watchdog::Watchdog;

const LIMIT: Duration = Duration::from_secs(150);

/// Counts of elements of four bytes, below and above the length that a rank lends. They lead to one piece and
/// to several, and are no multiple of anything.
const COUNTS: [usize; 5] = [1, 1500, 2051, 20_011, 300_007];

/// Runs every collective with every combination of memory kinds. The kinds differ from rank to rank.
fn everything(comm: &Communicator, counts: &[usize]) {
    for collective in Collective::UNIFORM.into_iter().filter(|c| *c != Collective::Barrier) {
        for &count in counts {
            for mixture in 0..5 {
                let home = |which: u32| match mixture {
                    4 => Home::ALL[(noise(comm.rank(), count + which as usize) % 2) as usize],
                    plain => Home::ALL[(plain >> which) & 1],
                };
                for placement in Placement::ALL {
                    let case = Case::plain(collective, count as u32 % comm.size(), count);
                    let homes = [home(0), home(1)];
                    let mut attempt = Attempt::at_home(case, comm.size(), comm.rank(), placement, homes);
                    attempt.run(comm).unwrap_or_else(|e| panic!("{case} on rank {}: {e}", comm.rank()));
                    attempt.verify();
                }
            }
        }
    }
}

#[test]
fn every_collective_gives_the_oracles_bytes_wherever_its_buffers_live_on_1_to_5_ranks() {
    for size in 1..=5 {
        let counts = if size == 2 { &COUNTS[..] } else { &COUNTS[..4] };
        on_ranks(size, &config(TransportChoice::Auto), |comm| everything(comm, counts));
    }
}

#[test]
fn shared_buffers_work_over_tcp_like_any_other_buffers() {
    on_ranks(3, &config(TransportChoice::Tcp), |comm| everything(comm, &[20_011]));
}

#[test]
fn several_calls_may_be_under_way_on_parts_of_one_allocation() {
    on_ranks(3, &config(TransportChoice::Auto), |comm| {
        let cases =
            [Collective::AllReduce, Collective::AllGather, Collective::Broadcast, Collective::AllToAll]
                .map(|collective| Case::plain(collective, 1, 30_001));
        let start = |case: Case| {
            let homes = [Home::Shared; 2];
            let attempt = Attempt::at_home(case, comm.size(), comm.rank(), Placement::Apart, homes);
            attempt.start(comm).expect("it starts")
        };
        let mut running = cases.map(start);
        running.iter_mut().rev().for_each(|call| call.wait_and_verify());
    });
}

/// A job over shared memory whose store is a file.
fn job(size: u32, part: &'static str, directory: &TempDir) -> ProcessJob {
    let store = format!("file:{}", directory.path().join("store").display());
    ProcessJob::new(module_path!(), size, part, &store)
        .set("ANYCCL_TRANSPORT", "shm")
        .set("TMPDIR", directory.path().display())
}

#[test]
fn processes_read_each_others_memory_also_where_single_copies_are_forbidden() {
    let _watchdog = Watchdog::new("processes with shared buffers", LIMIT);
    // On a small machine, three ranks share cores and lend less.
    for (size, single_copy) in [(2, 1), (2, 0), (3, 0)] {
        let directory = TempDir::new();
        let job = job(size, "everything", &directory).set("ANYCCL_SINGLE_COPY", single_copy);
        job.start_all().into_iter().for_each(|rank| rank.end_well());
    }
}

#[test]
fn thousands_of_allocations_that_peers_have_read_leave_nothing_behind() {
    let _watchdog = Watchdog::new("many allocations", LIMIT);
    let directory = TempDir::new();
    let mut ranks = job(2, "allocate, call, free", &directory).start_all();
    for rank in &mut ranks {
        rank.expect("nothing has grown");
    }
    ranks.into_iter().for_each(|rank| rank.end_well());
}

#[test]
fn handles_of_memory_are_good_on_all_ranks_of_the_host_also_on_those_that_have_not_talked() {
    let _watchdog = Watchdog::new("handles of memory", LIMIT);
    let directory = TempDir::new();
    // More ranks than all of which talk when they join.
    job(10, "import", &directory).start_all().into_iter().for_each(|rank| rank.end_well());
}

#[test]
fn a_rank_that_is_killed_leaves_no_file_and_its_peers_keep_their_memory() {
    let _watchdog = Watchdog::new("a killed rank", LIMIT);
    let directory = TempDir::new();
    let before = shared_files();
    let mut ranks = job(2, "expose until failure", &directory).start_all();
    for rank in &mut ranks {
        rank.expect("exposing");
        assert!(named_shared_mappings(rank.pid()).is_empty(), "memory with a name");
    }
    ranks.remove(0).signal(libc::SIGKILL);
    let mut survivor = ranks.remove(0);
    survivor.expect("lost the peer, kept the memory");
    survivor.end_well();
    assert_eq!(directory.entries(), Vec::<String>::new());
    assert!(shared_files().is_subset(&before));
}

#[test]
fn a_child_of_fork_shares_the_bytes_allocates_for_itself_and_cannot_free_its_parents() {
    let start = memory::allocate(10_000).unwrap();
    // SAFETY: a live allocation.
    unsafe { start.write_volatile(1) };
    // SAFETY: the child calls only functions that take no lock which another thread of the parent may hold;
    // the arena of the child is new. It leaves by `_exit`.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        let refused = matches!(memory::free(start), Err(Error::InvalidUsage(_)));
        let own = memory::allocate(10_000).unwrap();
        // SAFETY: live allocations of this process and of its parent.
        unsafe { own.write_volatile(7) };
        // SAFETY: as above.
        unsafe { start.write_volatile(2) };
        let freed = memory::free(own).is_ok() && own != start;
        // SAFETY: ends this process without running the exit handlers of the parent.
        unsafe { libc::_exit(if refused && freed { 0 } else { 1 }) };
    }
    let mut status = -1;
    // SAFETY: our child, and a place for its status.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0);
    // SAFETY: a live allocation.
    assert_eq!(unsafe { start.read_volatile() }, 2);
    memory::free(start).unwrap();
}

/// Maps memory of all ranks, and reads what its owner has written there.
fn import_from_all(comm: &Communicator) {
    let start = memory::allocate(4096).unwrap();
    // SAFETY: a live allocation.
    unsafe { start.write_volatile(comm.rank() as u8) };
    let own = memory::export(start, 4096).unwrap();
    let mut all = vec![[0u8; memory::HANDLE_BYTES]; comm.size() as usize];
    let kind = CallKind::Collective(Collective::AllGather);
    let call = Call { kind, datatype: Datatype::Byte, op: None, root: 0, count: own.len() as u64 };
    let operation = Operation { call, send: own.as_ptr(), recv: all.as_mut_ptr().cast() };
    // SAFETY: both buffers have what the call touches, and outlive it.
    unsafe { comm.run(&operation) }.unwrap();
    for (handle, owner) in all.iter().zip(0..) {
        let imported = memory::import(handle);
        let (there, _) = imported.unwrap_or_else(|e| panic!("rank {} from {owner}: {e}", comm.rank()));
        // SAFETY: the memory stays mapped until it is released below.
        assert_eq!(unsafe { there.read_volatile() }, owner);
        memory::release(there).unwrap();
    }
}

#[test]
fn a_handle_serves_a_rank_that_is_not_connected_with_the_owner_who_makes_no_call() {
    let _watchdog = Watchdog::new("a handle for a stranger", LIMIT);
    let job = ProcessJob::new(module_path!(), 12, "import by the parent", tcp_store());
    let mut ranks = job.set("ANYCCL_CONNECT", "demand").start_all();
    let handles: Vec<String> = ranks.iter_mut().map(|rank| rank.hear().text).collect();
    for rank in 0..12 {
        // The ranks that are not connected are some six apart.
        ranks[rank].tell(&handles[(rank + 6) % 12]);
        ranks[rank].expect("read what the owner has written");
    }
    ranks.iter_mut().for_each(|rank| rank.tell("end"));
    ranks.into_iter().for_each(RankProcess::end_well);
}

/// Exports memory, and reads that of the rank six places further. Nobody makes a call meanwhile.
fn import_by_the_parent(comm: &Communicator) {
    let start = memory::allocate(4096).unwrap();
    // SAFETY: a live allocation.
    unsafe { start.write_volatile(comm.rank() as u8) };
    let own = memory::export(start, 4096).unwrap();
    say(&own.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    let text = listen();
    let byte = |at: usize| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).expect("digits");
    let (there, _) = memory::import(&std::array::from_fn(byte)).unwrap();
    // SAFETY: the memory stays mapped until it is released below.
    assert_eq!(u32::from(unsafe { there.read_volatile() }), (comm.rank() + 6) % comm.size());
    memory::release(there).unwrap();
    say("read what the owner has written");
    listen();
}

/// Resources that must not grow: number of descriptors, number of mappings, resident memory in KiB.
fn burden() -> [usize; 3] {
    let count = |path: &str| std::fs::read_dir(path).expect("Linux").count();
    let maps = std::fs::read_to_string("/proc/self/maps").expect("Linux").lines().count();
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let resident =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line of every process");
    let resident = resident.trim().trim_end_matches("kB").trim().parse().expect("a number");
    [count("/proc/self/fd"), maps, resident]
}

fn call_with_fresh_memory(comm: &Communicator, turn: usize) {
    let count = 1 + noise(7, turn) as usize % if turn.is_multiple_of(50) { 1_000_000 } else { 20_000 };
    let case = Case::plain(Collective::AllReduce, 0, count);
    let homes = [Home::Shared; 2];
    Attempt::at_home(case, comm.size(), comm.rank(), Placement::Apart, homes).run(comm).expect("it works");
}

#[test]
#[ignore = "one rank of the other tests, started by them"]
fn a_rank_of_the_tests_in_this_file() {
    match part().as_deref() {
        Some("everything") => {
            everything(&join().unwrap(), &COUNTS[1..4]);
            world_finalize().unwrap();
        }
        Some("import") => {
            import_from_all(&join().unwrap());
            world_finalize().unwrap();
        }
        Some("import by the parent") => {
            import_by_the_parent(&join().unwrap());
            world_finalize().unwrap();
        }
        Some("allocate, call, free") => {
            let comm = join().unwrap();
            (0..200).for_each(|turn| call_with_fresh_memory(&comm, turn));
            let [descriptors, maps, resident] = burden();
            (200..3000).for_each(|turn| call_with_fresh_memory(&comm, turn));
            let now = burden();
            let few = now[0] == descriptors && now[1] <= maps + 8 && now[2] <= resident + (16 << 10);
            say(&match few {
                true => "nothing has grown".to_string(),
                false => format!("{:?} have become {now:?}", [descriptors, maps, resident]),
            });
            world_finalize().unwrap();
        }
        Some("expose until failure") => {
            let comm = join().unwrap();
            let case = Case::plain(Collective::AllReduce, 0, 100_000);
            let homes = [Home::Shared; 2];
            let mut attempt = Attempt::at_home(case, comm.size(), comm.rank(), Placement::Apart, homes);
            attempt.run(&comm).unwrap();
            say("exposing");
            while attempt.run(&comm).is_ok() {}
            drop(attempt);
            let again = memory::allocate(1 << 20).unwrap();
            memory::free(again).unwrap();
            say("lost the peer, kept the memory");
        }
        _ => {}
    }
}

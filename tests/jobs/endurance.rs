//! Many communicators and many calls: the use of memory and descriptors does not grow.
//!
//! `ANYCCL_TEST_ENDURANCE=full` makes and drops 100,000 communicators and makes 10 million calls. Without the
//! variable, the test does a fiftieth of that.

use std::fs;
use std::time::Duration;

use crate::common;
use anyccl_engine::base::Collective;
use anyccl_engine::comm::{CommConfig, Communicator, world_finalize};
use common::attempt::{Attempt, Placement};
use common::case::Case;
use common::processes::{ProcessJob, RankProcess, join, part, say, tcp_store};
use common::watchdog::Watchdog;

const COMMUNICATORS: usize = 100_000;
const CALLS: usize = 10_000_000;
/// Memory growth that is allowed, for pages of lists that grow once.
const SLACK_KIB: usize = 1024;

fn share() -> usize {
    if std::env::var_os("ANYCCL_TEST_ENDURANCE").is_some_and(|value| value == "full") { 1 } else { 50 }
}

/// Number of descriptors, mappings and threads of this process, and its memory in KiB.
fn belongings() -> ([usize; 3], usize) {
    let count = |directory: &str| fs::read_dir(directory).expect("Linux").count();
    let maps = fs::read_to_string("/proc/self/maps").expect("Linux").lines().count();
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("Linux");
    let kib = line.trim().trim_end_matches(" kB").parse().expect("a number");
    ([count("/proc/self/fd"), maps, count("/proc/self/task")], kib)
}

/// Calls `something` `times` times, and checks that nothing grows after the first tenth.
fn repeat(what: &str, times: usize, mut something: impl FnMut()) {
    let mut some = |turns: std::ops::Range<usize>| {
        for turn in turns {
            something();
            // The parent would take a silent rank for a hanging one.
            if turn % (times / 50) == 0 {
                say("at it");
            }
        }
    };
    some(0..times / 10);
    let (things, memory) = belongings();
    some(times / 10..times);
    let (things_now, memory_now) = belongings();
    assert_eq!(things_now[0], things[0], "descriptors after {times} {what}");
    assert_eq!(things_now[2], things[2], "threads after {times} {what}");
    assert!(things_now[1] <= things[1] + 2, "mappings after {times} {what}: {things_now:?}, were {things:?}");
    assert!(memory_now <= memory + SLACK_KIB, "{memory_now} KiB after {times} {what}, were {memory}");
}

#[test]
fn communicators_and_calls_without_number_take_no_memory_and_no_descriptors() {
    for transport in ["shm", "tcp"] {
        let _watchdog = Watchdog::new("endurance", Duration::from_secs(if share() == 1 { 900 } else { 120 }));
        let part = if share() == 1 { "endure much" } else { "endure" };
        let job = ProcessJob::new(module_path!(), 2, part, tcp_store()).set("ANYCCL_TRANSPORT", transport);
        let mut ranks = job.start_all();
        for rank in &mut ranks {
            while rank.hear().text == "at it" {}
            rank.expect("nothing has grown");
        }
        ranks.into_iter().for_each(RankProcess::end_well);
    }
}

fn call(comm: &Communicator, turn: usize) {
    let mut attempt =
        Attempt::on(comm, Case::plain(Collective::AllReduce, 0, 2 + turn % 3), Placement::InPlace);
    attempt.run(comm).expect("all are there");
    attempt.verify();
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(part) = part() else { return };
    let share = if part == "endure much" { 1 } else { 50 };
    let comm = join().expect("a world");
    // Each poll of TCP is a system call, so fewer turns take as long.
    let share = if comm.transport(1 - comm.rank()) == "tcp" { 10 * share } else { share };
    repeat("communicators", COMMUNICATORS / share, || {
        let dup = comm.dup(&CommConfig::default()).expect("cheap");
        call(&dup, 0);
        if comm.rank() == 0 {
            dup.finalize().expect("local");
        }
    });
    let mut turn = 0;
    repeat("calls", CALLS / share, || {
        turn += 1;
        call(&comm, turn);
    });
    say("all done");
    say("nothing has grown");
    world_finalize().expect("a good end");
}

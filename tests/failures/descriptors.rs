//! A rank that may open few files, at every point of joining: each rank is told soon, and of that reason.

use std::time::Duration;

use crate::common;
use anyccl_engine::base::{Error, Rank};
use anyccl_engine::bootstrap::JobKey;
use anyccl_engine::bootstrap::tcp_store::Server;
use common::processes::{ProcessJob, RankProcess, join, part, say};
use common::watchdog::Watchdog;

const SIZE: u32 = 3;
/// Variables with the rank that may open few files, and how many more than it has open.
const VICTIM: &str = "ANYCCL_TEST_VICTIM";
const ROOM: &str = "ANYCCL_TEST_ROOM";
const LIMIT: Duration = Duration::from_secs(300);

/// Starts a job whose rank `victim` has room for `room` more open files. Returns what the victim says, then
/// the others. The store is served here, as launchers do, so it outlives each rank. A victim that does not
/// even come to the store can tell nobody, so the others are ended then.
fn joined(transport: &str, victim: Rank, room: usize) -> Vec<String> {
    let key = JobKey::random().unwrap();
    let store = Server::start("127.0.0.1:0".parse().unwrap(), &key, SIZE).unwrap();
    let job = ProcessJob::new(module_path!(), SIZE, "join", format!("tcp://{}?served=1", store.address()))
        .set("ANYCCL_JOB_KEY", key.to_hex())
        .set("ANYCCL_TRANSPORT", transport)
        .set(VICTIM, victim)
        .set(ROOM, room);
    let mut ranks = job.start_all();
    let first = ranks.remove(victim as usize).hear().text;
    let others = if first.contains("store") { &mut [] } else { &mut ranks[..] };
    let others = others.iter_mut().map(|rank: &mut RankProcess| rank.hear().text);
    [first].into_iter().chain(others).collect()
}

#[test]
fn a_rank_without_descriptors_is_told_of_by_that_reason() {
    for transport in ["shm", "tcp"] {
        for victim in [0, 1, 2] {
            let mut has_joined = false;
            for room in 0..40 {
                let _watchdog = Watchdog::new(format!("room for {room} files over {transport}"), LIMIT);
                let said = joined(transport, victim, room);
                has_joined = said.iter().all(|said| said == "joined");
                if has_joined {
                    break;
                }
                let what = format!("room for {room} files on rank {victim}, {transport}: {said:#?}");
                assert!(said[0].contains("ulimit -n"), "{what}");
                // The others may only see that the rank has ended.
                assert!(!said.iter().any(|said| said.starts_with("timeout")), "{what}");
            }
            assert!(has_joined, "rank {victim} over {transport} needs 40 descriptors or more");
        }
    }
}

/// Lets this process open only so many files more.
fn limit_files(room: u64) {
    let open = std::fs::read_dir("/proc/self/fd").expect("Linux").count() as u64 - 1;
    let limit = libc::rlimit { rlim_cur: open + room, rlim_max: open + room };
    // SAFETY: the limit is a local that outlives the call.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) }, 0);
}

#[test]
#[ignore = "the task of a rank: run by the tests above"]
fn a_rank_of_the_tests_in_this_file() {
    if part().is_none() {
        return;
    }
    let number = |name: &str| std::env::var(name).expect("set by the test").parse::<u64>().expect("a number");
    if number(VICTIM) == number("ANYCCL_RANK") {
        limit_files(number(ROOM));
    }
    match join() {
        Ok(world) => {
            say("joined");
            let _ = world.finalize();
        }
        Err(error @ Error::Timeout { .. }) => say(&format!("timeout: {error}")),
        Err(error) => say(&error.to_string()),
    }
}

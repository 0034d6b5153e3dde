//! Descriptors: a rank that may open few files, at every point of joining, is told of soon and by that
//! reason. And groups of ranks that know each other take few.

use std::time::Duration;

use crate::common;
use anyccl_engine::base::{Error, Rank};
use anyccl_engine::bootstrap::store::Server;
use anyccl_engine::bootstrap::{JobKey, UniqueId};
use anyccl_engine::comm::{CommConfig, Communicator};
use anyccl_engine::config::Config;
use common::processes::{ProcessJob, RankProcess, join, listen, part, say, tcp_store};
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

#[test]
fn another_group_takes_a_socket_for_each_peer_and_one_descriptor_more() {
    const GROUPS: usize = 3;
    let job = ProcessJob::new(module_path!(), SIZE, "groups", tcp_store());
    let mut ranks = job.start_all();
    for group in 0..GROUPS {
        let id = UniqueId::create(&Config::default()).unwrap();
        let id: String = id.0.iter().map(|byte| format!("{byte:02x}")).collect();
        ranks.iter_mut().for_each(|rank| rank.tell(&id));
        let taken = ranks.iter_mut().map(|rank| rank.hear().text.parse::<u32>().expect("a number"));
        let taken: Vec<u32> = taken.collect();
        // The first one also takes what its peers share with all later ones.
        assert!(group == 0 || taken.iter().all(|taken| *taken == SIZE), "group {group}: {taken:?}");
    }
    for mut rank in ranks {
        rank.tell("");
        rank.end_well();
    }
}

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("Linux").count() - 1
}

/// Joins a group for each id that the parent tells, and says how many descriptors it takes.
fn join_groups() {
    let rank = std::env::var("ANYCCL_RANK").unwrap().parse().unwrap();
    let mut groups = Vec::new();
    loop {
        let text = listen();
        if text.is_empty() {
            return;
        }
        let byte = |at: usize| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).expect("two digits");
        let id = UniqueId(std::array::from_fn(byte));
        let before = open_files();
        let group =
            Communicator::create(&id, SIZE, rank, &Config::default(), &CommConfig::default()).unwrap();
        say(&(open_files() - before).to_string());
        groups.push(group);
    }
}

/// Lets this process open only so many files more.
fn limit_files(room: u64) {
    let open = open_files() as u64;
    let limit = libc::rlimit { rlim_cur: open + room, rlim_max: open + room };
    // SAFETY: the limit is a local that outlives the call.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) }, 0);
}

#[test]
#[ignore = "the task of a rank: run by the tests above"]
fn a_rank_of_the_tests_in_this_file() {
    match part().as_deref() {
        None => return,
        Some("groups") => return join_groups(),
        Some(_) => {}
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

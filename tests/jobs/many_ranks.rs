//! Many ranks, which connect on demand: threads of a few processes, on two pretended hosts.
//!
//! `ANYCCL_TEST_LONG=1` takes 2,048 ranks, and `ANYCCL_TEST_RANKS` another number of them, such as 4096.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use crate::common;
use anyccl_engine::base::Collective;
use anyccl_engine::bootstrap::UniqueId;
use anyccl_engine::comm::{CommConfig, Communicator};
use anyccl_engine::config::{Config, ConnectChoice};
use common::attempt::{Placement, check};
use common::case::Case;
use common::processes::{ProcessJob, RankProcess, hear_id, in_hex, part, say};
use common::sample::is_long;
use common::watchdog::Watchdog;

/// Longest time that a rank may wait.
const LIMIT: Duration = Duration::from_secs(120);

/// The variable with the number of ranks.
const RANKS: &str = "ANYCCL_TEST_RANKS";

fn ranks() -> u32 {
    let given = std::env::var(RANKS).ok().map(|text| text.parse().expect("a number"));
    given.unwrap_or(if is_long() { 2048 } else { 96 })
}

fn processes() -> u32 {
    if ranks() < 256 { 4 } else { 16 }
}

/// Ranks of a process.
fn threads() -> u32 {
    ranks() / processes()
}

fn config(process: u32) -> Config {
    Config {
        timeout: Some(LIMIT),
        connect: ConnectChoice::OnDemand,
        host_id: Some(format!("host {}", process % 2)),
        ..Config::default()
    }
}

/// Joins as all ranks of this process, and reduces. Says how long the slowest rank has joined, in
/// milliseconds.
fn be_ranks(process: u32, id: &UniqueId) {
    let (config, size) = (config(process), processes() * threads());
    let all = Barrier::new(threads() as usize);
    let slowest = thread::scope(|scope| {
        let rank = |number: u32| {
            let (config, all) = (&config, &all);
            scope.spawn(move || {
                let (rank, start) = (process * threads() + number, Instant::now());
                let own = CommConfig::default();
                let comm = Communicator::create(id, size, rank, config, &own).expect("all ranks come");
                let joined = start.elapsed();
                check(&comm, Case::plain(Collective::AllReduce, 0, 8), Placement::Apart);
                all.wait();
                comm.finalize().expect("all ranks leave");
                joined
            })
        };
        let ranks: Vec<_> = (0..threads()).map(rank).collect();
        ranks.into_iter().map(|rank| rank.join().expect("no panic")).max()
    });
    say(&format!("joined in {}", slowest.expect("some ranks").as_millis()));
}

#[test]
fn many_ranks_connect_with_those_that_they_need() {
    let _watchdog = Watchdog::new("many ranks", 2 * LIMIT);
    let id = UniqueId::create(&config(0)).expect("an id");
    let job = ProcessJob::new(module_path!(), processes(), "be ranks", "no store").set(RANKS, ranks());
    let mut all = job.start_all();
    all.iter_mut().for_each(|process| process.tell(&in_hex(&id)));
    let joined: Vec<String> = all.iter_mut().map(|process| process.hear().text).collect();
    assert!(joined.iter().all(|text| text.starts_with("joined in ")), "{joined:?}");
    println!("{} ranks: {joined:?}", processes() * threads());
    all.into_iter().for_each(RankProcess::end_well);
}

#[test]
#[ignore = "a process of the test above, which starts it"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(_part) = part() else { return };
    let process = std::env::var("ANYCCL_RANK").expect("set by the job").parse().expect("a number");
    be_ranks(process, &hear_id());
}

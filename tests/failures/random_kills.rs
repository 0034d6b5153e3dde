//! Rounds in which a random rank is killed during a random collective. No survivor hangs or has a wrong
//! result. All survivors learn which rank was lost, shrink the communicator, and go on with correct results.
//! Nothing is left behind.
//!
//! `ANYCCL_TEST_ROUNDS` sets the number of rounds (20).

use std::time::Duration;

use crate::common;
use anyccl_engine::base::{Collective, Error, Rank};
use anyccl_engine::comm::{CommConfig, Communicator};
use common::attempt::{Attempt, Placement, check};
use common::case::Case;
use common::fabric::{library, over};
use common::lateness::Stopwatch;
use common::proc_fs::{shared_files, socket_inodes, unix_inodes};
use common::processes::{ProcessJob, RankProcess, join, part, say, tcp_store};
use common::values::noise;
use common::watchdog::Watchdog;

const SIZE: u32 = 4;
/// Longest time until a death is known.
const SOON: Duration = Duration::from_secs(1);
const CALLS_AFTERWARDS: usize = 20;

fn rounds() -> usize {
    std::env::var("ANYCCL_TEST_ROUNDS").map_or(20, |rounds| rounds.parse().expect("a number"))
}

/// Call number `at` of a round, the same on every rank.
fn case_of_turn(round: usize, at: usize, size: u32) -> Case {
    let noise = noise(round as Rank + 1, at);
    let collective = Collective::UNIFORM[noise as usize % Collective::UNIFORM.len()];
    let count = match noise >> 32 & 7 {
        0 => 300_000,
        1..3 => 20_000,
        n => n as usize,
    };
    Case::plain(collective, (noise >> 40) as Rank % size, count)
}

#[test]
fn a_rank_killed_during_any_collective_is_survived_by_the_others() {
    let rounds = rounds();
    let _watchdog = Watchdog::new("random kills", Duration::from_secs(60 + 10 * rounds as u64));
    for round in 0..rounds {
        let transport = if noise(0, round) & 1 == 0 { "shm" } else { "tcp" };
        a_rank_is_killed(round, transport);
    }
}

#[test]
fn a_rank_killed_during_any_collective_over_a_fabric_is_survived_by_the_others() {
    let rounds = rounds() / 2;
    let _watchdog = Watchdog::new("random kills over a fabric", Duration::from_secs(60 + 10 * rounds as u64));
    for round in 0..if library().is_some() { rounds } else { 0 } {
        a_rank_is_killed(round, "ofi");
    }
}

fn a_rank_is_killed(round: usize, transport: &str) {
    let chance = noise(0, round);
    let victim = (chance >> 8) as usize % SIZE as usize;
    let files = shared_files();
    let job = ProcessJob::new(module_path!(), SIZE, "call until failure", tcp_store());
    let job = over(job, transport).set("ANYCCL_TEST_ROUND", round);
    let mut ranks = job.start_all();
    ranks.iter_mut().for_each(|rank| rank.expect("running"));
    let sockets: Vec<u64> = ranks.iter().flat_map(|rank| socket_inodes(rank.pid())).collect();
    // The sleep ends at some moment in the middle of a call.
    std::thread::sleep(Duration::from_micros(chance >> 16 & 0x3fff));
    let loss = Stopwatch::start(ranks.iter().map(RankProcess::pid));
    ranks[victim].signal(libc::SIGKILL);
    let lost = ranks.remove(victim);
    for survivor in &mut ranks {
        let who = format!("round {round}, {transport}, rank {} after {victim}", survivor.rank);
        let said = survivor.hear();
        assert!(said.text.starts_with(&format!("lost {victim}")), "{who}: {}", said.text);
        loss.check(SOON, said.when, who);
    }
    for survivor in &mut ranks {
        survivor.expect("shrunk, and all went well");
    }
    drop(lost);
    ranks.into_iter().for_each(RankProcess::end_well);
    let all = unix_inodes();
    assert!(!sockets.iter().any(|socket| all.contains(socket)), "round {round}: sockets are left");
    assert!(shared_files().is_subset(&files), "round {round}: shared memory is left");
}

fn call_until_failure(comm: &Communicator, round: usize) {
    let mut turn = 0;
    let error = loop {
        if turn == 10 {
            say("running");
        }
        let mut attempt = Attempt::on(comm, case_of_turn(round, turn, comm.size()), Placement::Apart);
        match attempt.run(comm) {
            // A call that succeeds has the correct result, even when a rank has just died.
            Ok(()) => attempt.verify(),
            Err(error) => break error,
        }
        turn += 1;
    };
    match &error {
        Error::PeerLost { rank, .. } => say(&format!("lost {rank}: {error}")),
        other => say(&format!("other {other:?}")),
    }
    let rest = comm.shrink(&CommConfig::default()).expect("the others are there");
    assert_eq!(rest.size(), comm.size() - 1);
    for turn in 0..CALLS_AFTERWARDS {
        check(&rest, case_of_turn(round, turn, rest.size()), Placement::Apart);
    }
    comm.finalize().expect("local");
    rest.finalize().expect("local");
    say("shrunk, and all went well");
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(part) = part() else { return };
    assert_eq!(part, "call until failure");
    let round = std::env::var("ANYCCL_TEST_ROUND").expect("set by the parent").parse().expect("a number");
    call_until_failure(&join().expect("a world"), round);
}

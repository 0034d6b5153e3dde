//! Ranks that are killed, are stopped, or leave. The survivors soon get an error that names the rank, and
//! nothing is left behind.

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::Duration;

use crate::common;
use anyccl_engine::base::{Collective, Datatype, Error, Rank};
use anyccl_engine::comm::{Communicator, world_finalize};
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector};
use common::attempt::{Attempt, Placement, check};
use common::case::Case;
use common::fabric::{library, over};
use common::lateness::Stopwatch;
use common::proc_fs::{named_shared_mappings, shared_files, socket_inodes, unix_inodes};
use common::processes::{ProcessJob, RankProcess, a_processor, join, listen, part, say, tcp_store};
use common::temp_dir::TempDir;
use common::values::noise;
use common::watchdog::Watchdog;

/// Longest time until the survivors get their error.
const SOON: Duration = Duration::from_secs(1);
const LIMIT: Duration = Duration::from_secs(150);

/// A lock that lets one job run at a time, because the tests measure time.
static MEASURING: Mutex<()> = Mutex::new(());

fn one_at_a_time() -> std::sync::MutexGuard<'static, ()> {
    MEASURING.lock().unwrap_or_else(|failed| failed.into_inner())
}

/// A job that runs, and what it must not leave behind.
struct RunningJob {
    ranks: Vec<RankProcess>,
    /// Directory of the job for temporary files and for its store.
    directory: TempDir,
    sockets: HashSet<u64>,
    files: HashSet<String>,
}

impl RunningJob {
    /// Starts the job and waits until every rank is in the middle of its calls.
    fn start(size: u32, part: &'static str, transport: &str, deadline: Option<Duration>) -> RunningJob {
        let directory = TempDir::new();
        // The job over shared memory has its store in a file. The job over TCP uses the store of rank 0.
        let store = match transport {
            "tcp" => tcp_store(),
            _ => format!("file:{}", directory.path().join("store").display()).into(),
        };
        let mut job = over(ProcessJob::new(module_path!(), size, part, store), transport);
        job = job.set("TMPDIR", directory.path().display());
        if let Some(limit) = deadline {
            job = job.deadline(limit);
        }
        let files = shared_files();
        let mut ranks = job.start_all();
        ranks.iter_mut().for_each(|rank| rank.expect("running"));
        let sockets = ranks.iter().flat_map(|rank| socket_inodes(rank.pid())).collect();
        for rank in &ranks {
            let named = named_shared_mappings(rank.pid());
            assert!(named.is_empty(), "memory with a name: {named:?}");
        }
        RunningJob { ranks, directory, sockets, files }
    }

    /// Waits for the end of all ranks, and looks for files and sockets that are left.
    fn end_and_look_around(self) {
        for rank in self.ranks {
            rank.end_well();
        }
        let left: Vec<_> = unix_inodes().intersection(&self.sockets).copied().collect();
        assert!(left.is_empty(), "Unix sockets are left: {left:?}");
        let files = self.directory.entries();
        assert!(files.is_empty(), "files are left: {files:?}");
        let new: Vec<_> = shared_files().difference(&self.files).cloned().collect();
        assert!(new.is_empty(), "files of shared memory are left: {new:?}");
    }
}

/// The line by which a rank reports an error, such as "peer_lost 2 TEXT".
fn describe(error: &Error) -> String {
    match error {
        Error::PeerLost { rank, .. } => format!("peer_lost {rank} {error}"),
        Error::Timeout { .. } => format!("timeout {error}"),
        other => format!("other {other:?}"),
    }
}

fn each_rank_is_lost_in_turn(transport: &str, how: impl Fn(&mut RankProcess)) {
    let _turn = one_at_a_time();
    let _watchdog = Watchdog::new(format!("losing each rank in turn over {transport}"), LIMIT);
    for victim in 0..4 {
        a_rank_is_lost(victim, transport, &how);
    }
}

fn a_rank_is_lost(victim: usize, transport: &str, how: impl Fn(&mut RankProcess)) {
    let mut job = RunningJob::start(4, "call until failure", transport, None);
    let loss = Stopwatch::start(job.ranks.iter().map(RankProcess::pid));
    how(&mut job.ranks[victim]);
    let lost = job.ranks.remove(victim);
    for survivor in &mut job.ranks {
        let said = survivor.hear();
        let who = format!("rank {} after the loss of {victim} over {transport}", survivor.rank);
        assert!(said.text.starts_with(&format!("peer_lost {victim} ")), "{who}: {}", said.text);
        loss.check(SOON, said.when, who);
        survivor.expect("the same again");
    }
    drop(lost);
    job.end_and_look_around();
}

#[test]
fn survivors_learn_within_a_second_which_rank_was_killed_over_shared_memory() {
    each_rank_is_lost_in_turn("shm", |rank| rank.signal(libc::SIGKILL));
}

#[test]
fn survivors_learn_within_a_second_which_rank_was_killed_over_tcp() {
    each_rank_is_lost_in_turn("tcp", |rank| rank.signal(libc::SIGKILL));
}

#[test]
fn survivors_learn_within_a_second_which_rank_was_killed_over_a_fabric() {
    if library().is_some() {
        each_rank_is_lost_in_turn("ofi", |rank| rank.signal(libc::SIGKILL));
    }
}

#[test]
fn a_stopped_rank_is_named_over_a_fabric() {
    if library().is_some() {
        let _turn = one_at_a_time();
        let _watchdog = Watchdog::new("a stopped rank over a fabric", LIMIT);
        a_rank_is_stopped("ofi");
    }
}

#[test]
fn survivors_learn_within_a_second_which_rank_has_exited_without_finalizing() {
    for transport in ["shm", "tcp"] {
        each_rank_is_lost_in_turn(transport, |rank| rank.tell("exit"));
    }
}

#[test]
fn a_stopped_rank_is_named_when_the_others_have_waited_long_enough() {
    let _turn = one_at_a_time();
    let _watchdog = Watchdog::new("a stopped rank", LIMIT);
    for transport in ["shm", "tcp"] {
        a_rank_is_stopped(transport);
    }
}

fn a_rank_is_stopped(transport: &str) {
    let timeout = Duration::from_millis(1500);
    let mut job = RunningJob::start(3, "call until failure", transport, Some(timeout));
    let stop = Stopwatch::start(job.ranks.iter().map(RankProcess::pid));
    job.ranks[1].signal(libc::SIGSTOP);
    for at in [0, 2] {
        let said = job.ranks[at].hear();
        assert!(said.text.starts_with("timeout "), "{}", said.text);
        assert!(said.text.contains("rank 1 ") && said.text.contains("has not arrived"), "{}", said.text);
        // The two may have waited for each other for a while before they waited for the stopped rank.
        stop.check(timeout + SOON, said.when, format!("rank {at} over {transport}"));
        job.ranks[at].expect("the same again");
    }
    // When the stopped rank continues, it gets the error that the others have agreed on.
    job.ranks[1].signal(libc::SIGCONT);
    let said = job.ranks[1].hear();
    assert!(!said.text.starts_with("running"), "{}", said.text);
    job.ranks[1].expect("the same again");
    job.end_and_look_around();
}

#[test]
fn a_job_that_ends_in_good_order_leaves_nothing_behind() {
    let _turn = one_at_a_time();
    let _watchdog = Watchdog::new("a good end", LIMIT);
    for transport in ["shm", "tcp"] {
        RunningJob::start(3, "finalize", transport, None).end_and_look_around();
    }
}

#[test]
fn a_process_that_never_starts_is_named_to_those_who_wait() {
    let _turn = one_at_a_time();
    let _watchdog = Watchdog::new("a missing process", LIMIT);
    let directory = TempDir::new();
    let file = |absent: u32| format!("file:{}", directory.path().join(format!("{absent}")).display());
    // Side by side, each with time enough for its two processes to join.
    let jobs: Vec<_> = [1, 2]
        .into_iter()
        .flat_map(|absent| [tcp_store(), file(absent).into()].map(|store| (absent, store)))
        .map(|(absent, store)| {
            let job =
                ProcessJob::new(module_path!(), 3, "fail to join", store).set("ANYCCL_TIMEOUT_MS", 5000);
            let present = (0..3).filter(|rank| *rank != absent).map(|rank| job.start(rank));
            let present: Vec<_> = present.collect();
            (absent, present, job)
        })
        .collect();
    for (absent, mut present, _job) in jobs {
        for rank in &mut present {
            let said = rank.hear();
            assert!(said.text.contains(&format!("rank {absent}")), "{}", said.text);
        }
        present.into_iter().for_each(RankProcess::end_well);
    }
}

/// Lengths in bytes of the messages that a dead rank has sent.
const LEFT_BYTES: [usize; 3] = [40_000, 524_288, 3_000_000];

#[test]
fn a_receive_of_what_a_dead_rank_had_offered_fails_within_a_second() {
    let _turn = one_at_a_time();
    let _watchdog = Watchdog::new("a message of a dead rank", LIMIT);
    for bytes in LEFT_BYTES {
        a_sender_dies(bytes);
    }
}

fn a_sender_dies(bytes: usize) {
    let directory = TempDir::new();
    let store = format!("file:{}", directory.path().join("store").display());
    let mut job =
        ProcessJob::new(module_path!(), 3, "receive from the dead", &store).set("ANYCCL_TEST_BYTES", bytes);
    // Ranks that share a processor offer their messages to the receiver, which copies them out of the
    // sender's memory.
    job.prefixes = vec![vec!["taskset".into(), "-c".into(), a_processor()]; 3];
    let mut ranks = job.start_all();
    ranks[1].expect("sent");
    // The process must have ended, because the receiver can fetch the message until then.
    drop(ranks.remove(1));
    let told = Stopwatch::start([ranks[0].pid()]);
    ranks[0].tell("receive");
    let said = ranks[0].hear();
    assert!(said.text.starts_with("peer_lost 1 "), "{bytes} bytes: {}", said.text);
    told.check(SOON, said.when, format!("a receiver of {bytes} bytes"));
}

fn receive_from_the_dead(comm: &Communicator) {
    let bytes: usize = std::env::var("ANYCCL_TEST_BYTES").expect("told").parse().expect("a number");
    let mut data = vec![1u8; bytes];
    // The barriers give the ranks time to find out what they can read of each other.
    for _ in 0..20 {
        check(comm, Case::barrier(), Placement::Apart);
        check(comm, Case::plain(Collective::AllGather, 0, 10), Placement::Apart);
    }
    let (datatype, count) = (Datatype::Byte, bytes as u64);
    match comm.rank() {
        0 => {
            listen();
            let buffer = RecvBuffer { data: data.as_mut_ptr(), datatype, count, is_lenient: false };
            // SAFETY: the data is borrowed for the whole call.
            let received = unsafe { comm.receive(Selector::new(Some(1), Some(5)), buffer) };
            say(&describe(&received.expect_err("the sender has ended")));
            listen();
        }
        1 => {
            let what = OutgoingMessage {
                to: 0,
                tag: 5,
                datatype,
                count,
                data: data.as_ptr(),
                is_synchronous: false,
            };
            // SAFETY: the data outlives the request; the process is killed before either ends.
            let mut request = unsafe { comm.start(&what) }.expect("it starts");
            let _ = request.test();
            say("sent");
            listen();
        }
        _ => drop(listen()),
    }
    // No rank finalizes. The test kills whichever rank is left.
    std::process::exit(0);
}

/// Case number `at` of a sequence that is the same on every rank. Some cases are large.
fn case_of_turn(at: usize, size: u32) -> Case {
    let noise = noise(0, at);
    let collective = Collective::UNIFORM[noise as usize % Collective::UNIFORM.len()];
    let count = match noise >> 32 & 15 {
        0 => 200_000,
        1..4 => 20_000,
        n => n as usize,
    };
    Case::plain(collective, (noise >> 40) as Rank % size, count)
}

fn call_until_failure(comm: &Communicator) {
    // The order "exit" must end the process while its main thread is inside a call.
    std::thread::spawn(|| {
        if listen() == "exit" {
            std::process::exit(0);
        }
    });
    let mut turns = 0..;
    let error = loop {
        let turn = turns.next().expect("without end");
        if turn == 50 {
            say("running");
        }
        let mut attempt = Attempt::on(comm, case_of_turn(turn, comm.size()), Placement::Apart);
        match attempt.run(comm) {
            Ok(()) if turn < 50 => attempt.verify(),
            Ok(()) => {}
            Err(error) => break error,
        }
    };
    say(&describe(&error));
    let again = Attempt::on(comm, Case::barrier(), Placement::Apart).run(comm).expect_err("it has failed");
    assert_eq!(again.to_string(), error.to_string());
    world_finalize().expect("nobody is waited for");
    say("the same again");
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(part) = part() else { return };
    let joined = join();
    if part == "fail to join" {
        return say(&joined.err().expect("one rank is missing").to_string());
    }
    let comm = joined.expect("a world");
    if part == "call until failure" {
        return call_until_failure(&comm);
    }
    if part == "receive from the dead" {
        return receive_from_the_dead(&comm);
    }
    for turn in 0..50 {
        check(&comm, case_of_turn(turn, comm.size()), Placement::Apart);
    }
    say("running");
    world_finalize().expect("a good end");
}

//! Losses that are hard to notice or to report. A rank dies whose child lives on, a rank sends a wrong byte,
//! or a rank is stopped and continues after the others have given up. A survivor cannot write its log. The
//! survivors learn about the loss soon, shrink, and go on.

use std::io::{PipeReader, Write};
use std::os::fd::AsRawFd;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use crate::common;
use anyccl_engine::base::{Collective, Error};
use anyccl_engine::comm::{CommConfig, Communicator};
use common::attempt::{Attempt, Placement, check};
use common::case::Case;
use common::lateness::Stopwatch;
use common::orphan::Orphan;
use common::processes::{ProcessJob, RankProcess, join, listen, part, say, tcp_store};
use common::watchdog::Watchdog;

const SIZE: u32 = 3;
const VICTIM: usize = 1;
/// Longest time until the survivors get their error.
const SOON: Duration = Duration::from_secs(1);
const LIMIT: Duration = Duration::from_secs(120);

/// A lock that lets one job run at a time, because the tests measure time.
static MEASURING: Mutex<()> = Mutex::new(());

fn one_at_a_time() -> MutexGuard<'static, ()> {
    MEASURING.lock().unwrap_or_else(|failed| failed.into_inner())
}

fn job(part: &'static str, transport: &str) -> ProcessJob {
    ProcessJob::new(module_path!(), SIZE, part, tcp_store()).set("ANYCCL_TRANSPORT", transport)
}

fn start(job: &ProcessJob) -> Vec<RankProcess> {
    let mut ranks = job.start_all();
    ranks.iter_mut().for_each(|rank| rank.expect("running"));
    ranks
}

/// Applies `how` to the victim, and checks that the others learn about it at once, log one line and shrink.
/// Drops the result of `how` only afterwards.
fn the_others_go_on<G>(transport: &str, how: impl Fn(&mut RankProcess) -> G) {
    let _turn = one_at_a_time();
    let _watchdog = Watchdog::new(format!("survivors over {transport}"), LIMIT);
    let mut ranks = start(&job("wait for the victim", transport).set("ANYCCL_LOG", "error"));
    let loss = Stopwatch::start(ranks.iter().map(RankProcess::pid));
    let kept = how(&mut ranks[VICTIM]);
    let lost = ranks.remove(VICTIM);
    for survivor in &mut ranks {
        let said = survivor.hear();
        let who = format!("rank {} over {transport}", survivor.rank);
        assert!(said.text.starts_with(&format!("peer_lost {VICTIM} ")), "{who}: {}", said.text);
        loss.check(SOON, said.when, who);
    }
    for survivor in &mut ranks {
        survivor.expect("shrunk to 2, and all went well");
    }
    drop((kept, lost));
    for survivor in ranks {
        let rank = survivor.rank;
        let (well, errors) = survivor.end();
        assert!(well, "rank {rank}: {errors}");
        let lines = errors.lines().filter(|line| line.starts_with("anyccl: ")).count();
        assert_eq!(lines, 1, "rank {rank} has written: {errors}");
    }
}

#[test]
fn a_rank_that_has_forked_is_known_to_be_dead_while_its_child_lives() {
    for transport in ["shm", "tcp"] {
        the_others_go_on(transport, |rank| {
            rank.tell("fork");
            let child = Orphan::of(&rank.hear().text);
            rank.signal(libc::SIGKILL);
            child
        });
    }
}

#[test]
fn on_one_host_a_rank_is_known_to_be_dead_while_a_child_of_a_bare_clone_holds_its_sockets() {
    the_others_go_on("shm", |rank| {
        rank.tell("clone");
        let child = Orphan::of(&rank.hear().text);
        rank.signal(libc::SIGKILL);
        child
    });
}

#[test]
fn a_rank_that_sends_one_wrong_byte_is_cut_off_with_one_line_and_the_others_go_on_without_it() {
    for transport in ["shm", "tcp"] {
        the_others_go_on(transport, |rank| {
            rank.tell("nonsense");
            rank.expect("said");
        });
    }
}

#[test]
fn a_rank_that_goes_on_when_the_others_have_given_up_gets_an_error_and_no_value() {
    for transport in ["shm", "tcp"] {
        let _turn = one_at_a_time();
        let _watchdog = Watchdog::new(format!("a rank that goes on over {transport}"), LIMIT);
        let impatient = job("wait for the victim", transport).deadline(Duration::from_millis(1500));
        let mut ranks = start(&impatient);
        ranks[VICTIM].signal(libc::SIGSTOP);
        for at in [0, 2] {
            let said = ranks[at].hear();
            assert!(said.text.starts_with("timeout "), "rank {at} over {transport}: {}", said.text);
        }
        ranks[VICTIM].signal(libc::SIGCONT);
        ranks[VICTIM].tell("call");
        let said = ranks[VICTIM].hear();
        let told = said.text.starts_with("timeout ") && said.text.contains("reported by rank ");
        assert!(told, "the victim over {transport}: {}", said.text);
        ranks[VICTIM].tell("end");
        ranks.into_iter().for_each(RankProcess::end_well);
    }
}

/// What standard error of a survivor is when it has an error to log.
const PLACES: [&str; 2] = ["a pipe without a reader", "a full pipe"];

#[test]
fn a_survivor_gets_its_error_although_its_log_cannot_be_written() {
    for place in PLACES {
        let _turn = one_at_a_time();
        let _watchdog = Watchdog::new(format!("a log to {place}"), LIMIT);
        let logging = job("wait for the victim", "shm").set("ANYCCL_LOG", "error").set(STDERR, place);
        let mut ranks = start(&logging);
        ranks[VICTIM].signal(libc::SIGKILL);
        ranks.remove(VICTIM);
        for survivor in &mut ranks {
            let said = survivor.hear();
            assert!(said.text.starts_with(&format!("peer_lost {VICTIM} ")), "{place}: {}", said.text);
            survivor.expect("shrunk to 2, and all went well");
        }
        ranks.into_iter().for_each(RankProcess::end_well);
    }
}

const STDERR: &str = "ANYCCL_TEST_STDERR";

/// Replaces standard error by a pipe. Returns the end of the pipe that the caller must keep.
fn spoil_standard_error(place: &str) -> Option<PipeReader> {
    // The signal ends a C program. Rust ignores it by default.
    // SAFETY: sets the action of a signal.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    let kept = (place == "a full pipe").then_some(reader);
    if kept.is_some() {
        // SAFETY: reads a property of a descriptor.
        let room = unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_GETPIPE_SZ) };
        writer.write_all(&vec![b'.'; room as usize]).expect("it takes so many");
    }
    // SAFETY: replaces a descriptor of this process that no thread uses at this moment.
    unsafe { libc::dup2(writer.as_raw_fd(), libc::STDERR_FILENO) };
    kept
}

/// The call in which the victim is missed. All messages of this call to the victim are sent before a rank
/// gives up.
fn call(comm: &Communicator) -> Result<(), Error> {
    Attempt::on(comm, Case::plain(Collective::AllToAll, 0, 3), Placement::Apart).run(comm)
}

fn describe(error: &Error) -> String {
    match error {
        Error::PeerLost { rank, .. } => format!("peer_lost {rank} {error}"),
        Error::Timeout { .. } => format!("timeout {error}"),
        other => format!("other {other:?}"),
    }
}

fn wait_for_the_victim(comm: &Communicator) {
    let _kept = std::env::var(STDERR).ok().map(|place| spoil_standard_error(&place));
    let error = call(comm).expect_err("one rank does not come");
    say(&describe(&error));
    if matches!(error, Error::Timeout { .. }) {
        // The survivor stays until the victim has called, because its end would be another failure.
        listen();
        return;
    }
    let rest = comm.shrink(&CommConfig::default()).expect("the others are there");
    for _ in 0..20 {
        check(&rest, Case::barrier(), Placement::Apart);
        call(&rest).expect("all are there");
    }
    say(&format!("shrunk to {}, and all went well", rest.size()));
    // The survivor stays until the victim is gone, because its end would be another death.
    listen();
}

fn be_the_victim(comm: &Communicator) {
    loop {
        match listen().as_str() {
            "fork" => say(&Orphan::fork().to_string()),
            "clone" => say(&Orphan::clone_barely().to_string()),
            "nonsense" => {
                for fd in 3..256 {
                    // SAFETY: one readable byte. The call fails on a descriptor that is no socket or not
                    // open.
                    unsafe {
                        libc::send(fd, [99u8].as_ptr().cast(), 1, libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL)
                    };
                }
                say("said");
            }
            "call" => say(&call(comm).map_or_else(|error| describe(&error), |()| "a value".into())),
            _ => return,
        }
    }
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    if part().is_none() {
        return;
    }
    let comm = join().expect("a world");
    for _ in 0..20 {
        check(&comm, Case::barrier(), Placement::Apart);
        call(&comm).expect("all are there");
    }
    say("running");
    if comm.rank() as usize == VICTIM { be_the_victim(&comm) } else { wait_for_the_victim(&comm) }
}

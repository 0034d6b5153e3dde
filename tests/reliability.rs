//! The table of faults: what each survivor is told, and after how long. Every fault at every stage, over both transports.
//!
//! `ANYCCL_TEST_WRITE=1` writes the table into docs/RELIABILITY.md. Without, fewer collectives are tried, and nothing is
//! written; the limits hold in both cases.

mod common;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyccl_engine::base::{Collective, Error};
use anyccl_engine::comm::{Communicator, world_finalize};
use common::attempt::{Attempt, Placement};
use common::case::Case;
use common::processes::{Job, RankProcess, Said, free_tcp_store, join, listen, part, say};
use common::watchdog::Watchdog;

const SIZE: u32 = 4;
const VICTIM: usize = 1;
/// `ANYCCL_TIMEOUT_MS` of every job here.
const TIMEOUT: Duration = Duration::from_millis(1000);
/// A stall is told no later than this after the timeout.
const LATE: Duration = Duration::from_millis(100);
/// A death is told by then.
const SOON: Duration = Duration::from_secs(1);
/// Whoever hears nothing more for so long after joining was told to join and no more.
const ORDER_TIME: Duration = Duration::from_millis(300);
const BEGIN: &str = "<!-- The table is written by tests/reliability.rs. -->\n";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Kill,
    Exit,
    Stop,
}

impl Fault {
    const ALL: [Fault; 3] = [Fault::Kill, Fault::Exit, Fault::Stop];

    fn name(self) -> &'static str {
        match self {
            Fault::Kill => "killed (SIGKILL)",
            Fault::Exit => "exits without finalizing",
            Fault::Stop => "stopped (SIGSTOP)",
        }
    }

    fn befall(self, victim: &mut RankProcess) {
        match self {
            Fault::Kill => victim.signal(libc::SIGKILL),
            Fault::Exit => victim.tell("exit"),
            Fault::Stop => victim.signal(libc::SIGSTOP),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The victim has not begun to join.
    Init,
    /// It is joining.
    Connect,
    /// The others are in a collective that it has not called.
    Waiting(Collective),
    /// All call one collective after the other.
    Busy,
    /// The others finalize.
    Finalize,
}

impl Stage {
    fn name(self) -> String {
        match self {
            Stage::Init => "before it joins".into(),
            Stage::Connect => "while all join".into(),
            Stage::Waiting(collective) => format!("others wait in {}", collective.name()),
            Stage::Busy => "in the middle of its calls".into(),
            Stage::Finalize => "others finalize".into(),
        }
    }

    /// When survivors must know. Who has never been met cannot be seen to die.
    fn limit(self, fault: Fault) -> Duration {
        let may_be_unmet = matches!(self, Stage::Init | Stage::Connect);
        if fault == Fault::Stop || may_be_unmet { TIMEOUT + LATE } else { SOON }
    }
}

struct Row {
    fault: Fault,
    stage: Stage,
    transport: &'static str,
    slowest: Duration,
    told: String,
}

fn try_out(fault: Fault, stage: Stage, transport: &'static str) -> Row {
    let title = format!("{} over {transport}: {}", stage.name(), fault.name());
    let _watchdog = Watchdog::new(title.clone(), Duration::from_secs(60));
    let job = Job::new(SIZE, "live through it", &free_tcp_store())
        .set("ANYCCL_TRANSPORT", transport)
        .set("ANYCCL_TIMEOUT_MS", TIMEOUT.as_millis());
    let mut ranks = job.start_all();
    ranks.iter_mut().for_each(|rank| rank.expect("here"));
    let mut victim = ranks.remove(VICTIM);
    let order = match stage {
        Stage::Init | Stage::Connect => "join",
        Stage::Waiting(collective) => collective.name(),
        Stage::Busy => "busy",
        Stage::Finalize => "finalize",
    };
    if !matches!(stage, Stage::Init | Stage::Connect) {
        victim.tell("join");
        ranks.iter_mut().for_each(|rank| rank.tell("join"));
        victim.expect("joined");
        ranks.iter_mut().for_each(|rank| rank.expect("joined"));
    }
    if matches!(stage, Stage::Connect | Stage::Busy) {
        victim.tell(order);
    }
    ranks.iter_mut().for_each(|rank| rank.tell(order));
    if !matches!(stage, Stage::Init | Stage::Connect) {
        ranks.iter_mut().for_each(|rank| rank.expect("calling"));
        // So that they are inside of the call.
        std::thread::sleep(Duration::from_millis(20));
    } else if stage == Stage::Connect {
        std::thread::sleep(Duration::from_millis(1));
    }
    let start = Instant::now();
    fault.befall(&mut victim);
    let mut slowest = Duration::ZERO;
    let mut told = String::new();
    for survivor in &mut ranks {
        let Said { when, text } = hear_error(survivor);
        let late = when.saturating_duration_since(start);
        assert!(
            late < stage.limit(fault),
            "{title}: rank {} learnt it after {late:?}: {text}",
            survivor.rank
        );
        // While all join, one that has given up may be what another one learns of.
        let names_somebody =
            stage == Stage::Connect && (text.contains("rank ") || text.contains("the store"));
        let names_it = text.contains("rank 1") || names_somebody;
        assert!(names_it, "{title}: rank {} is not told who: {text}", survivor.rank);
        if told.is_empty() || !text.contains("reported by") {
            told = text;
        }
        slowest = slowest.max(late);
    }
    Row { fault, stage, transport, slowest, told }
}

/// The first line that is an error: a rank that has joined before its peer went says so first.
fn hear_error(rank: &mut RankProcess) -> Said {
    loop {
        let said = rank.hear();
        if let Some(error) = said.text.strip_prefix("error: ") {
            return Said { when: said.when, text: error.to_string() };
        }
    }
}

/// Process numbers and names of hosts differ from run to run.
fn without_accidents(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("(host ") {
        let (_, behind) = after.split_once(')').unwrap_or((after, ""));
        out += &format!("{before}(host h, pid n)");
        rest = behind;
    }
    (out + rest).replace('|', "\\|")
}

fn write(rows: &[Row]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/RELIABILITY.md");
    let page = fs::read_to_string(&path).expect("the page is there");
    let (head, _) = page.split_once(BEGIN).expect("the page has a place for the table");
    let mut table = String::from(
        "| fault | stage | transport | slowest survivor | what a survivor is told |\n| --- | --- | --- | ---: | --- |\n",
    );
    for Row { fault, stage, transport, slowest, told } in rows {
        let (fault, stage, told) = (fault.name(), stage.name(), without_accidents(told));
        let _ = writeln!(table, "| {fault} | {stage} | {transport} | {} ms | {told} |", slowest.as_millis());
    }
    fs::write(&path, format!("{head}{BEGIN}\n{table}")).expect("the page can be written");
}

#[test]
fn every_fault_at_every_stage_is_told_to_all_survivors_in_time() {
    let is_full = std::env::var_os("ANYCCL_TEST_WRITE").is_some();
    let collectives: &[Collective] =
        if is_full { &Collective::UNIFORM } else { &[Collective::AllReduce, Collective::Gather] };
    let mut stages = vec![Stage::Init, Stage::Connect];
    stages.extend(collectives.iter().map(|collective| Stage::Waiting(*collective)));
    stages.extend([Stage::Busy, Stage::Finalize]);
    let mut rows = Vec::new();
    for fault in Fault::ALL {
        for stage in &stages {
            for transport in ["shm", "tcp"] {
                rows.push(try_out(fault, *stage, transport));
            }
        }
    }
    if is_full {
        write(&rows);
    }
}

/// A survivor's part; the victim takes part as far as it is told.
fn live_through_it() {
    say("here");
    if listen() == "exit" {
        std::process::exit(0);
    }
    let (orders, hear) = std::sync::mpsc::channel();
    // "exit" ends the process in the middle of whatever its other thread does.
    std::thread::spawn(move || {
        loop {
            match listen().as_str() {
                "exit" => std::process::exit(0),
                "" => return,
                order => orders.send(order.to_string()).expect("somebody waits for orders"),
            }
        }
    });
    let error = match join() {
        Ok(comm) => {
            say("joined");
            match hear.recv_timeout(ORDER_TIME).as_deref() {
                Ok("finalize") => {
                    say("calling");
                    world_finalize().expect_err("one rank does not")
                }
                Ok("busy") => {
                    say("calling");
                    call_until_failure(&comm, None)
                }
                Ok(name) => {
                    say("calling");
                    call_until_failure(&comm, Collective::from_name(name))
                }
                // Joined in time, though its peer was not.
                Err(_) if comm.rank() as usize != VICTIM => {
                    call_until_failure(&comm, Some(Collective::Barrier))
                }
                // The victim: what befalls it comes from outside.
                Err(_) => {
                    let _ = hear.recv();
                    return;
                }
            }
        }
        Err(error) => error,
    };
    say(&format!("error: {error}"));
}

/// Calls `collective`, then a barrier, and so on: who can end one without the lost rank fails in the next. Without: all of
/// them in turn.
fn call_until_failure(comm: &Communicator, collective: Option<Collective>) -> Error {
    for turn in 0.. {
        let next = Collective::UNIFORM[turn % Collective::UNIFORM.len()];
        let cases = match collective {
            Some(collective) => [Case::plain(collective, 0, 1000), Case::barrier()],
            None => [Case::plain(next, 0, 100_000), Case::barrier()],
        };
        for case in cases {
            if let Err(error) = Attempt::on(comm, case, Placement::Apart).run(comm) {
                return error;
            }
        }
    }
    unreachable!("without end")
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    if part().is_some() {
        live_through_it();
    }
}

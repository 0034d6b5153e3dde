//! Ranks as processes: each rank is this test program again, with its rank in the environment.
//!
//! A module of tests has one ignored test, [`ENTRY`], that does what a rank does; [`ProcessJob`] runs it once
//! per rank. A rank reports to the test in lines that begin with [`MARK`], and reads orders from its standard
//! input. The tests wait for such events and never sleep for a fixed time instead.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyccl_engine::base::{Rank, Result};
use anyccl_engine::bootstrap::UniqueId;
use anyccl_engine::comm::{CommConfig, Communicator, world_init};
use anyccl_engine::config::Config;
use anyccl_engine::observe::log;
use anyccl_engine::sys::port::ReservedPort;

/// Name of the test that every rank runs.
pub const ENTRY: &str = "a_rank_of_the_tests_in_this_file";
/// Variable with the task of a rank. [`ENTRY`] does nothing without it.
pub const PART: &str = "ANYCCL_TEST_PART";
/// Variable with the deadline of calls in milliseconds ([`ProcessJob::deadline`]).
const DEADLINE: &str = "ANYCCL_TEST_DEADLINE_MS";
/// The driver that the ranks use, too (`common::device`).
const DRIVER: &str = "ANYCCL_TEST_DRIVER";
/// What the ranks choose their calls by, as this process does.
const SAMPLE: [&str; 2] = ["ANYCCL_TEST_SEED", "ANYCCL_TEST_LONG"];
/// Prefix of a line that is meant for the parent.
const MARK: &str = "@ ";
/// Longest time to wait for a single event.
const PATIENCE: Duration = Duration::from_secs(200);

/// The task of this process, if it is a rank.
pub fn part() -> Option<String> {
    std::env::var(PART).ok()
}

/// Joins the job that the environment describes, as the ABI libraries do. Then sets the deadline of the test.
pub fn join() -> Result<Arc<Communicator>> {
    let settings = Config::from_environment()?;
    log::set_level(settings.log);
    let world = world_init(&settings, &CommConfig::default())?;
    if let Ok(text) = std::env::var(DEADLINE) {
        world.set_timeout(Some(Duration::from_millis(text.parse().expect("a number"))));
    }
    Ok(world)
}

/// The id of a job whose processes have several ranks: process 0 makes it, and the test passes it on.
pub fn id_of_job(process: u64, config: &Config) -> UniqueId {
    if process == 0 {
        say(&in_hex(&UniqueId::create(config).expect("a unique id")));
    }
    hear_id()
}

/// The id as text for [`hear_id`].
pub fn in_hex(id: &UniqueId) -> String {
    id.0.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Waits for the parent's next line, which is an id.
pub fn hear_id() -> UniqueId {
    let text = listen();
    UniqueId(std::array::from_fn(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).expect("digits")))
}

/// Reports a line to the parent.
pub fn say(text: &str) {
    // One write bypasses the capture of the test harness. The leading newline ends a line that the harness
    // may have begun.
    let line = format!("\n{MARK}{}\n", text.replace('\n', " "));
    let mut out = std::io::stdout().lock();
    out.write_all(line.as_bytes()).and_then(|()| out.flush()).expect("the parent reads");
}

/// Waits for the parent's next line.
pub fn listen() -> String {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).expect("the parent speaks");
    line.trim().to_string()
}

/// The name by which the harness knows the test `name` of a module, given by its `module_path!()`.
pub fn name_of_test(module: &str, name: &str) -> String {
    match module.split_once("::") {
        Some((_program, within)) => format!("{within}::{name}"),
        None => name.to_string(),
    }
}

/// Where the store of a job is.
#[derive(Clone)]
pub struct StorePlace {
    /// Value of `ANYCCL_STORE`.
    pub text: String,
    /// Keeps a TCP port from other programs.
    _reserved: Option<Arc<ReservedPort>>,
}

impl<T: Into<String>> From<T> for StorePlace {
    fn from(text: T) -> StorePlace {
        StorePlace { text: text.into(), _reserved: None }
    }
}

/// A store of a job on a TCP port of this host, which no other program gets while the job lives.
pub fn tcp_store() -> StorePlace {
    let port = ReservedPort::new().expect("a free port");
    let text = format!("tcp://127.0.0.1:{}", port.number());
    StorePlace { text, _reserved: Some(Arc::new(port)) }
}

/// A processor that this process may use.
pub fn a_processor() -> String {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("a list");
    list.trim().split([',', '-']).next().expect("at least one").to_string()
}

/// A line of a rank, and the time at which it came.
pub struct Said {
    pub when: Instant,
    pub text: String,
}

/// A rank, seen from the parent. Dropping the value kills the process.
pub struct RankProcess {
    pub rank: Rank,
    child: Child,
    lines: Receiver<Said>,
    errors: Option<JoinHandle<String>>,
}

/// Settings to start the ranks of one job.
#[derive(Clone)]
pub struct ProcessJob {
    /// Full name of the test that every rank runs.
    entry: String,
    pub size: u32,
    pub part: &'static str,
    _store: StorePlace,
    /// Environment variables of every rank.
    pub environment: Vec<(String, String)>,
    /// Command prefix of each rank, such as `ip netns exec NAME`.
    pub prefixes: Vec<Vec<String>>,
}

impl ProcessJob {
    /// A job of ranks that run the [`ENTRY`] of `module`, which is the `module_path!()` of the caller.
    pub fn new(module: &str, size: u32, part: &'static str, store: impl Into<StorePlace>) -> ProcessJob {
        let store = store.into();
        let place = store.text.clone();
        let entry = name_of_test(module, ENTRY);
        ProcessJob { entry, size, part, _store: store, environment: Vec::new(), prefixes: Vec::new() }
            .set("ANYCCL_WORLD_SIZE", size)
            .set("ANYCCL_STORE", place)
            .set("ANYCCL_TIMEOUT_MS", 50_000)
            .set("ANYCCL_LOG", "off")
    }

    /// Sets a variable for every rank.
    pub fn set(mut self, name: &str, value: impl ToString) -> ProcessJob {
        self.environment.retain(|(known, _)| known != name);
        self.environment.push((name.to_string(), value.to_string()));
        self
    }

    /// Sets the deadline of calls. It is set when the ranks have joined, since joining takes long on a busy
    /// machine; `ANYCCL_TIMEOUT_MS` would end that, too.
    pub fn deadline(self, limit: Duration) -> ProcessJob {
        self.set(DEADLINE, limit.as_millis())
    }

    /// Starts one rank.
    pub fn start(&self, rank: Rank) -> RankProcess {
        self.clone().set("ANYCCL_RANK", rank).start_as_told(rank)
    }

    /// Starts one rank without `ANYCCL_RANK`; it finds its rank from the other variables.
    pub fn start_as_told(&self, rank: Rank) -> RankProcess {
        let own = std::env::current_exe().expect("the path of this program");
        let mut command = match self.prefixes.get(rank as usize).filter(|p| !p.is_empty()) {
            Some(prefix) => {
                let mut command = Command::new(&prefix[0]);
                command.args(&prefix[1..]).arg(own);
                command
            }
            None => Command::new(own),
        };
        command.args([&self.entry, "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
        let is_kept = |name: &str| name == DRIVER || SAMPLE.contains(&name);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("ANYCCL_") && !is_kept(name)) {
            command.env_remove(name);
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.env(PART, self.part);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        RankProcess::watch(rank, command.spawn().expect("a rank starts"))
    }

    /// Starts every rank.
    pub fn start_all(&self) -> Vec<RankProcess> {
        (0..self.size).map(|rank| self.start(rank)).collect()
    }

    /// Runs every rank, each of which says that all is right and ends well.
    pub fn run(&self) {
        let mut ranks = self.start_all();
        ranks.iter_mut().for_each(|rank| rank.expect("all is right"));
        ranks.into_iter().for_each(RankProcess::end_well);
    }
}

impl RankProcess {
    fn watch(rank: Rank, mut child: Child) -> RankProcess {
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut stderr = child.stderr.take().expect("piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(|line| line.ok()) {
                let when = Instant::now();
                let Some(text) = line.strip_prefix(MARK) else { continue };
                if sender.send(Said { when, text: text.to_string() }).is_err() {
                    return;
                }
            }
        });
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = stderr.read_to_string(&mut text);
            text
        });
        RankProcess { rank, child, lines, errors: Some(errors) }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the next line.
    pub fn hear(&mut self) -> Said {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(said) => said,
            Err(RecvTimeoutError::Timeout) => {
                panic!("rank {} says nothing for {} s", self.rank, PATIENCE.as_secs())
            }
            Err(RecvTimeoutError::Disconnected) => {
                let _ = self.child.kill();
                let status = self.child.wait();
                let errors = self.errors.take().map(|thread| thread.join().unwrap_or_default());
                panic!("rank {} has ended ({status:?}): {}", self.rank, errors.unwrap_or_default())
            }
        }
    }

    /// Waits for a line. Returns `false` if the process has ended without one.
    pub fn has_said_something(&mut self) -> bool {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(_) => true,
            Err(RecvTimeoutError::Disconnected) => false,
            Err(RecvTimeoutError::Timeout) => {
                panic!("rank {} says nothing for {} s", self.rank, PATIENCE.as_secs())
            }
        }
    }

    /// Waits for the next line and checks that it is `text`.
    pub fn expect(&mut self, text: &str) {
        let said = self.hear();
        assert_eq!(said.text, text, "rank {}", self.rank);
    }

    /// Whether the rank reports nothing for `time`.
    pub fn is_silent_for(&mut self, time: Duration) -> bool {
        matches!(self.lines.recv_timeout(time), Err(RecvTimeoutError::Timeout))
    }

    /// Sends a line to the rank.
    pub fn tell(&mut self, text: &str) {
        let input = self.child.stdin.as_mut().expect("piped");
        writeln!(input, "{text}").and_then(|()| input.flush()).expect("the rank listens");
    }

    pub fn signal(&self, signal: libc::c_int) {
        // SAFETY: takes integers. The child has not been waited for yet, so the process number is still its
        // own.
        let done = unsafe { libc::kill(self.child.id() as libc::pid_t, signal) };
        assert_eq!(done, 0, "signal {signal} to rank {}", self.rank);
    }

    /// Waits for the end of the process. Returns whether it succeeded, and its standard error.
    pub fn end(mut self) -> (bool, String) {
        drop(self.child.stdin.take());
        let status = self.child.wait().expect("our child");
        let errors = self.errors.take().expect("taken once").join().unwrap_or_default();
        (status.success(), errors)
    }

    /// Waits for the end of the process and checks that it succeeded.
    pub fn end_well(self) {
        let rank = self.rank;
        let (well, errors) = self.end();
        assert!(well, "rank {rank} has failed: {errors}");
    }
}

impl Drop for RankProcess {
    fn drop(&mut self) {
        // A stopped process is killed as well. An error means that the process has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Kills one of the ranks once all are running. The streams of the others drain, and they end well.
pub fn kill_one(mut ranks: Vec<RankProcess>, killed: usize) {
    ranks.iter_mut().for_each(|rank| rank.expect("running"));
    ranks[killed].signal(libc::SIGKILL);
    let lost = ranks.remove(killed);
    for rank in &mut ranks {
        let said = rank.hear().text;
        assert!(said.starts_with("drained"), "rank {} of those without {killed}: {said}", rank.rank);
    }
    drop(lost);
    ranks.into_iter().for_each(RankProcess::end_well);
}

/// The first seed with which not all ranks of a job say something. Each rank is heard, so that none is killed
/// while another one is in a call with it.
pub fn first_silence(seeds: u64, start: impl Fn(u64) -> Vec<RankProcess>) -> Option<u64> {
    (0..seeds).find(|seed| {
        let mut ranks = start(*seed);
        let speaking: Vec<bool> = ranks.iter_mut().map(RankProcess::has_said_something).collect();
        speaking.contains(&false)
    })
}

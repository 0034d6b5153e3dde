//! The time lines that ranks have written (`anyccl_engine::observe::timeline`).
//!
//! A line of a file is an object. The last one may be cut off: its rank was killed. A trace has rounds and
//! messages of collectives; a recording has none.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyccl_engine::observe::timeline::FILE_PREFIX;
use serde::Deserialize;
use serde_json::Value;

use crate::failure::{Failure, complain};
use crate::trace::foreign_file::{clean, open, unreadable};

/// More ranks than any job has.
const MOST_RANKS: u32 = 1 << 20;

/// Longest head.
const MOST_HEAD_BYTES: u64 = 64 << 10;

/// The time line of a rank. Times are nanoseconds on the monotonic clock of its machine.
pub struct RankTrace {
    pub path: PathBuf,
    pub head: Head,
    pub comms: BTreeMap<u32, Comm>,
    pub calls: Vec<CallBar>,
    pub messages: Vec<MessageBar>,
    pub waits: Vec<WaitBar>,
    /// Whether its end is missing.
    pub is_cut: bool,
}

/// The first object of a file.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Head {
    /// Version of the arguments of calls; 0: there are none.
    #[serde(default)]
    pub format: u32,
    pub job: String,
    pub rank: u32,
    pub size: u32,
    #[serde(default)]
    pub hosts: u32,
    pub host: String,
    pub machine: String,
    pub process: u32,
    /// A moment of the monotonic clock.
    pub monotonic: u64,
    /// Time on the calendar at that moment, in nanoseconds since the epoch.
    pub time: u64,
}

/// A communicator of the rank.
#[derive(Clone, Debug, Deserialize)]
pub struct Comm {
    pub context: u32,
    pub group: String,
    /// Its ranks as ranks of the job.
    #[serde(default)]
    pub ranks: Vec<u32>,
}

/// Begin and end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bar {
    pub begin: i64,
    pub end: i64,
}

impl Bar {
    /// The time between the two.
    pub fn length(&self) -> i64 {
        self.end.saturating_sub(self.begin)
    }
}

/// A wait for calls that were started before.
#[derive(Clone, Copy, Debug)]
pub struct WaitBar {
    pub bar: Bar,
    pub thread: u32,
}

/// A call.
#[derive(Clone, Debug)]
pub struct CallBar {
    pub bar: Bar,
    /// Name of its class.
    pub name: String,
    pub about: AboutCall,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct AboutCall {
    /// The whole call.
    pub call: String,
    pub communicator: u32,
    #[serde(default)]
    pub number: Option<u32>,
    #[serde(default)]
    pub peer: Option<u32>,
    pub bytes: u64,
    pub blocking: bool,
    pub state: String,
    #[serde(default)]
    pub thread: u32,
    /// When its start returned, in microseconds after the begin.
    #[serde(default)]
    pub returned: f64,
    /// When the program learnt of the end, in microseconds after the begin.
    #[serde(default)]
    pub taken: Option<f64>,
    /// The thread that did.
    #[serde(default)]
    pub taken_by: u32,
    #[serde(flatten)]
    pub arguments: Arguments,
}

/// The arguments of a call. What a kind of call lacks is missing.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Arguments {
    pub datatype: String,
    pub op: Option<String>,
    pub root: u32,
    pub count: Option<u64>,
    pub on_device: bool,
    pub in_place: bool,
    /// Lengths of the blocks of a layout.
    pub input: Vec<u64>,
    pub output: Vec<u64>,
    pub sources: Vec<u32>,
    pub destinations: Vec<u32>,
    /// Tag of a message, and the other side as a rank of the communicator.
    pub tag: i32,
    pub to: Option<u32>,
    pub from: Option<u32>,
    pub synchronous: bool,
    /// Time that the thread had been on a processor.
    pub cpu_ns: u64,
}

/// A message of a collective call.
#[derive(Clone, Copy, Debug)]
pub struct MessageBar {
    pub peer: u32,
    pub bytes: u64,
    pub is_send: bool,
}

/// An object of a file.
#[derive(Deserialize)]
struct Object {
    name: String,
    ph: String,
    #[serde(default)]
    cat: String,
    #[serde(default)]
    ts: f64,
    #[serde(default)]
    dur: f64,
    #[serde(default)]
    args: Value,
}

#[derive(Deserialize)]
struct AboutMessage {
    peer: u32,
    bytes: u64,
}

/// Reads all time lines of a folder, in the order of jobs and ranks.
pub fn read(folder: &Path) -> Result<Vec<RankTrace>, Failure> {
    let mut found = Vec::new();
    for path in paths(folder)? {
        // One file that makes no sense does not hide the others.
        match RankTrace::read(&path) {
            Ok(trace) => found.push(trace),
            Err(failure) => complain(&format!("left out: {}", failure.text)),
        }
    }
    if found.is_empty() {
        return Err(Failure::own(format_args!(
            "{} has no time line of a rank: ANYCCL_TRACE={} lets a job write them",
            folder.display(),
            folder.display()
        )));
    }
    found.sort_by(|one, other| (&one.head.job, one.head.rank).cmp(&(&other.head.job, other.head.rank)));
    Ok(found)
}

/// The files of a folder that have the names of time lines.
pub fn paths(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(FILE_PREFIX) && name.ends_with(".json"))
    };
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?.flatten();
    Ok(entries.map(|entry| entry.path()).filter(is_ours).collect())
}

/// Calls `each` with every object of a file. Returns whether its end is missing.
pub fn objects(path: &Path, mut each: impl FnMut(&str) -> serde_json::Result<()>) -> Result<bool, Failure> {
    let file = open(path)?;
    // An object that makes no sense is the last one, cut off; or the file is none of ours.
    let mut wrong = None;
    let mut has_end = false;
    for line in BufReader::new(file).split(b'\n') {
        let line = line.map_err(|error| unreadable(path, &error))?;
        if let Some(error) = wrong.take() {
            return Err(unreadable(path, &error));
        }
        let text = String::from_utf8_lossy(&line);
        match text.strip_suffix(',').unwrap_or(&text) {
            "" | "[" => {}
            "]" => has_end = true,
            object => wrong = each(object).err(),
        }
    }
    Ok(wrong.is_some() || !has_end)
}

impl Head {
    /// Reads no more than the head of a file.
    pub fn read(path: &Path) -> Result<Head, Failure> {
        let file = open(path)?;
        let mut lines = BufReader::new(file.take(MOST_HEAD_BYTES)).lines().take(2);
        let text = lines.find_map(|line| line.ok().filter(|line| line != "["));
        let object: Option<Object> =
            text.and_then(|text| serde_json::from_str(text.trim_end_matches(',')).ok());
        let head = object.filter(|object| object.name == "anyccl").map(|object| Head::of(object.args));
        head.and_then(Result::ok).ok_or_else(|| unreadable(path, &"it is no time line of anyccl"))
    }

    fn of(facts: Value) -> serde_json::Result<Head> {
        let mut head: Head = serde_json::from_value(facts)?;
        clean(&mut head.host);
        clean(&mut head.job);
        Ok(head)
    }
}

impl RankTrace {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<RankTrace, Failure> {
        let mut trace = RankTrace {
            path: path.into(),
            head: Head::default(),
            comms: BTreeMap::new(),
            calls: Vec::new(),
            messages: Vec::new(),
            waits: Vec::new(),
            is_cut: false,
        };
        let mut heads = 0;
        trace.is_cut = objects(path, |text| {
            let object: Object = serde_json::from_str(text)?;
            heads += u32::from(object.name == "anyccl" && object.ph == "M");
            trace.add(object)
        })?;
        match heads {
            1 if trace.head.size > MOST_RANKS => Err(unreadable(path, &"its number of ranks makes no sense")),
            1 => Ok(trace),
            0 => Err(unreadable(path, &"it is no time line of anyccl")),
            _ => Err(unreadable(path, &"it has several ranks: `anyccl trace merge` has made it")),
        }
    }

    fn add(&mut self, object: Object) -> serde_json::Result<()> {
        let Object { name, ph, cat, ts, dur, args } = object;
        // Microseconds with three decimals: a float has them exactly enough for a century.
        // A file may say anything: sums of times up to 30 years fit.
        let nanoseconds = |microseconds: f64| (microseconds * 1e3).round().clamp(-1e18, 1e18) as i64;
        let bar = Bar { begin: nanoseconds(ts), end: nanoseconds(ts).saturating_add(nanoseconds(dur)) };
        match (ph.as_str(), name.as_str(), cat.as_str()) {
            ("M", "anyccl", _) => self.head = Head::of(args)?,
            ("M", "anyccl_communicator", _) => {
                let comm: Comm = serde_json::from_value(args)?;
                self.comms.insert(comm.context, comm);
            }
            ("X", _, "call") => {
                let (mut name, mut about): (String, AboutCall) = (name, serde_json::from_value(args)?);
                clean(&mut name);
                clean(&mut about.call);
                self.calls.push(CallBar { bar, name, about });
            }
            ("X", name, "message") => {
                let AboutMessage { peer, bytes } = serde_json::from_value(args)?;
                self.messages.push(MessageBar { peer, bytes, is_send: name.starts_with("send") });
            }
            ("X", _, "wait") => {
                let thread = args["thread"].as_u64().unwrap_or(0) as u32;
                self.waits.push(WaitBar { bar, thread });
            }
            _ => {}
        }
        Ok(())
    }

    /// Moves all times.
    pub fn shift(&mut self, by: i64) {
        let calls = self.calls.iter_mut().map(|call| &mut call.bar);
        for bar in calls.chain(self.waits.iter_mut().map(|wait| &mut wait.bar)) {
            bar.begin = bar.begin.saturating_add(by);
            bar.end = bar.end.saturating_add(by);
        }
    }

    /// The times in which a thread was in a call or a wait, in order and without overlap.
    pub fn inside(&self) -> Vec<Bar> {
        let blocking = self.calls.iter().filter(|call| call.about.blocking).map(|call| call.bar);
        let mut bars: Vec<Bar> = blocking.chain(self.waits.iter().map(|wait| wait.bar)).collect();
        bars.sort_by_key(|bar| bar.begin);
        let mut apart: Vec<Bar> = Vec::new();
        for bar in bars {
            match apart.last_mut() {
                Some(last) if bar.begin <= last.end => last.end = last.end.max(bar.end),
                _ => apart.push(bar),
            }
        }
        apart
    }
}

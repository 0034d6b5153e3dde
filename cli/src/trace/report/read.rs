//! The time lines that ranks have written (`anyccl_engine::observe::timeline`).
//!
//! A line of a file is an object. The last one may be cut off: its rank was killed.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyccl_engine::observe::timeline::FILE_PREFIX;
use serde::Deserialize;
use serde_json::Value;

use crate::failure::{Failure, complain};
use crate::trace::files::clean;

/// More ranks than any job has.
const MOST_RANKS: u32 = 1 << 20;

/// The time line of a rank. Times are nanoseconds on the monotonic clock of its machine.
pub struct RankTrace {
    pub path: PathBuf,
    pub head: Head,
    pub comms: BTreeMap<u32, Comm>,
    pub calls: Vec<CallBar>,
    pub messages: Vec<MessageBar>,
    pub waits: Vec<Bar>,
    /// Whether its end is missing.
    pub is_cut: bool,
}

/// The first object of a file.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Head {
    pub job: String,
    pub rank: u32,
    pub size: u32,
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
    for entry in fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?.flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|n| n.starts_with(FILE_PREFIX) && n.ends_with(".json")) {
            // One file that makes no sense does not hide the others.
            match RankTrace::read(&entry.path()) {
                Ok(trace) => found.push(trace),
                Err(failure) => complain(&format!("left out: {}", failure.text)),
            }
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

fn unreadable(what: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::own(format_args!("cannot read {}: {error}", what.display()))
}

/// Calls `each` with every object of a file. Returns whether its end is missing.
pub fn objects(path: &Path, mut each: impl FnMut(&str) -> serde_json::Result<()>) -> Result<bool, Failure> {
    let is_file = fs::metadata(path).map_err(|error| unreadable(path, &error))?.is_file();
    if !is_file {
        return Err(unreadable(path, &"it is no regular file"));
    }
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
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

impl RankTrace {
    fn read(path: &Path) -> Result<RankTrace, Failure> {
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
            ("M", "anyccl", _) => {
                self.head = serde_json::from_value(args)?;
                clean(&mut self.head.host);
                clean(&mut self.head.job);
            }
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
            ("X", _, "wait") => self.waits.push(bar),
            _ => {}
        }
        Ok(())
    }

    /// Moves all times.
    pub fn shift(&mut self, by: i64) {
        let calls = self.calls.iter_mut().map(|call| &mut call.bar);
        for bar in calls.chain(&mut self.waits) {
            bar.begin = bar.begin.saturating_add(by);
            bar.end = bar.end.saturating_add(by);
        }
    }

    /// The times in which a thread was in a call or a wait, in order and without overlap.
    pub fn inside(&self) -> Vec<Bar> {
        let blocking = self.calls.iter().filter(|call| call.about.blocking).map(|call| call.bar);
        let mut bars: Vec<Bar> = blocking.chain(self.waits.iter().copied()).collect();
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

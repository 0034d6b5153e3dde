//! The contents of reports, and the interface of a form of report.

use std::io::{self, Write};

use anyccl_engine::base::Collective;
use serde::Serialize;

use crate::perf::arguments::What;
use crate::perf::machines::Machine;
use crate::perf::statistics::Summary;

/// The part that all measurements of a run share. Its names are those of the JSON report and stay stable.
#[derive(Clone, Serialize)]
pub struct Header {
    /// Version.
    pub anyccl: &'static str,
    /// What is measured.
    pub what: What,
    /// When the measurement began, in UTC.
    pub date: String,
    /// The machines, with their ranks.
    pub machines: Vec<Machine>,
    /// What is doubtful from the beginning, in sentences.
    #[serde(skip)]
    pub warnings: Vec<String>,
    /// Number of ranks.
    pub ranks: u32,
    /// Number of hosts.
    pub hosts: u32,
    /// Transports between any two ranks; empty for a single rank.
    pub transports: Vec<&'static str>,
    /// Element type.
    pub datatype: &'static str,
    /// Operator of collectives that reduce.
    pub op: &'static str,
    /// Root of collectives that have one.
    pub root: u32,
    /// Instruction set of reductions on rank 0.
    pub kernels: &'static str,
    /// Form of calls: blocking or non-blocking.
    pub calls: &'static str,
    /// Memory of the buffers: cpu or cuda.
    pub memory: &'static str,
    /// The path of calls on device memory; `None` for host memory.
    pub way: Option<&'static str>,
}

impl Header {
    /// Whether every pair of ranks is measured, at the smallest and the largest size.
    pub fn is_matrix(&self) -> bool {
        self.what == What::Matrix
    }

    /// Datatype, operator and root, each with its name and unless nothing that is measured has one.
    pub fn operands(&self) -> Vec<(&'static str, String)> {
        let any = |has: fn(&Collective) -> bool| self.what.collectives().iter().any(has);
        let operands = [
            ("datatype", self.datatype.to_string(), any(|collective| *collective != Collective::Barrier)),
            ("op", self.op.to_string(), any(|collective| collective.reduces())),
            ("root", self.root.to_string(), any(|collective| collective.has_root())),
        ];
        let used = operands.into_iter().filter(|(.., is_used)| *is_used);
        used.map(|(name, value, _)| (name, value)).collect()
    }

    /// The transports in words: `shm+tcp`.
    pub fn transports_in_words(&self) -> String {
        if self.transports.is_empty() { "none".into() } else { self.transports.join("+") }
    }

    /// The memory in words, with the path of its calls.
    pub fn memory_in_words(&self) -> String {
        match self.way {
            None => self.memory.into(),
            Some(way) => format!("{}, {way}", self.memory),
        }
    }
}

/// The measurements of a collective at one size.
#[derive(Clone, Serialize)]
pub struct Row {
    /// Name of the collective.
    pub collective: &'static str,
    /// Algorithm that served the call.
    pub algorithm: &'static str,
    /// Whether the library chooses this algorithm by itself.
    pub chosen: bool,
    /// Whether the buffers coincided.
    pub in_place: bool,
    /// Bytes of the larger buffer.
    pub bytes: u64,
    /// Elements, as in the call.
    pub count: usize,
    /// Calls in one sample.
    pub calls: u64,
    /// Number of samples.
    pub samples: usize,
    /// Microseconds per call of the slowest rank.
    pub time_us: Summary,
    /// Size over median time, in 10^9 bytes per second.
    pub algorithm_bandwidth_gb_s: f64,
    /// Bandwidth relative to the hardware.
    pub bus_bandwidth_gb_s: f64,
    /// Whether every rank got the right result; `None` if it was not checked.
    pub correct: Option<bool>,
}

impl Row {
    /// Whether the buffers coincided, in a word.
    pub fn place(&self) -> &'static str {
        if self.in_place { "in" } else { "out" }
    }
}

/// The measurements of transfers between two ranks at one size.
#[derive(Clone, Serialize)]
pub struct PairRow {
    /// Sender of the stream.
    pub from: u32,
    /// Receiver of the stream.
    pub to: u32,
    /// Transport between the two.
    pub transport: &'static str,
    /// Bytes of one message.
    pub bytes: u64,
    /// Round trips in one sample.
    pub calls: u64,
    /// Number of samples.
    pub samples: usize,
    /// Microseconds of half a round trip.
    pub latency_us: Summary,
    /// Microseconds per message of many in a row.
    pub stream_us: Summary,
    /// One-way bandwidth of such messages, in 10^9 bytes per second.
    pub bandwidth_gb_s: f64,
    /// Whether the right bytes came back; `None` if it was not checked.
    pub correct: Option<bool>,
}

/// A form of report. Called in this order: header, then rows and pairs, then end.
pub trait Report {
    /// Begins the report.
    fn header(&mut self, header: &Header, out: &mut dyn Write) -> io::Result<()>;
    /// Adds one call, with a row for each measured algorithm.
    fn rows(&mut self, rows: &[Row], out: &mut dyn Write) -> io::Result<()>;
    /// Adds one pair of ranks.
    fn pair(&mut self, row: &PairRow, out: &mut dyn Write) -> io::Result<()>;
    /// Ends the report; `noise` is a sentence, if repeats disagree.
    fn end(&mut self, noise: Option<&str>, out: &mut dyn Write) -> io::Result<()>;
}

/// Result of the check, for people and for CSV.
pub fn verdict(correct: Option<bool>) -> &'static str {
    match correct {
        None => "-",
        Some(true) => "ok",
        Some(false) => "WRONG",
    }
}

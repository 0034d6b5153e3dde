//! What is reported, and what each form of a report does with it.

use std::io::{self, Write};

use serde::Serialize;

use crate::perf::statistics::Summary;

/// What is common to all measurements of a run. The names are those of the JSON report: they are kept.
#[derive(Clone, Serialize)]
pub struct Header {
    /// Version.
    pub anyccl: &'static str,
    /// Number of ranks.
    pub ranks: u32,
    /// Number of hosts.
    pub hosts: u32,
    /// Transports between any ranks; none for a rank alone.
    pub transports: Vec<&'static str>,
    /// Whether every pair of ranks is measured, at the two ends of the sizes.
    #[serde(skip)]
    pub matrix: bool,
    /// Element type.
    pub datatype: &'static str,
    /// Operator of collectives that reduce.
    pub op: &'static str,
    /// Root of collectives that have one.
    pub root: u32,
    /// Instructions that reductions use on rank 0.
    pub kernels: &'static str,
    /// blocking or non-blocking.
    pub calls: &'static str,
}

/// A collective at one size.
#[derive(Clone, Serialize)]
pub struct Row {
    /// Its name.
    pub collective: &'static str,
    /// Who did it.
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
    /// Bandwidth as the hardware sees it.
    pub bus_bandwidth_gb_s: f64,
    /// Whether every rank got the right result; `None` when not checked.
    pub correct: Option<bool>,
}

/// Transfers between two ranks at one size.
#[derive(Clone, Serialize)]
pub struct PairRow {
    /// Sender of the stream.
    pub from: u32,
    /// Its receiver.
    pub to: u32,
    /// Between them.
    pub transport: &'static str,
    /// Bytes of one message.
    pub bytes: u64,
    /// Round trips in one sample.
    pub calls: u64,
    /// Number of samples.
    pub samples: usize,
    /// Microseconds of half a round trip.
    pub latency_us: Summary,
    /// One-way, in 10^9 bytes per second.
    pub bandwidth_gb_s: f64,
    /// Whether the right bytes came back; `None` when not checked.
    pub correct: Option<bool>,
}

/// A form of report. Called in this order: header, then rows and pairs, then end.
pub trait Report {
    /// What is common.
    fn header(&mut self, header: &Header, out: &mut dyn Write) -> io::Result<()>;
    /// One call by each algorithm that was measured.
    fn rows(&mut self, rows: &[Row], out: &mut dyn Write) -> io::Result<()>;
    /// One pair of ranks.
    fn pair(&mut self, row: &PairRow, out: &mut dyn Write) -> io::Result<()>;
    /// Nothing follows.
    fn end(&mut self, out: &mut dyn Write) -> io::Result<()>;
}

/// For people and for CSV: what became of the check.
pub fn verdict(correct: Option<bool>) -> &'static str {
    match correct {
        None => "-",
        Some(true) => "ok",
        Some(false) => "WRONG",
    }
}

//! What the user may say to `anyccl perf`.

use anyccl_engine::algo;
use anyccl_engine::base::{Collective, Datatype, ReduceOp};
use clap::Args;

use super::sizes::{Sweep, parse_bytes};
use crate::Failure;

const EXAMPLES: &str = "\
Examples:
  anyccl perf all_reduce -n 4
  anyccl perf all_gather -n 4 --min-bytes 1K --max-bytes 1M --algorithms all
  anyccl perf p2p -n 2 --csv
  torchrun --nproc-per-node 4 --no-python anyccl perf all --json

With -n the ranks are started here; without it this command is one rank of a job that a launcher has
started. Which transport is used is said by ANYCCL_TRANSPORT, as for every program.

Exit code: 0; 1 when a result was wrong or something failed; 2 for wrong usage.";

/// Measure collectives and point-to-point transfers
///
/// For each size: results are checked, calls are repeated until the clock's resolution does not
/// matter, and the slowest rank counts. Bandwidths are those of nccl-tests.
#[derive(Args)]
#[command(after_long_help = EXAMPLES, after_help = "Examples and exit codes: anyccl perf --help")]
pub struct PerfArguments {
    /// A collective, p2p (ranks 0 and 1), p2p-matrix (every pair of ranks), or all collectives
    #[arg(value_name = "WHAT", value_parser = what)]
    pub what: What,

    /// Start this many ranks on this machine
    #[arg(short = 'n', long = "ranks", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub ranks: Option<u32>,

    /// Smallest size; K, M and G are powers of 1024
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, default_value = "8")]
    pub min_bytes: u64,

    /// Largest size
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, default_value = "64M")]
    pub max_bytes: u64,

    /// Each size is this many times the one before
    #[arg(long, value_name = "TIMES", default_value_t = 2, value_parser = clap::value_parser!(u64).range(2..))]
    pub factor: u64,

    /// Element type
    #[arg(long, value_name = "TYPE", value_parser = datatype, default_value = "float32")]
    pub datatype: Datatype,

    /// Operator of collectives that reduce
    #[arg(long, value_name = "OP", value_parser = operator, default_value = "sum")]
    pub op: ReduceOp,

    /// Root of collectives that have one
    #[arg(long, value_name = "RANK", default_value_t = 0)]
    pub root: u32,

    /// Send and receive buffer coincide
    #[arg(long, conflicts_with_all = ["out_of_place", "both"])]
    pub in_place: bool,

    /// Send and receive buffer are separate (the default)
    #[arg(long, conflicts_with = "both")]
    pub out_of_place: bool,

    /// Measure separate buffers and coinciding ones
    #[arg(long)]
    pub both: bool,

    /// Calls in one sample; auto: enough for the clock
    #[arg(long, value_name = "CALLS", value_parser = iterations, default_value = "auto")]
    pub iterations: Iterations,

    /// Calls before the first sample
    #[arg(long, value_name = "CALLS", default_value_t = 5)]
    pub warmup: u32,

    /// Check results once per size (the default)
    #[arg(long, overrides_with = "no_check")]
    pub check: bool,

    /// Do not check results
    #[arg(long, overrides_with = "check")]
    pub no_check: bool,

    /// Blocking calls (the default)
    #[arg(long, overrides_with = "non_blocking")]
    pub blocking: bool,

    /// Start each call, then wait for it
    #[arg(long, overrides_with = "blocking")]
    pub non_blocking: bool,

    /// Report as one JSON object
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,

    /// Report as comma-separated values
    #[arg(long)]
    pub csv: bool,

    /// Force this algorithm, or all of them one after the other for each size
    #[arg(long, value_name = "all|NAME")]
    pub algorithms: Option<String>,

    /// This process is a rank that `-n` has started.
    #[arg(long, hide = true)]
    pub launched: bool,
}

/// What is to be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// One collective.
    Collective(Collective),
    /// Every collective.
    All,
    /// Ranks 0 and 1.
    PointToPoint,
    /// Every pair of ranks.
    Matrix,
}

/// Calls in one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Iterations {
    /// Found by calibration.
    Auto,
    /// As the user says.
    Fixed(u64),
}

impl PerfArguments {
    /// The sizes to go through.
    pub fn sweep(&self) -> Sweep {
        Sweep { min: self.min_bytes, max: self.max_bytes, factor: self.factor }
    }

    /// The collectives to measure; none for point to point.
    pub fn collectives(&self) -> Vec<Collective> {
        match self.what {
            What::Collective(collective) => vec![collective],
            What::All => Collective::ALL.to_vec(),
            What::PointToPoint | What::Matrix => Vec::new(),
        }
    }

    /// In-place flags to go through, in order.
    pub fn places(&self) -> &'static [bool] {
        match (self.in_place, self.both) {
            (true, _) => &[true],
            (false, true) => &[false, true],
            (false, false) => &[false],
        }
    }

    /// Refuses what cannot be measured by `size` ranks, or by any number when it is not known yet.
    pub fn validate(&self, size: Option<u32>) -> Result<(), Failure> {
        if self.min_bytes > self.max_bytes {
            return Err(usage(format!(
                "--min-bytes {} is above --max-bytes {}",
                self.min_bytes, self.max_bytes
            )));
        }
        let reduces = self.collectives().iter().any(|c| c.reduces());
        if reduces && !self.op.accepts(self.datatype) {
            let known = ReduceOp::ALL.into_iter().filter(|op| op.accepts(self.datatype));
            return Err(usage(format!(
                "--op {} is not defined on {}; there are {}",
                self.op.name(),
                self.datatype.name(),
                listed(known.map(ReduceOp::name)),
            )));
        }
        self.validate_algorithms()?;
        match (size, self.what) {
            (Some(1), What::PointToPoint | What::Matrix) => {
                Err(usage("point to point needs at least 2 ranks".into()))
            }
            (Some(size), _) if self.root >= size => {
                Err(usage(format!("--root {} is not below the number of ranks, {size}", self.root)))
            }
            _ => Ok(()),
        }
    }

    fn validate_algorithms(&self) -> Result<(), Failure> {
        match (self.algorithms.as_deref(), self.what) {
            (None, _) | (Some("all"), What::Collective(_) | What::All) => Ok(()),
            (Some(_), What::PointToPoint | What::Matrix) => {
                Err(usage("--algorithms is for collectives".into()))
            }
            (Some(_), What::All) => {
                Err(usage("with \"all\" collectives, --algorithms can only be all".into()))
            }
            (Some(name), What::Collective(collective)) if algo::find(collective, name).is_none() => {
                let known = listed(algo::of(collective).map(|row| row.name));
                Err(usage(format!(
                    "{} has no algorithm \"{name}\"; there are {known}, or all",
                    collective.name()
                )))
            }
            (Some(_), What::Collective(_)) => Ok(()),
        }
    }
}

fn usage(text: String) -> Failure {
    Failure { code: 2, text }
}

fn listed(names: impl IntoIterator<Item = &'static str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}

fn what(text: &str) -> Result<What, String> {
    match text {
        "all" => Ok(What::All),
        "p2p" => Ok(What::PointToPoint),
        "p2p-matrix" => Ok(What::Matrix),
        name => Collective::from_name(name).map(What::Collective).ok_or_else(|| {
            format!("expected {}, p2p, p2p-matrix or all", listed(Collective::ALL.map(Collective::name)))
        }),
    }
}

fn datatype(text: &str) -> Result<Datatype, String> {
    let known = || format!("expected {}", listed(Datatype::ALL.map(Datatype::name)));
    Datatype::ALL.into_iter().find(|datatype| datatype.name() == text).ok_or_else(known)
}

fn operator(text: &str) -> Result<ReduceOp, String> {
    let known = || format!("expected {}", listed(ReduceOp::ALL.map(ReduceOp::name)));
    ReduceOp::ALL.into_iter().find(|op| op.name() == text).ok_or_else(known)
}

fn iterations(text: &str) -> Result<Iterations, String> {
    match (text, text.parse()) {
        ("auto", _) => Ok(Iterations::Auto),
        (_, Ok(calls)) if calls > 0 => Ok(Iterations::Fixed(calls)),
        _ => Err("expected auto or a number of calls, at least 1".into()),
    }
}

//! The arguments of `anyccl perf`.

mod validate;
mod words;

use std::path::PathBuf;

use anyccl_engine::algo;
use anyccl_engine::base::{Collective, Datatype, ReduceOp};
use anyccl_engine::config::MemoryKind;
use clap::Args;

use super::measure::Effort;
use super::ranks::Form;
use super::sizes::{Sweep, parse_bytes};
use crate::picture::Theme;
use crate::replay::ReplayArguments;
use crate::run::number_of_ranks;
use words::{ALGORITHMS, DATATYPE, EVERY_ALGORITHM, OPERATOR, WHAT};
pub use words::{Iterations, MEMORY, Target, What};

const EXAMPLES: &str = "\
Examples:
  anyccl perf all_reduce -n 4
  anyccl perf all_gather -n 4 -b 1K -e 1M --algorithms all --plot all_gather.svg
  anyccl perf all_reduce -n 4 --algorithms all --html all_reduce.html
  anyccl perf p2p-matrix -n 4 --json - --plot matrix.svg
  anyccl perf all_reduce -n 4 -b 1M -e 1M --trace trace.json
  anyccl perf all_reduce -n 4 --memory cuda
  anyccl perf -n 2 --tune tuning.txt
  anyccl perf -n 4 --replay DIR
  anyccl run -n 4 anyccl perf all --csv all.csv
  torchrun --nproc-per-node 4 --no-python anyccl perf all

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
    /// A collective, all (every collective), send_recv (ranks 0 and 1) or p2p-matrix (every pair of ranks)
    #[arg(value_name = "WHAT", required_unless_present_any = ["tune", "replay"], conflicts_with_all = ["tune", "replay"])]
    #[arg(value_parser = WHAT, hide_possible_values = true)]
    pub what: Option<What>,

    /// Start this many ranks on this machine
    #[arg(short = 'n', long = "ranks", alias = "np", value_name = "N", value_parser = number_of_ranks)]
    #[arg(allow_negative_numbers = true)]
    pub ranks: Option<u32>,

    /// Smallest size; K, M and G are powers of 1024
    #[arg(short = 'b', long, value_name = "BYTES", value_parser = parse_bytes, default_value = "8")]
    #[arg(allow_negative_numbers = true)]
    pub min_bytes: u64,

    /// Largest size
    #[arg(short = 'e', long, value_name = "BYTES", value_parser = parse_bytes, default_value = "64M")]
    #[arg(allow_negative_numbers = true)]
    pub max_bytes: u64,

    /// Each size is this many times the one before
    #[arg(short = 'f', long, value_name = "TIMES", default_value_t = 2, value_parser = clap::value_parser!(u64).range(2..))]
    #[arg(allow_negative_numbers = true)]
    pub factor: u64,

    /// Element type
    #[arg(short = 'd', long, value_name = "TYPE", value_parser = DATATYPE, hide_possible_values = true, default_value = "float32")]
    pub datatype: Datatype,

    /// Operator of collectives that reduce
    #[arg(short = 'o', long, value_name = "OP", value_parser = OPERATOR, hide_possible_values = true, default_value = "sum")]
    pub op: ReduceOp,

    /// Root of collectives that have one
    #[arg(short = 'r', long, value_name = "RANK", default_value_t = 0)]
    #[arg(allow_negative_numbers = true)]
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

    /// Memory of the buffers: cpu, or cuda for memory of GPUs. Rank r of a host uses its device r, modulo
    /// their number
    #[arg(long, value_name = "cpu|cuda", value_parser = MEMORY, default_value = "cpu")]
    #[arg(hide_possible_values = true, conflicts_with = "tune")]
    pub memory: MemoryKind,

    /// Calls in one sample; auto: enough for the clock
    #[arg(long, value_name = "CALLS", default_value = "auto")]
    #[arg(allow_negative_numbers = true)]
    pub iterations: Iterations,

    /// Calls before the first sample
    #[arg(short = 'w', long, value_name = "CALLS", default_value_t = 5)]
    #[arg(allow_negative_numbers = true)]
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

    /// Write a JSON object; - writes it to standard output instead of the table
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<Target>,

    /// Write comma-separated values; - writes them to standard output instead of the table
    #[arg(long, value_name = "FILE|-")]
    pub csv: Option<Target>,

    /// Draw time and bandwidth over size, or heat maps of a matrix, as SVG or PNG, as the ending says
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,

    /// Write a page with the facts, the measurements and their picture, for a browser. It needs no network
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Background of the picture and of the page
    #[arg(long, value_enum, value_name = "auto|light|dark", default_value_t = Theme::Auto)]
    pub theme: Theme,

    /// After each measurement, record the steps of one more call on every rank, for Perfetto or
    /// chrome://tracing
    #[arg(long, value_name = "FILE", conflicts_with = "tune")]
    pub trace: Option<PathBuf>,

    /// Force these algorithms, one after the other for each size
    #[arg(long, value_name = "all|NAME,NAME", value_delimiter = ',')]
    #[arg(value_parser = ALGORITHMS, hide_possible_values = true)]
    pub algorithms: Option<Vec<String>>,

    /// Measure the costs of links and reductions, for ANYCCL_TUNING_FILE
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "csv", "plot", "html", "replay"])]
    pub tune: Option<PathBuf>,

    #[command(flatten)]
    pub recorded: ReplayArguments,

    /// Leave out the times of computing between the calls
    #[arg(long, requires = "replay", conflicts_with = "sleep")]
    pub no_compute: bool,

    /// Sleep in the times of computing, instead of keeping a core busy
    #[arg(long, requires = "replay")]
    pub sleep: bool,

    /// This process is a rank that `-n` has started.
    #[arg(long, hide = true)]
    pub launched: bool,
}

impl PerfArguments {
    /// The sizes to measure.
    pub fn sweep(&self) -> Sweep {
        Sweep { min: self.min_bytes, max: self.max_bytes, factor: self.factor }
    }

    /// The collectives to measure; none for point-to-point transfers.
    pub fn collectives(&self) -> Vec<Collective> {
        self.what.map_or_else(Vec::new, What::collectives)
    }

    /// The algorithms to force for a collective, in the order of the table. `None` leaves the choice to the
    /// library.
    pub fn forced(&self, collective: Collective) -> Option<Vec<&'static str>> {
        let wanted = self.algorithms.as_ref()?;
        let is_wanted = |name: &&str| wanted.iter().any(|word| word == EVERY_ALGORITHM || word == name);
        Some(algo::of(collective).map(|row| row.name).filter(is_wanted).collect())
    }

    /// What the user may not expect in a job of `size` ranks.
    pub fn remarks(&self, size: u32) -> Vec<String> {
        let mut remarks = Vec::new();
        if size == 1 && self.ranks.is_none() {
            remarks.push("the world is this one rank: -n N starts N ranks".into());
        }
        let (first, unit) = (self.min_bytes, self.datatype.bytes() as u64);
        let has_elements = self.collectives().iter().any(|collective| *collective != Collective::Barrier);
        if has_elements && !first.is_multiple_of(unit) {
            let measured = (first / unit).max(1) * unit;
            let name = self.datatype.name();
            remarks.push(format!(
                "sizes are whole elements of {name}: {first} bytes are measured as {measured}"
            ));
        }
        remarks
    }

    /// The form of calls to measure.
    pub fn form(&self) -> Form {
        if self.non_blocking { Form::NonBlocking } else { Form::Blocking }
    }

    /// The amount of work per size.
    pub fn effort(&self) -> Effort {
        Effort { warmup: self.warmup, iterations: self.iterations }
    }

    /// The values of the in-place flag to measure, in order.
    pub fn places(&self) -> &'static [bool] {
        match (self.in_place, self.both) {
            (true, _) => &[true],
            (false, true) => &[false, true],
            (false, false) => &[false],
        }
    }
}

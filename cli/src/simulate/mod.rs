//! `anyccl simulate`: how long a collective, or a recorded job, would take on a cluster that one does not
//! have.
//!
//! [`cluster`] finds the costs. [`compare`] simulates every algorithm of the collective
//! ([`anyccl_engine::simulate`]). [`print`](mod@print) lays out the table and the critical path, [`sweep`]
//! makes tables and pictures of times over sizes, and [`json`] prints everything for programs. [`replay`]
//! predicts recorded jobs.

mod cluster;
mod compare;
mod json;
mod print;
mod replay;
mod sweep;

use std::path::PathBuf;

use anyccl_engine::base::Collective;
use clap::Args;

use self::replay::Wanted;
use crate::failure::Failure;
use crate::output::{say, say_json, write};
use crate::perf::sizes::{Sweep, parse_bytes};
use crate::picture::{Format, Heading, Theme, lines};
use crate::plan::call::{ALGORITHM, COLLECTIVE, CallArguments, PlannedCall, names};
use crate::replay::{Recording, ReplayArguments};
use cluster::Cluster;
use compare::Comparison;

/// Upper limit of ranks: with more, the plans of all ranks do not fit into memory.
const MOST_RANKS: u32 = 1 << 16;

/// Predict how long a collective, or a recorded job, takes on a cluster
///
/// Executes the plans of all ranks on a model of links, cores and network interfaces. Prints the time of
/// every algorithm, the bytes that it moves within and between hosts, and the chain of steps that determined
/// the time. ANYCCL_ALGORITHM, ANYCCL_CHUNK_BYTES, ANYCCL_TUNING_FILE, ANYCCL_WIRE and ANYCCL_TRANSPORT apply
/// as in a job. docs/simulator.md describes the model and its accuracy.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    anyccl simulate all_reduce --hosts 2048 --ranks-per-host 8 --bytes 1G --model ndr-infiniband\n  \
    anyccl simulate broadcast --hosts 4 --min-bytes 1K --bytes 64M --model my-cluster.txt --plot broadcast.svg\n  \
    anyccl simulate all_gather --hosts 2 --model tuning.txt --json\n  \
    anyccl simulate barrier --model 100gbe --print-model\n  \
    anyccl simulate --replay DIR --ranks 1024 --hosts 128 --model tuning.txt")]
pub struct SimulateArguments {
    // The help is the list of names.
    #[arg(help = names().join(", "), value_parser = COLLECTIVE, hide_possible_values = true)]
    #[arg(required_unless_present = "replay", conflicts_with = "replay")]
    collective: Option<Collective>,
    #[command(flatten)]
    call: CallArguments,
    #[command(flatten)]
    recorded: ReplayArguments,
    /// Number of ranks of a recorded job; unset: as recorded
    #[arg(long, requires = "replay", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_RANKS)))]
    #[arg(allow_negative_numbers = true)]
    ranks: Option<u32>,
    /// Number of hosts; unset: 2, or as recorded
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_RANKS)))]
    #[arg(allow_negative_numbers = true)]
    hosts: Option<u32>,
    /// Ranks on each host
    #[arg(long, conflicts_with = "replay", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_RANKS)))]
    #[arg(allow_negative_numbers = true)]
    ranks_per_host: u32,
    /// engine (the costs that the choice of algorithms assumes), shm+tcp, 100gbe, hdr-infiniband,
    /// ndr-infiniband, or a file: a model (see --print-model), or one that `anyccl perf --tune` has written
    #[arg(short, long, default_value = "engine", value_name = "NAME|FILE")]
    model: String,
    /// Show the critical path of this algorithm instead of the fastest
    #[arg(short, long, value_parser = ALGORITHM, hide_possible_values = true, conflicts_with = "replay")]
    algorithm: Option<String>,
    /// Also simulate the sizes from this one up to --bytes, and print a table of their times
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, conflicts_with = "replay")]
    #[arg(allow_negative_numbers = true)]
    min_bytes: Option<u64>,
    /// Factor from one size to the next, with --min-bytes or --plot
    #[arg(short, long, value_name = "TIMES", default_value_t = 8, value_parser = clap::value_parser!(u64).range(2..))]
    #[arg(allow_negative_numbers = true)]
    factor: u64,
    /// Draw time and bandwidth over size, with a line for each algorithm, as SVG or PNG, as the ending says.
    /// Sizes start at --min-bytes, or at 8 bytes
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    plot: Option<PathBuf>,
    /// Background of the picture
    #[arg(long, value_enum, value_name = "auto|light|dark", default_value_t = Theme::Auto)]
    theme: Theme,
    /// Print one JSON object; its keys are stable
    #[arg(long)]
    json: bool,
    /// Print the model as a file and simulate nothing
    #[arg(long)]
    print_model: bool,
}

/// Runs the command. Returns the exit code.
pub fn simulate(arguments: &SimulateArguments) -> Result<u8, Failure> {
    if let Some(recording) = Recording::find(&arguments.recorded) {
        let SimulateArguments { ranks, hosts, model, json, .. } = arguments;
        let wanted = Wanted { ranks: *ranks, hosts: *hosts, model, json: *json };
        return replay::replay(&wanted, &recording?);
    }
    let (collective, hosts) = (arguments.collective.unwrap_or(Collective::AllReduce), arguments.hosts());
    let ranks = arguments.number_of_ranks()?;
    let call = PlannedCall::new(collective, &arguments.call, ranks, hosts)?;
    let sweep = arguments.sweep(collective)?;
    let cluster = Cluster::find(&arguments.model, &call.tuning, call.all_tcp)?;
    if arguments.print_model {
        return say(&cluster.model.to_text());
    }
    let comparisons = Comparison::of_sizes(&cluster, &call, sweep);
    // The largest size is the one that the user asked for.
    let asked = comparisons.last().expect("a sweep has its largest size");
    let shown = match &arguments.algorithm {
        Some(name) => Some(asked.named(name)?),
        None => asked.fastest(),
    };
    if let Some(path) = &arguments.plot {
        let format = Format::of(path).map_err(usage)?;
        let title = format!("{}, model {}", call.on(), cluster.name);
        let heading = Heading { title, notes: Vec::new() };
        let svg = lines::draw(&sweep::figure(&call, &comparisons), &heading, 1, arguments.theme);
        let file = format.encode(&svg.map_err(Failure::own)?, arguments.theme).map_err(Failure::own)?;
        write(path, &file)?;
    }
    if arguments.json {
        return say_json(&json::object(&call, &cluster, &comparisons, arguments.algorithm.as_deref()));
    }
    let mut text = print::layout(&call, &cluster, asked, shown);
    if arguments.min_bytes.is_some() {
        text += &format!("\n{}", sweep::layout(&call, &comparisons));
    }
    say(&text)
}

impl SimulateArguments {
    fn hosts(&self) -> u32 {
        self.hosts.unwrap_or(2)
    }

    fn number_of_ranks(&self) -> Result<u32, Failure> {
        let (hosts, each) = (self.hosts(), self.ranks_per_host);
        let ranks = hosts.checked_mul(each).filter(|&ranks| ranks <= MOST_RANKS);
        let refused = || usage(format!("{hosts} hosts of {each} ranks are more than {MOST_RANKS} ranks"));
        ranks.ok_or_else(refused)
    }

    /// The sizes to simulate: one, unless the user wants a table or a picture.
    fn sweep(&self, collective: Collective) -> Result<Sweep, Failure> {
        let max = self.call.bytes;
        let has_sizes = collective != Collective::Barrier;
        if !has_sizes && (self.plot.is_some() || self.min_bytes.is_some()) {
            return Err(usage("a barrier has no sizes: nothing for --plot or --min-bytes".into()));
        }
        if let Some(min) = self.min_bytes.filter(|&min| min > max) {
            return Err(usage(format!("--min-bytes {min} is above --bytes {max}")));
        }
        let first = if self.plot.is_some() { sweep::FIRST.min(max) } else { max };
        Ok(Sweep { min: self.min_bytes.unwrap_or(first), max, factor: self.factor })
    }
}

fn usage(text: String) -> Failure {
    Failure { code: 2, text }
}

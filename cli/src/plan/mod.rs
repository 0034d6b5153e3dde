//! `anyccl plan`: which algorithm a call would use and why, and what each rank would do.
//!
//! [`choice`] asks the engine and explains, [`rounds`] prints plans, [`diagram`] draws them, and [`json`]
//! prints everything for programs.

pub mod call;
mod choice;
mod diagram;
mod json;
mod rounds;
mod svg;
pub mod units;

use std::path::PathBuf;

use anyccl_engine::algo::Algorithm;
use anyccl_engine::base::{Collective, Rank};
use anyccl_engine::comm::DevicePath;
use anyccl_engine::config::{BackendName, Config, MemoryKind};
use anyccl_engine::plan::PlanRequest;
use anyccl_engine::simulate::{Limits, for_rank, steps};
use clap::Args;

use crate::failure::Failure;
use crate::output::{say, say_json, write};
use crate::perf::MEMORY;
use crate::picture::{Format, Theme};
use call::{ALGORITHM, COLLECTIVE, CallArguments, PlannedCall, names};
use choice::Choice;

/// Show which algorithm a call would use and why, and what each rank would do
///
/// Prints the algorithms with their predicted times, the choice and the runner-up, and the plans of some
/// ranks: rounds of steps that run concurrently. ANYCCL_ALGORITHM, ANYCCL_CHUNK_BYTES, ANYCCL_TUNING_FILE,
/// ANYCCL_WIRE and ANYCCL_TRANSPORT apply as in a job.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    anyccl plan all_reduce --ranks 8 --bytes 1M\n  \
    anyccl plan broadcast --ranks 16 --hosts 4 --root 3 --algorithm binomial --svg broadcast.svg\n  \
    ANYCCL_ALGORITHM=all_gather:ring anyccl plan all_gather --ranks 5 --rank 2 --all")]
pub struct PlanArguments {
    // The help is the list of names.
    #[arg(help = names().join(", "), value_parser = COLLECTIVE, hide_possible_values = true)]
    collective: Collective,
    #[command(flatten)]
    call: CallArguments,
    /// Number of ranks
    #[arg(short = 'n', long, value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    #[arg(allow_negative_numbers = true)]
    ranks: u32,
    /// Number of hosts; each has the same number of ranks, or one more
    #[arg(long, default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    #[arg(allow_negative_numbers = true)]
    hosts: u32,
    /// Ranks that share each core
    #[arg(long, default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    #[arg(allow_negative_numbers = true)]
    ranks_per_core: u32,
    /// Memory of the buffers: cpu, or cuda for GPU memory; the output then says which path such a call takes
    #[arg(long, value_name = "cpu|cuda", value_parser = MEMORY, default_value = "cpu")]
    #[arg(hide_possible_values = true)]
    memory: MemoryKind,
    /// Show this algorithm instead of the chosen one
    #[arg(short, long, value_parser = ALGORITHM, hide_possible_values = true)]
    algorithm: Option<String>,
    /// Show the plan of this rank; may be repeated. By default the first two and the last are shown
    #[arg(long, allow_negative_numbers = true)]
    rank: Vec<Rank>,
    /// Show everything, however long
    #[arg(long)]
    all: bool,
    /// Draw the messages step by step, as SVG, or as PNG if the name ends in .png
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print one JSON object; its keys are stable
    #[arg(long)]
    json: bool,
}

/// Prints the choice and the plans.
pub fn plan(arguments: &PlanArguments) -> Result<u8, Failure> {
    let call = PlannedCall::new(arguments.collective, &arguments.call, arguments.ranks, arguments.hosts)?
        .oversubscribed(arguments.ranks_per_core);
    let request = call.request();
    let choice = Choice::new(&call, &request)?;
    let shown = match &arguments.algorithm {
        Some(name) => named(name, &call, &request)?,
        None => choice.chosen,
    };
    let ranks = ranks(arguments)?;
    if let Some(path) = &arguments.svg {
        let arrows = steps(shown, &request, &Limits::default())
            .map_err(|why| Failure::own(format_args!("--svg: {}: {why}", shown.name)))?;
        let title = format!("{}: {}", call.title(), shown.name);
        let svg = diagram::draw(&title, &request, &arrows)?;
        let format = Format::of(path).unwrap_or(Format::Svg);
        write(path, format.encode(&svg, Theme::Light).map_err(Failure::own)?)?;
    }
    let path = device_path(arguments.memory);
    if arguments.json {
        let mut object = json::object(&call, &request, &choice, shown, &ranks);
        object["memory"] = arguments.memory.name().into();
        object["way"] = path.map(DevicePath::name).into();
        return say_json(&object);
    }
    let text =
        other_engine().unwrap_or_default() + &about_path(path) + &choice.layout(&call, &request, shown);
    say(&(text + &rounds::layout(shown, &request, &ranks, arguments.all)))
}

/// The path of a call on device memory.
fn device_path(memory: MemoryKind) -> Option<DevicePath> {
    let choice = Config::from_environment().map(|config| config.backend).unwrap_or_default();
    (memory == MemoryKind::Cuda).then(|| DevicePath::of_choice(&choice))
}

fn about_path(path: Option<DevicePath>) -> String {
    path.map_or_else(String::new, |path| {
        let what = match path {
            DevicePath::Staged => {
                "Below is the call on the copies; the copies out of the device and back come on top of it."
            }
            _ => "Below is the plan of the builtin engine, which does not make this call.",
        };
        format!("GPU memory ({} path): {}. {what}\n\n", path.name(), path.meaning())
    })
}

/// A notice for the user if the environment names an engine that makes no plans.
fn other_engine() -> Option<String> {
    let named = Config::from_environment().ok()?.backend.named(MemoryKind::Cpu)?.next()?;
    (named != BackendName::Builtin).then(|| {
        let name = named.name();
        format!(
            "ANYCCL_BACKEND names {name}, which makes no plans: below are those of the builtin engine. anyccl info tells which calls {name} \
             serves itself.\n\n"
        )
    })
}

/// The algorithm with this name, if it serves the request.
fn named(name: &str, call: &PlannedCall, request: &PlanRequest) -> Result<&'static Algorithm, Failure> {
    let usage = |text| Failure { code: 2, text };
    let rows = call.algorithms(request);
    let algorithm = *rows.iter().find(|row| row.name == name).ok_or_else(|| {
        let known: Vec<_> = rows.iter().map(|row| row.name).collect();
        usage(format!("{} has no algorithm {name}; it has {}", request.collective.name(), known.join(", ")))
    })?;
    match (algorithm.supports)(&for_rank(request, 0)) {
        true => Ok(algorithm),
        false => Err(usage(format!("{name} does not serve this call"))),
    }
}

fn ranks(arguments: &PlanArguments) -> Result<Vec<Rank>, Failure> {
    let last = arguments.ranks - 1;
    if let Some(rank) = arguments.rank.iter().find(|&&rank| rank > last) {
        return Err(Failure { code: 2, text: format!("--rank {rank}: there are ranks 0 to {last}") });
    }
    let mut ranks = match (arguments.rank.is_empty(), arguments.all) {
        (false, _) => arguments.rank.clone(),
        (true, true) => (0..=last).collect(),
        (true, false) => vec![0, 1.min(last), last],
    };
    ranks.dedup();
    Ok(ranks)
}

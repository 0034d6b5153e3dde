//! `anyccl trace`: what the files say that ranks have written of their last operations, and of their time.
//!
//! `files` reads the last operations, `calls` puts the ranks' records of each call together and finds who was
//! late, `messages` counts messages, and `text` says it in words. `torch` writes the same for PyTorch's
//! analyser of flight recorders.
//! `read` reads time lines, and `report` is about them.

mod calls;
mod files;
mod foreign_file;
mod messages;
mod pickle;
pub mod read;
mod report;
mod text;
mod torch;

use std::path::PathBuf;

use anyccl_engine::base::VERSION;
use clap::{Args, Subcommand};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{say, say_json};

/// Show what ranks did last, who was late by how much, and where the time went
///
/// Each rank keeps its last 1,024 collectives and 1,024 messages. It writes them to the folder ANYCCL_DUMP
/// when a communicator fails. `anyccl status --dump DIR` writes those of ranks that run, hang, or were
/// killed. With ANYCCL_TRACE, ranks also write time lines of all that they do.
#[derive(Args)]
pub struct TraceArguments {
    #[command(subcommand)]
    command: TraceCommand,
}

#[derive(Subcommand)]
enum TraceCommand {
    Show(ShowArguments),
    Torch(TorchArguments),
    Report(ReportArguments),
    Merge(MergeArguments),
}

/// Show where the time of a job went: communication, waiting, imbalance, busiest pairs
#[derive(Args)]
#[command(
    after_help = "Examples:\n  ANYCCL_TRACE=DIR anyccl run -n 4 ./program && anyccl trace report DIR\n  anyccl trace report DIR --html page.html"
)]
struct ReportArguments {
    /// Folder of ANYCCL_TRACE
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Print one JSON object; its keys are stable
    #[arg(long)]
    json: bool,
    /// Also write the report as one page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Write the time lines of all ranks to one file for Perfetto, on one clock
#[derive(Args)]
#[command(after_help = "Example:\n  anyccl trace merge DIR trace.json")]
struct MergeArguments {
    /// Folder of ANYCCL_TRACE
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// File to write
    #[arg(value_name = "OUT")]
    output: PathBuf,
}

/// Show which ranks came late to which calls, by how much, and which calls were not made by all
#[derive(Args)]
#[command(after_help = "Examples:\n  anyccl trace show DIR\n  anyccl trace show DIR --json")]
struct ShowArguments {
    /// Folder with the files of the ranks
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Print one JSON object; its keys are stable
    #[arg(long)]
    json: bool,
}

/// Write the files in the form of PyTorch's flight recorder, for torchfrtrace
#[derive(Args)]
#[command(after_help = "Example:\n  anyccl trace torch DIR OUT && torchfrtrace OUT -j")]
struct TorchArguments {
    /// Folder with the files of the ranks
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Folder to write to
    #[arg(value_name = "OUT")]
    output: PathBuf,
}

/// Shows or converts. Returns the exit code.
pub fn trace(arguments: &TraceArguments) -> Result<u8, Failure> {
    match &arguments.command {
        TraceCommand::Show(arguments) => {
            let reports = calls::reports(&files::read(&arguments.folder)?);
            if arguments.json {
                say_json(&json!({ "anyccl": VERSION, "communicators": reports }))
            } else {
                say(&text::of_all(&reports))
            }
        }
        TraceCommand::Torch(arguments) => {
            let written = torch::write(&files::read(&arguments.folder)?, &arguments.output)?;
            say(&written)
        }
        TraceCommand::Report(ReportArguments { folder, json, html }) => {
            report::report(folder, *json, html.as_deref())
        }
        TraceCommand::Merge(MergeArguments { folder, output }) => say(&report::merge(folder, output)?),
    }
}

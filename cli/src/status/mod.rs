//! `anyccl status`: the jobs of this user on this host, which ranks wait for what, and which of them are
//! late.
//!
//! Nothing is asked of the ranks: [`anyccl_engine::observe::jobs`] reads their memory. `text` says it in
//! words, and `json` as JSON.

mod json;
mod text;

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use anyccl_engine::observe::jobs::{self, Job, Process, jobs_of};
use anyccl_engine::observe::status::write_dump;
use clap::Args;

use crate::failure::Failure;
use crate::output::{say, say_json};

/// Time between two looks with `--watch`.
const PAUSE: Duration = Duration::from_secs(2);

/// Show the jobs of this user on this host, and which ranks are late
///
/// Looks at each rank's memory, without asking the rank: also at jobs that hang, and at ranks that are
/// stopped. A rank that waits for a tenth of a second shows what it waits for. Ranks on other hosts are not
/// seen from here.
///
/// A rank whose process was killed is shown while another rank of the host lives that keeps its memory.
#[derive(Args)]
#[command(after_help = "Examples:\n  anyccl status\n  anyccl status 4711\n  anyccl status --json\n  \
    anyccl status --watch\n  anyccl status 4711 --dump DIR && anyccl trace show DIR\n\nExit code: 0, also if ranks are late; 1 if PID belongs to no job.")]
pub struct StatusArguments {
    /// Only the job of this process
    #[arg(value_name = "PID")]
    process: Option<u32>,
    /// Print one JSON object; its keys are stable
    #[arg(long)]
    json: bool,
    /// Look again every two seconds
    #[arg(long, conflicts_with_all = ["json", "dump"])]
    watch: bool,
    /// Write the last operations of each rank to a file of this folder
    #[arg(long, value_name = "DIR")]
    dump: Option<PathBuf>,
}

/// Shows the jobs. Returns the exit code.
pub fn status(arguments: &StatusArguments) -> Result<u8, Failure> {
    loop {
        let cannot_read = |error| Failure::own(format_args!("cannot read /proc: {error}"));
        let processes = jobs::all().map_err(cannot_read)?;
        let mut jobs = jobs_of(&processes);
        if let Some(pid) = arguments.process {
            jobs.retain(|job| job.has(pid));
            if jobs.is_empty() {
                return Err(Failure::own(format_args!(
                    "process {pid} has no communicator of anyccl here, or is another user's"
                )));
            }
        }
        if let Some(folder) = &arguments.dump {
            dump(folder, &jobs, &processes)?;
        }
        let code = if arguments.json { say_json(&json::report(&jobs))? } else { say(&text::report(&jobs))? };
        if !arguments.watch {
            return Ok(code);
        }
        sleep(PAUSE);
    }
}

/// Writes the pages of the jobs to files.
fn dump(folder: &Path, jobs: &[Job], processes: &[Process]) -> Result<(), Failure> {
    let of_jobs = processes.iter().filter(|process| jobs.iter().any(|job| job.has(process.pid)));
    for page in of_jobs.flat_map(|process| &process.pages) {
        write_dump(folder, page, "anyccl status").map_err(|error| {
            Failure::own(format_args!("cannot write to the folder {}: {error}", folder.display()))
        })?;
    }
    Ok(())
}

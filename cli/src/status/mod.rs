//! `anyccl status`: the jobs of this user, which ranks wait for what, and which of them are late.
//!
//! Nothing is asked of the ranks: [`anyccl_engine::observe::jobs`] reads their memory. On other hosts this
//! tool does so (`hosts`), and passes on what it has read (`pages`). `text` says it in words, `json` as JSON.

mod command;
mod hosts;
mod json;
mod pages;
mod stack;
mod text;

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use anyccl_engine::observe::jobs::{Job, Process, jobs_of};
use anyccl_engine::observe::status::write_dump;
use clap::Args;
pub use pages::say_pages;

use self::hosts::Way;
use self::stack::Stacks;
use crate::failure::Failure;
use crate::output::{say, say_json};

/// Time between two looks with `--watch`.
const PAUSE: Duration = Duration::from_secs(2);

/// Show the jobs of this user, and which ranks are late
///
/// Looks at each rank's memory, without asking the rank: also at jobs that hang, and at ranks that are
/// stopped. A rank that waits for a tenth of a second shows what it waits for. Ranks on other hosts are seen
/// if --hosts names these.
///
/// A rank whose process was killed is shown while another rank of the host lives that keeps its memory.
#[derive(Args)]
#[command(after_help = "Examples:\n  anyccl status\n  anyccl status 4711\n  anyccl status --json\n  \
    anyccl status --watch\n  anyccl status --hosts all --stack\n  anyccl status 4711 --dump DIR && anyccl trace show DIR\n\n\
    Exit code: 0, also if ranks are late; 1 if PID belongs to no job, or a host could not be looked at.")]
pub struct StatusArguments {
    /// Only the job of this process
    #[arg(value_name = "PID")]
    process: Option<u32>,
    /// Other hosts to look at, by ssh; all: those that the jobs of this host name
    #[arg(short = 'H', long, alias = "host", value_name = "HOST,...|all")]
    hosts: Option<String>,
    /// How to start a command on a host: ssh, or words with {host} and {cmd} in them
    #[arg(long, value_name = "ssh|WORDS", default_value = "ssh", requires = "hosts")]
    launcher: String,
    /// Path of this tool on the hosts [default: its path here]
    #[arg(long, value_name = "PATH", requires = "hosts")]
    remote_anyccl: Option<String>,
    /// Print one JSON object; its keys are stable
    #[arg(long)]
    json: bool,
    /// Look again every two seconds
    #[arg(long, conflicts_with_all = ["json", "dump"])]
    watch: bool,
    /// Also show where ranks are that keep others waiting, by py-spy, gdb or eu-stack
    #[arg(long)]
    stack: bool,
    /// Write the last operations of each rank to a file of this folder
    #[arg(long, value_name = "DIR")]
    dump: Option<PathBuf>,
}

/// Shows the jobs. Returns the exit code.
pub fn status(arguments: &StatusArguments) -> Result<u8, Failure> {
    loop {
        let code = look(arguments)?;
        if !arguments.watch {
            return Ok(code);
        }
        sleep(PAUSE);
    }
}

/// Looks once, and says what is seen.
fn look(arguments: &StatusArguments) -> Result<u8, Failure> {
    let cannot_read = |error| Failure::own(format_args!("cannot read /proc: {error}"));
    let mut found = pages::here().map_err(cannot_read)?;
    let way = Way { launcher: &arguments.launcher, program: arguments.remote_anyccl.as_deref() };
    let hosts = match &arguments.hosts {
        Some(list) => hosts::look(hosts::names(list, &found)?, &way, &mut found)?,
        None => Vec::new(),
    };
    let processes: Vec<Process> =
        found.into_iter().map(|process| process.map(|page| page.snapshot)).collect();
    let mut jobs = jobs_of(&processes, hosts::number_seen(&hosts));
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
    let stacks = if arguments.stack { stack::stacks(&jobs, &way) } else { Stacks::new() };
    let code = if arguments.json {
        say_json(&json::report(&jobs, &hosts, &stacks))?
    } else {
        say(&text::report(&jobs, &hosts, &stacks))?
    };
    Ok(if hosts.iter().all(|host| host.machine.is_ok()) { code } else { 1 })
}

/// Writes the pages of the jobs to files.
fn dump(folder: &Path, jobs: &[Job], processes: &[Process]) -> Result<(), Failure> {
    let of_jobs = processes.iter().filter(|process| jobs.iter().any(|job| job.has_process(process)));
    for page in of_jobs.flat_map(|process| &process.pages) {
        write_dump(folder, page, "anyccl status").map_err(|error| {
            Failure::own(format_args!("cannot write to the folder {}: {error}", folder.display()))
        })?;
    }
    Ok(())
}

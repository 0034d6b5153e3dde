//! Recordings of jobs, as programs that can be run again or predicted.
//!
//! `recording` finds the files of one job, [`call`] checks the arguments of its calls, and [`program`]
//! makes steps of what a rank has done: compute, start, wait. `anyccl perf --replay` and `anyccl simulate
//! --replay` follow these steps.

pub mod call;
pub mod program;
mod recording;

use std::path::PathBuf;

use clap::Args;
pub use recording::Recording;

/// The recording to replay.
#[derive(Args)]
pub struct ReplayArguments {
    /// Folder of ANYCCL_RECORD or ANYCCL_TRACE: do what the job did whose calls are recorded there
    #[arg(long, value_name = "DIR")]
    pub replay: Option<PathBuf>,
    /// The job, if the folder has several
    #[arg(long, value_name = "JOB", requires = "replay")]
    pub job: Option<String>,
}

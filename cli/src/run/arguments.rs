//! What the user may say to `anyccl run`.

use std::ffi::OsString;
use std::time::Duration;

use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  anyccl run -n 4 ./program --size 1000
  anyccl run -n 2 -x ANYCCL_LOG=info -- python train.py
  anyccl run -n 16 --bind none --timeout 60 ./program
  anyccl run -n 4 --keep-going ./survives-the-loss-of-ranks

Each rank finds ANYCCL_RANK, ANYCCL_WORLD_SIZE, ANYCCL_STORE and ANYCCL_JOB_KEY in its environment.
Rank 0 reads this command's standard input, the others read nothing.

Exit code: 0 when every rank exited with 0, else that of the first rank that failed (128 + the
signal's number if a signal ended it); 124 after --timeout; 127 when the program is not found,
126 when it cannot be executed; 1 when the job could not be started; 2 for wrong usage.";

/// Start a program on N ranks of this machine
///
/// Starts N copies of a program as the ranks of one job, passes their output on line by line,
/// and ends the whole job when the first rank fails. Nothing that the ranks have started in their
/// process groups survives the job, not even when this command is killed.
#[derive(Args)]
#[command(after_long_help = EXAMPLES, after_help = "Examples and exit codes: anyccl run --help")]
pub struct RunArguments {
    /// Number of ranks, 1 to 65536
    #[arg(short = 'n', long = "ranks", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub ranks: u32,

    /// Cores for each rank
    #[arg(long, value_enum, default_value_t = Bind::Core)]
    pub bind: Bind,

    /// Pass output on without the rank in front of each line, byte for byte
    #[arg(long, overrides_with = "tag_output")]
    pub no_prefix: bool,

    /// Put the rank in front of each line (the default)
    #[arg(long, overrides_with = "no_prefix")]
    pub tag_output: bool,

    /// The ranks have this command's own standard output and error; nothing is passed on.
    #[arg(skip)]
    pub own_output: bool,

    /// Let the other ranks go on when one fails. A rank that a signal has ended then does not fail the job, if some rank
    /// exits with 0
    #[arg(long)]
    pub keep_going: bool,

    /// End the job when it has run this long
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,

    /// Time that the ranks get between SIGTERM and SIGKILL
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "2")]
    pub grace: Duration,

    /// Set a variable for the ranks; the environment of this command is passed on anyway
    #[arg(short = 'x', long = "env", value_name = "NAME=VALUE", value_parser = variable)]
    pub env: Vec<(String, String)>,

    /// Program and its arguments
    #[arg(trailing_var_arg = true, required = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

/// How ranks are bound to cores.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Bind {
    /// An equal share of the cores that this command may use; one core, in turn, when there are more ranks
    Core,
    /// All cores that this command may use
    None,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok();
    let duration = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
    duration.ok_or_else(|| "expected a number of seconds, such as 30 or 0.5".to_string())
}

/// Variables that the launcher sets itself.
pub const OWN_VARIABLES: [&str; 4] = ["ANYCCL_RANK", "ANYCCL_WORLD_SIZE", "ANYCCL_STORE", "ANYCCL_JOB_KEY"];

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        None | Some(("", _)) => Err("expected NAME=VALUE".to_string()),
        Some((name, _)) if OWN_VARIABLES.contains(&name) => {
            Err(format!("{name} is set by anyccl run itself, to a value of its own for each rank or job"))
        }
        Some((name, value)) => Ok((name.to_string(), value.to_string())),
    }
}

//! The arguments of `anyccl run`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum, ValueHint};

use super::part::{Part, part_of};
use crate::facade::method::Method;
use crate::facade::{Facade, StandIn};

const EXAMPLES: &str = "\
Examples:
  anyccl run -n 4 ./program --size 1000
  anyccl run -n 2 -x ANYCCL_LOG=info -- train.py
  anyccl run -n 16 --bind none --timeout 60 ./program
  anyccl run -n 4 --keep-going ./survives-the-loss-of-ranks
  anyccl run -n 4 --as nccl ./program-built-for-nccl
  anyccl run -n 4 --as mpi python uses-mpi4py.py
  anyccl run -n 4 --as gloo python trains-with-gloo.py
  anyccl run -n 4 --as jax python trains-with-jax.py
  anyccl run -n 4 --fake-gpu 2 ./program-for-cuda
  anyccl run --as nccl -n 1 -- torchrun --nproc-per-node 4 train.py
  anyccl run --hosts node1:4,node2:4 -x LD_LIBRARY_PATH ./program
  anyccl run --hostfile nodes.txt ./program
  anyccl run --hosts a:2,b:2 --launcher 'podman exec -i {host} sh -c {cmd}' ./program

Each rank finds ANYCCL_RANK, ANYCCL_WORLD_SIZE, ANYCCL_STORE and ANYCCL_JOB_KEY in its environment.
Rank 0 reads this command's standard input, the others read nothing.

Exit code: 0 when every rank exited with 0, else that of the first rank that failed (128 + the
signal's number if a signal ended it); 124 after --timeout; 127 when the program is not found,
126 when it cannot be executed; 1 when the job could not be started, or a rank got another library
than --as promises; 2 for wrong usage.";

/// Start a program on N ranks of this machine, or of several
///
/// Starts N copies of a program as the ranks of one job, passes their output on line by line, and ends the
/// whole job when the first rank fails. No process that a rank has started in its process group survives the
/// job, even if this command is killed.
#[derive(Args)]
#[command(after_long_help = EXAMPLES, after_help = "Examples and exit codes: anyccl run --help")]
pub struct RunArguments {
    /// Number of ranks, 1 to 65536. With hosts it is optional, and the hosts share the ranks
    #[arg(short = 'n', long = "ranks", alias = "np", value_name = "N")]
    #[arg(required_unless_present_any = ["hosts", "hostfile"])]
    #[arg(value_parser = number_of_ranks, allow_negative_numbers = true)]
    pub ranks: Option<u32>,

    /// Hosts with their numbers of ranks, such as a:2,b:2 (without a number: one, or a share of -n).
    /// If all are this host, no ssh is needed
    #[arg(short = 'H', long, alias = "host", value_name = "HOST[:N],...", group = "places")]
    pub hosts: Option<String>,

    /// Hosts from a file, one per line: "a", "a:2" or "a slots=2". Ranks fill them in order
    #[arg(long, value_name = "FILE", group = "places", value_hint = ValueHint::FilePath)]
    pub hostfile: Option<PathBuf>,

    /// How to start a command on a host: ssh, or words with {host} and {cmd} in them
    #[arg(long, value_name = "ssh|WORDS", default_value = "ssh", requires = "places")]
    pub launcher: String,

    /// Path of this tool on the hosts [default: its path here]
    #[arg(long, value_name = "PATH", requires = "places")]
    pub remote_anyccl: Option<String>,

    /// Cores for each rank
    #[arg(long, value_enum, default_value_t = Bind::Core)]
    pub bind: Bind,

    /// Pass output on without the rank in front of each line, byte for byte
    #[arg(long, overrides_with = "tag_output")]
    pub no_prefix: bool,

    /// Put the rank in front of each line (the default)
    #[arg(long, overrides_with = "no_prefix")]
    pub tag_output: bool,

    /// The ranks write to this command's own standard output and error; nothing is passed on.
    #[arg(skip)]
    pub own_output: bool,

    /// Let the other ranks go on when one fails. A rank that a signal has ended then does not fail the job,
    /// if some rank exits with 0
    #[arg(long)]
    pub keep_going: bool,

    /// End the job after this time
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub timeout: Option<Duration>,

    /// Time for the ranks between SIGTERM and SIGKILL
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "2")]
    #[arg(allow_negative_numbers = true)]
    pub grace: Duration,

    /// Set a variable for the ranks. They inherit this command's environment; on other hosts only its
    /// ANYCCL_* variables and those named here. Without a value, this command's value is passed on
    #[arg(short = 'x', long = "env", value_name = "NAME[=VALUE]", value_parser = variable)]
    pub env: Vec<(String, String)>,

    /// Stand in for NCCL or MPI: ranks that ask for such a library get anyccl's, or the job ends. Prints the
    /// method that was used, and at the end whether nobody has asked for it. With gloo, the groups that
    /// PyTorch makes by this name are anyccl's; with jax, the collectives of JAX on CPUs
    #[arg(long = "as", value_enum, value_name = "WHAT")]
    pub stand_in: Option<StandIn>,

    /// Nobody has asked for the stand-in. Nothing is said about it, and what it does not reach runs as it is.
    #[arg(skip)]
    pub facade_is_implied: bool,

    /// Use this method of --as instead of the one that fits the program
    #[arg(long, alias = "nccl-by", value_enum, value_name = "METHOD", requires = "stand_in")]
    pub by: Option<Method>,

    /// Let the ranks see N GPUs that do not exist, by the CUDA driver and runtime for tests: for checks on
    /// machines without a GPU. `cargo xtask cuda-double` builds them
    #[arg(long = "fake-gpu", value_name = "N", value_parser = number_of_gpus)]
    #[arg(allow_negative_numbers = true)]
    pub fake_gpus: Option<u32>,

    /// Python for a program that is a file such as script.py
    #[arg(long, value_name = "PROGRAM", default_value = "python3", overrides_with = "python")]
    pub python: OsString,

    /// Ranks with commands of their own, which replace `command`.
    #[arg(skip)]
    pub parts: Vec<Part>,

    /// Program and its arguments
    #[arg(trailing_var_arg = true, required = true, value_name = "PROGRAM")]
    #[arg(value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}

impl RunArguments {
    /// These arguments, with Python in front of a program that needs it, and the variable for `--as gloo`.
    pub fn completed(mut self) -> RunArguments {
        self.command = super::python::with_interpreter(self.command, &self.python);
        if self.stand_in == Some(StandIn::Gloo) {
            self.env.push(super::torch_name::variable());
        }
        self
    }

    /// The library of `--as`, if it is one.
    pub fn facade(&self) -> Option<Facade> {
        self.stand_in.and_then(StandIn::facade)
    }

    /// Program of a rank, as the user has named it.
    pub fn program_of(&self, rank: u32) -> String {
        let command = part_of(&self.parts, rank).map_or(&self.command, |(_, part)| &part.command);
        command[0].display().to_string()
    }
}

/// Binding of ranks to cores.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Bind {
    /// An equal share of the cores that this command may use; one core each, in turn, if there are more ranks
    Core,
    /// All cores that this command may use
    None,
}

/// Parses a number of ranks.
pub fn number_of_ranks(text: &str) -> Result<u32, String> {
    let ranks = text.parse().ok().filter(|ranks| (1..=65536).contains(ranks));
    ranks.ok_or_else(|| "expected a whole number from 1 to 65536, such as -n 4".to_string())
}

/// Parses a number of GPUs that do not exist.
pub fn number_of_gpus(text: &str) -> Result<u32, String> {
    let count = text.parse().ok().filter(|count| (1..=64).contains(count));
    count.ok_or_else(|| "expected a whole number from 1 to 64".to_string())
}

/// Parses a number of seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok();
    let duration = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
    duration.ok_or_else(|| "expected a number of seconds, such as 30 or 0.5".to_string())
}

/// Variables that the launcher sets itself.
pub const OWN_VARIABLES: [&str; 4] = ["ANYCCL_RANK", "ANYCCL_WORLD_SIZE", "ANYCCL_STORE", "ANYCCL_JOB_KEY"];

fn variable(text: &str) -> Result<(String, String), String> {
    let own =
        |name: &str| std::env::var(name).map_err(|_| format!("{name} is not set here, or not in UTF-8"));
    match text.split_once('=') {
        Some(("", _)) => Err("expected NAME or NAME=VALUE".to_string()),
        None if text.is_empty() => Err("expected NAME or NAME=VALUE".to_string()),
        None if OWN_VARIABLES.contains(&text) => variable(&format!("{text}=")),
        None => Ok((text.to_string(), own(text)?)),
        Some((name, _)) if OWN_VARIABLES.contains(&name) => {
            Err(format!("{name} is set by anyccl run itself, to a value of its own for each rank or job"))
        }
        Some((name, value)) => Ok((name.to_string(), value.to_string())),
    }
}

//! `anyccl info`: what this machine and this build offer, and what the environment says.
//!
//! [`collect`] collects everything into one serialisable record; [`mod@print`] lays it out as text. With
//! `--json` the record itself is the output: its keys are stable, new ones may be added. `--nccl-of` and
//! `--mpi-of` ask a different question, about a command ([`library_of`]), and `--torch` one about a Python
//! ([`torch_names`]).

mod backends;
mod collect;
mod engine;
mod facades;
mod library_of;
pub mod machine;
mod print;
mod section;
mod tables;
mod torch_names;
pub mod transports;

use std::ffi::OsString;
use std::time::Duration;

use clap::{ArgGroup, Args};

use crate::facade::Facade;
use crate::failure::Failure;
use crate::output::say;
use crate::run::seconds;
use section::{Section, Wanted};

/// Report what this machine and this build offer, and what the environment says
///
/// Shows the processor, the reduction kernels, the network interfaces and which of them would be used. Shows
/// the transports and whether each works here, the GPUs and their links, and the foreign engines that can
/// serve calls. Lists the
/// algorithms of each collective, the operators of each datatype, and every environment variable with its
/// value.
#[derive(Args)]
#[command(group = ArgGroup::new("command").args(["nccl_of", "mpi_of"]))]
#[command(
    after_help = "Examples:\n  anyccl info\n  anyccl info network transports\n  anyccl info --json | jq .variables\n  \
    anyccl info --nccl-of python train.py\n  anyccl info --mpi-of ./program\n  anyccl info --torch"
)]
pub struct InfoArguments {
    /// Sections to show [default: all]
    #[arg(value_enum, value_name = "SECTION", conflicts_with = "command")]
    sections: Vec<Section>,

    /// Print one JSON object; its keys are stable
    #[arg(long)]
    json: bool,

    /// Report instead which NCCL the processes of a command get: path, version, and whether it is anyccl. The
    /// command is started, and ended before it calls NCCL. Must be the last option
    #[arg(long, value_name = "COMMAND", num_args = 1.., allow_hyphen_values = true)]
    nccl_of: Vec<OsString>,

    /// Report instead which MPI the processes of a command get: path, version, ABI, and whether it is anyccl.
    /// Must be the last option
    #[arg(long, value_name = "COMMAND", num_args = 1.., allow_hyphen_values = true, conflicts_with = "nccl_of")]
    mpi_of: Vec<OsString>,

    /// Report instead who serves each name of a backend ("gloo", "nccl") in the PyTorch of a Python, which
    /// imports it [default: python3]
    #[arg(long, value_name = "PYTHON", num_args = 0..=1, default_missing_value = "python3")]
    #[arg(conflicts_with_all = ["command", "sections"])]
    torch: Option<OsString>,

    /// How long the command of --nccl-of or --mpi-of may run
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "60", requires = "command")]
    #[arg(allow_negative_numbers = true)]
    deadline: Duration,
}

/// Prints the information.
pub fn info(arguments: &InfoArguments) -> Result<u8, Failure> {
    for (facade, command) in [(Facade::Nccl, &arguments.nccl_of), (Facade::Mpi, &arguments.mpi_of)] {
        if !command.is_empty() {
            return library_of::library_of(facade, command, arguments.deadline, arguments.json);
        }
    }
    if let Some(python) = &arguments.torch {
        return torch_names::torch_names(python, arguments.json);
    }
    let info = collect::collect(&Wanted(&arguments.sections));
    say(&match arguments.json {
        true => serde_json::to_string_pretty(&info).map_err(Failure::own)? + "\n",
        false => print::layout(&info),
    })
}

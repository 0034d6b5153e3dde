//! What `anyccl run --as` and `anyccl info --nccl-of` or `--mpi-of` need to put anyccl's libraries in the
//! place of NCCL or MPI.
//!
//! [`files`] finds the files. [`program`] finds out what kind of program a command starts. [`method`] chooses
//! how to get into it, and makes the variables. [`usage`] receives the reports of the processes
//! (`anyccl_launch_report`). `run::takeover` decides what the reports mean for a job.

pub mod files;
pub mod method;
pub mod program;
pub mod usage;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// What `--as` puts anyccl in the place of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StandIn {
    /// libnccl.so.2, on host memory
    Nccl,
    /// libmpi_abi.so.1, libmpi.so.12 and libmpi.so.40
    Mpi,
    /// The backend of this name of PyTorch, in the Python package
    Gloo,
    /// The collectives of JAX between processes on CPUs, and MPI
    Jax,
}

impl StandIn {
    /// The library, if it is one.
    pub fn facade(self) -> Option<Facade> {
        match self {
            StandIn::Nccl => Some(Facade::Nccl),
            // JAX calls an MPI.
            StandIn::Mpi | StandIn::Jax => Some(Facade::Mpi),
            StandIn::Gloo => None,
        }
    }
}

/// A library that anyccl can stand in for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Facade {
    /// libnccl.so.2.
    Nccl,
    /// libmpi_abi.so.1, libmpi.so.12 and libmpi.so.40.
    Mpi,
}

impl Facade {
    /// Name in sentences.
    pub fn name(self) -> &'static str {
        self.reported().name()
    }

    /// Name on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Facade::Nccl => "nccl",
            Facade::Mpi => "mpi",
        }
    }

    /// A library that programs can be linked with instead.
    pub fn library(self) -> &'static str {
        match self {
            Facade::Nccl => "libnccl.so.2",
            Facade::Mpi => "libmpi_abi.so.1",
        }
    }

    /// Name of the facade in launch reports.
    pub fn reported(self) -> anyccl_launch_report::Facade {
        match self {
            Facade::Nccl => anyccl_launch_report::Facade::Nccl,
            Facade::Mpi => anyccl_launch_report::Facade::Mpi,
        }
    }
}

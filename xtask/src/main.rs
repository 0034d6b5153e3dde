//! Build tasks that cargo does not offer. `cargo xtask help` lists them.

mod abi;
mod algorithms;
mod bare_machine;
mod c_format;
mod cargo;
mod check;
mod cuda_double;
mod docs;
mod fortran;
mod glibc;
mod header;
mod install;
mod licenses;
mod markdown;
mod mpi_functions;
mod pictures;
mod ptx;
mod pypi;
mod release;
mod result;
mod rooms;
mod symbols;
mod wheels_on_debian;
mod words;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Build tasks of anyccl.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Make the chapters of the C header, include/anyccl/*.h, from abi/native
    Header(Drift),
    /// Make mpif.h and the modules mpi and mpi_f08 in include/mpi, from mpi.h and the tables of abi/mpi
    Fortran(Drift),
    /// Write the names that the shared libraries export to abi/symbols
    Symbols(Drift),
    /// Make the pages of docs/ that are generated from the code
    Docs(Drift),
    /// Compile the GPU kernels, src/device/kernels, to the committed PTX
    Ptx(ptx::Ptx),
    /// Check the language of the tree: retired words, vague doc comments, wide comments
    Words,
    /// Check that the files of each crate use each other in one direction
    Rooms,
    /// Install library, header, tool and package files
    Install(install::Install),
    /// Remove what `install` has put into a prefix
    Uninstall(install::Uninstall),
    /// Make the Python packages in target/dist
    Wheels,
    /// Make everything that a release offers in target/dist
    Dist,
    /// Install and run what is in target/dist on Debian 11, 12 and 13
    WheelsOnDebian(wheels_on_debian::WheelsOnDebian),
    /// Compare what programs rely on with the last release
    Abi(abi::Abi),
    /// Tell which glibc programs and libraries need, and fail above a floor
    Glibc(glibc::Glibc),
    /// Build the CUDA driver and runtime for tests in target/cuda-double and print that folder
    CudaDouble(cuda_double::CudaDouble),
    /// Run all checks that must pass before a commit, except the tests
    Check(check::Check),
    /// Run `make demo` and `make test` on a bare Debian 12
    BareMachine(bare_machine::BareMachine),
}

/// Whether to write a generated file or to compare it.
#[derive(clap::Args)]
struct Drift {
    /// Change nothing; fail when the committed file is out of date
    #[arg(long)]
    check: bool,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Header(drift) => header::run(drift.check),
        Task::Fortran(drift) => fortran::run(drift.check),
        Task::Symbols(drift) => symbols::run(drift.check),
        Task::Docs(drift) => docs::docs(drift.check).map_err(Into::into),
        Task::Ptx(ptx) => ptx.run(),
        Task::Words => words::run(),
        Task::Rooms => rooms::run(),
        Task::Install(install) => install.run(),
        Task::Uninstall(uninstall) => uninstall.run(),
        Task::Wheels => release::wheels(),
        Task::Dist => release::dist(),
        Task::WheelsOnDebian(debian) => debian.run(),
        Task::Abi(abi) => abi.run(),
        Task::Glibc(glibc) => glibc.run(),
        Task::CudaDouble(double) => double.run(),
        Task::Check(check) => check.run(),
        Task::BareMachine(bare_machine) => bare_machine.run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

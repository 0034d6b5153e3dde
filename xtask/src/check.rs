//! `cargo xtask check`: all checks that must pass before a commit, except the tests.

use crate::cargo::{cargo, run as run_program};
use crate::result::Result;
use crate::{abi, c_format, docs, fortran, header, licenses, ptx, rooms, symbols, words};

/// Arguments of the task.
#[derive(clap::Args)]
pub struct Check {
    /// Leave out what needs the libraries built: symbols and ABI; and the licences and the PTX
    #[arg(long)]
    quick: bool,
}

impl Check {
    /// Runs the checks, the quick ones first, and stops at the first failure.
    pub fn run(&self) -> Result {
        step("format", || run_program(&mut cargo(&["fmt", "--all", "--check"])))?;
        step("format of C and C++", c_format::check)?;
        step("words", words::run)?;
        step("rooms", rooms::run)?;
        step("header", || header::run(true))?;
        step("fortran", || fortran::run(true))?;
        step("docs", || Ok(docs::docs(true)?))?;
        step("clippy", || run_program(&mut cargo(&["clippy-all"])))?;
        if self.quick {
            return Ok(());
        }
        step("licences", licenses::check)?;
        step("ptx", ptx::check)?;
        step("symbols", || symbols::run(true))?;
        step("abi", abi::check)
    }
}

fn step(name: &str, check: impl FnOnce() -> Result) -> Result {
    println!("== {name}");
    check().map_err(|error| format!("{name}: {error}").into())
}

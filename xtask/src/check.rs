//! `cargo xtask check`: all checks that must pass before a commit, except the tests.

use crate::cargo::{cargo, run as run_program};
use crate::{Result, abi, c_format, docs, header, licenses, ptx, symbols, words};

/// Runs all checks, the quick ones first, and stops at the first failure.
pub fn run() -> Result {
    step("format", || run_program(&mut cargo(&["fmt", "--all", "--check"])))?;
    step("format of C and C++", c_format::check)?;
    step("words", words::run)?;
    step("licences", licenses::check)?;
    step("header", || header::run(true))?;
    step("docs", || Ok(docs::docs(true)?))?;
    step("ptx", ptx::check)?;
    step("clippy", || {
        run_program(&mut cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
    })?;
    step("doc", || {
        run_program(cargo(&["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
    })?;
    step("symbols", || symbols::run(true))?;
    step("abi", abi::check)
}

fn step(name: &str, check: impl FnOnce() -> Result) -> Result {
    println!("== {name}");
    check().map_err(|error| format!("{name}: {error}").into())
}

//! Runs cargo and other programs.

use std::path::PathBuf;
use std::process::Command;

use crate::glibc::{OldGlibc, TARGET};
use crate::{Result, workspace};

/// A call of the cargo that runs this task, in the root of the workspace.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(workspace::root());
    command
}

/// Runs a program to its end. Any exit status but success is an error.
pub fn run(command: &mut Command) -> Result {
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
}

/// Runs a program and returns what it prints.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?}: {}\n{text}", output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Builds the programs and libraries of the workspace for tests. Returns the folder where cargo puts them.
///
/// The alias in .cargo/config.toml selects the same features as the tests do. Of one package alone, cargo
/// would build the engine once more, with the features that this package needs.
///
/// `ANYCCL_TEST_BUILT` says that all is built: cargo would wait for another one that runs.
pub fn build_for_tests() -> Result<PathBuf> {
    if std::env::var_os("ANYCCL_TEST_BUILT").is_none() {
        run(&mut cargo(&["build-all"]))?;
    }
    Ok(workspace::target().join("debug"))
}

/// Builds packages in a profile for a system with an old glibc, `None` for this one. Returns the folder where
/// cargo puts the results. The profile `dev` is that of the tests.
pub fn build(packages: &[&str], profile: &str, old: Option<&OldGlibc>) -> Result<PathBuf> {
    if profile == "dev" && old.is_none() {
        return build_for_tests();
    }
    let mut command = cargo(&["build", "--profile", profile]);
    for package in packages {
        command.args(["--package", package]);
    }
    let mut target = workspace::target();
    if let Some(old) = old {
        old.apply(&mut command);
        target.push(TARGET);
    }
    run(&mut command)?;
    Ok(target.join(if profile == "dev" { "debug" } else { profile }))
}

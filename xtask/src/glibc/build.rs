//! Builds for this system, or for one with an old glibc.

use std::path::PathBuf;

use super::old::{OldGlibc, TARGET};
use crate::cargo::{build_command, build_for_tests, run};
use crate::result::Result;
use crate::workspace;

/// Builds packages in a profile for a system with an old glibc, `None` for this one. Returns the folder where
/// cargo puts the results. The profile `dev` is that of the tests.
pub fn build(packages: &[&str], profile: &str, old: Option<&OldGlibc>) -> Result<PathBuf> {
    if profile == "dev" && old.is_none() {
        return build_for_tests();
    }
    let mut command = build_command(packages, profile);
    let mut target = workspace::target();
    if let Some(old) = old {
        old.apply(&mut command);
        target.push(TARGET);
    }
    run(&mut command)?;
    Ok(target.join(if profile == "dev" { "debug" } else { profile }))
}

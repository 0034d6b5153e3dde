//! `cargo xtask rooms`: checks that files use each other in one direction only.
//!
//! Two rules hold, apart from code for tests:
//!
//! - A room of the engine, which is a folder of src/, uses only the rooms that [`walls`] allows it.
//! - Files of a crate that use each other in a circle are one concept. circles.md lists them, with the
//!   reason.

mod arrows;
mod circles;
mod crate_files;
mod walls;

use std::fs;

use arrows::{Arrows, arrows};
use circles::Listed;
use crate_files::CrateFiles;

use crate::result::Result;
use crate::workspace;

/// Paths of the roots of the crates.
const ROOTS: [&str; 16] = [
    ENGINE,
    "abi/audit/src/lib.rs",
    "abi/edge/src/lib.rs",
    "abi/launch_report/src/lib.rs",
    "abi/mpi/src/lib.rs",
    "abi/mpi-mpich/src/lib.rs",
    "abi/mpi-ompi/src/lib.rs",
    "abi/mpi-std/src/lib.rs",
    "abi/mpi-trampoline/src/lib.rs",
    "abi/native/src/lib.rs",
    "abi/nccl/src/lib.rs",
    "cli/src/main.rs",
    "cuda-double/src/lib.rs",
    "cuda-double/cudart/src/lib.rs",
    "rust/src/lib.rs",
    "xtask/src/main.rs",
];
const ENGINE: &str = "src/lib.rs";
/// The page that lists the circles.
const LIST: &str = "xtask/src/rooms/circles.md";

/// Checks all crates. The error lists what breaks a rule.
pub fn run() -> Result {
    let list =
        fs::read_to_string(workspace::root().join(LIST)).map_err(|error| format!("{LIST}: {error}"))?;
    let mut listed = Listed::parse(&list).map_err(|error| format!("{LIST}: {error}"))?;
    let mut findings = Vec::new();
    for root in ROOTS {
        let all = CrateFiles::read(workspace::root(), root)?;
        let arrows = arrows(&all);
        if root == ENGINE {
            findings.extend(walls::broken(&all, &arrows));
        }
        for circle in circles::find(&arrows, all.files.len()) {
            let files: Vec<&str> = circle.iter().map(|file| all.files[*file].as_str()).collect();
            if !listed.take(&files) {
                findings.push(format!(
                    "a circle of {} files:\n{}",
                    files.len(),
                    within(&all, &arrows, &circle)
                ));
            }
        }
    }
    findings.extend(listed.left().map(|name| format!("{LIST}: \"{name}\" is no circle any more: remove it")));
    if findings.is_empty() {
        return Ok(());
    }
    findings.iter().for_each(|finding| println!("{finding}"));
    Err(format!("{} findings, listed above", findings.len()).into())
}

/// The arrows among the files of a circle, a line for each.
fn within(all: &CrateFiles, arrows: &Arrows, circle: &[usize]) -> String {
    let is_within = |file: &usize| circle.contains(file);
    let lines =
        arrows.iter().filter(|((from, to), _)| is_within(from) && is_within(to)).map(|(ends, names)| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            format!("    {} uses {}: {}", all.files[ends.0], all.files[ends.1], names.join(", "))
        });
    lines.collect::<Vec<_>>().join("\n")
}

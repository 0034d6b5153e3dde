//! The bill of materials: which crates are in each library and in the tool, in the CycloneDX format.

use std::fs;
use std::process::Command;

use super::folders::Release;
use super::tool;
use crate::result::Result;
use crate::workspace::VERSION;
use crate::{cargo, workspace};

/// The tool, from crates.io.
const TOOL: &str = "cargo-cyclonedx@0.5.9";

/// The crates that are installed, and their folders.
const CRATES: [(&str, &str); 8] = [
    ("anyccl-native", "abi/native"),
    ("anyccl-nccl", "abi/nccl"),
    ("anyccl-mpi-std", "abi/mpi-std"),
    ("anyccl-mpi-mpich", "abi/mpi-mpich"),
    ("anyccl-mpi-ompi", "abi/mpi-ompi"),
    ("anyccl-mpi-trampoline", "abi/mpi-trampoline"),
    ("anyccl-audit", "abi/audit"),
    ("anyccl-cli", "cli"),
];

/// Writes one bill for each crate.
pub fn make(release: &Release) -> Result {
    let tools = workspace::target().join("tools");
    let program = fs::canonicalize(workspace::target())?.join("tools/bin/cargo-cyclonedx");
    if !program.exists() {
        println!("installing {TOOL}: some minutes, once");
        cargo::run(cargo::cargo(&["install", "--locked", TOOL, "--root"]).arg(&tools))?;
    }
    // The tool writes beside the manifests, so it works on a copy.
    let copy = release.empty("sbom")?;
    tool::copy_tracked(&["."], &copy)?;
    let mut cyclonedx = Command::new(program);
    cyclonedx.args(["cyclonedx", "--format", "json", "--override-filename", "bill", "--target"]);
    cargo::run(cyclonedx.arg(crate::glibc::TARGET).current_dir(&copy))?;
    for (name, folder) in CRATES {
        let bill = copy.join(folder).join("bill.json");
        let text = fs::read_to_string(&bill).map_err(|error| format!("{}: {error}", bill.display()))?;
        // It names the folder where it was made.
        let text = text.replace(&copy.display().to_string(), "anyccl");
        fs::write(release.dist.join(format!("{name}-{VERSION}.cdx.json")), text)?;
    }
    Ok(())
}

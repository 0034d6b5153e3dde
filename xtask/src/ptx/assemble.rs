//! Assembles the PTX for every GPU, as the driver does at run time.

use std::path::Path;
use std::process::Command;

use crate::cargo::run as run_program;
use crate::result::Result;
use crate::workspace;

/// Command that installs ptxas.
const INSTALL: &str = "python3 capi-tests/pypi.py target/ptxas nvidia-cuda-nvcc-cu12==12.9.86";
/// GPUs from Volta to Blackwell.
const GPUS: [&str; 8] = ["sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"];

/// Assembles the file. Prints a line when ptxas is missing.
pub fn run(ptx: &Path) -> Result {
    let Some(ptxas) = super::places::package("ptxas", "cuda_nvcc/bin/ptxas") else {
        println!("not assembled: ptxas is missing; install it by: {INSTALL}");
        return Ok(());
    };
    let out = workspace::target().join("ptxas/anyccl.cubin");
    for gpu in GPUS {
        run_program(Command::new(&ptxas).arg(format!("-arch={gpu}")).arg(ptx).arg("-o").arg(&out))?;
    }
    println!("anyccl.ptx assembles for {}", GPUS.join(", "));
    Ok(())
}

//! `cargo xtask cuda-double`: the CUDA driver for tests, under the name that programs look for.
//!
//! The library is put into a folder of its own, so that a program finds it only if a test says so.

use std::fs;

use crate::{Result, cargo, workspace};

/// Builds the library and prints its folder, for `LD_LIBRARY_PATH`.
pub fn run() -> Result {
    let built = cargo::build(&["cuda-double"], "dev")?.join("libcuda.so");
    let folder = workspace::target().join("cuda-double");
    fs::create_dir_all(&folder)?;
    // Programs may have the old file open: a new file takes its name.
    let fresh = folder.join(format!("libcuda.so.1.{}", std::process::id()));
    fs::copy(built, &fresh)?;
    fs::rename(fresh, folder.join("libcuda.so.1"))?;
    println!("{}", folder.display());
    Ok(())
}

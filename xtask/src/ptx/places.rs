//! Where the kernels and NVIDIA's tools lie.

use std::fs;
use std::path::{Path, PathBuf};

use crate::workspace;

/// Command that installs NVRTC.
pub const INSTALL: &str = "python3 capi-tests/pypi.py target/nvrtc nvidia-cuda-nvrtc-cu11==11.8.89";

/// The folder of the kernels.
pub fn folder() -> PathBuf {
    workspace::root().join("src/device/kernels")
}

/// The folder of a package of NVIDIA in a virtual environment under target/.
pub fn package(environment: &str, part: &str) -> Option<PathBuf> {
    let lib: &Path = &workspace::target().join(environment).join("lib");
    let pythons = fs::read_dir(lib).ok()?;
    pythons
        .flatten()
        .map(|python| python.path().join("site-packages/nvidia").join(part))
        .find(|path| path.exists())
}

//! `cargo xtask cuda-double`: the CUDA driver and the CUDA runtime for tests, under the names that programs
//! look for.
//!
//! ```text
//! libcuda.so.1                 the driver
//! libcudart.so.12              the runtime, and the link libcudart.so.13
//! libcuda.so, libcudart.so     links, to link with
//! include/cuda_runtime.h       for programs that are compiled without CUDA
//! ```
//!
//! They are put into a folder of their own, so that a program finds them only if a test says so. That is
//! target/cuda-double, or with `--prefix P` the folder P/lib/anyccl/cuda-double.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::{Result, cargo, workspace};

/// Packages that are built, their libraries, and the names that programs look for.
const LIBRARIES: [(&str, &str, &str); 2] = [
    ("cuda-double", "libcuda.so", "libcuda.so.1"),
    ("cuda-double-cudart", "libcuda_double_cudart.so", "libcudart.so.12"),
];

/// Links, and where they lead.
const LINKS: [(&str, &str); 3] = [
    ("libcuda.so", "libcuda.so.1"),
    ("libcudart.so.13", "libcudart.so.12"),
    ("libcudart.so", "libcudart.so.12"),
];

/// Arguments of the task.
#[derive(clap::Args)]
pub struct CudaDouble {
    /// Install to PREFIX/lib/anyccl/cuda-double, where `anyccl run --fake-gpu` of this prefix finds it
    #[arg(long)]
    prefix: Option<PathBuf>,
}

impl CudaDouble {
    /// Builds the libraries and prints their folder, for `LD_LIBRARY_PATH`.
    pub fn run(&self) -> Result {
        let built = cargo::build(&LIBRARIES.map(|(package, ..)| package), "dev")?;
        let folder = match &self.prefix {
            Some(prefix) => prefix.join("lib/anyccl/cuda-double"),
            None => workspace::target().join("cuda-double"),
        };
        fs::create_dir_all(folder.join("include"))?;
        for (_, file, name) in LIBRARIES {
            replace(&folder.join(name), |fresh| fs::copy(built.join(file), fresh).map(drop))?;
        }
        for (name, to) in LINKS {
            replace(&folder.join(name), |fresh| symlink(to, fresh))?;
        }
        let header = workspace::root().join("cuda-double/include/cuda_runtime.h");
        replace(&folder.join("include/cuda_runtime.h"), |fresh| fs::copy(header, fresh).map(drop))?;
        println!("{}", folder.display());
        Ok(())
    }
}

/// Makes a file anew. Programs may have the old one open: the new one takes its name.
fn replace(path: &Path, make: impl FnOnce(&Path) -> std::io::Result<()>) -> Result {
    let mut fresh = path.as_os_str().to_owned();
    fresh.push(format!(".{}", std::process::id()));
    let fresh = PathBuf::from(fresh);
    make(&fresh)?;
    Ok(fs::rename(&fresh, path)?)
}

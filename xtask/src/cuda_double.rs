//! `cargo xtask cuda-double`: the CUDA driver and the CUDA runtime for tests, under the names that programs
//! look for.
//!
//! ```text
//! libcuda.so.1                 the driver
//! libcudart.so.12              the runtime
//! libcudart.so.13              the same, with the soname and the symbol versions of CUDA 13
//! libcuda.so, libcudart.so     links, to link with
//! include/cuda_runtime.h       for programs that are compiled without CUDA
//! ```
//!
//! The files lie in a folder of their own, so that a program finds them only if a test says so. That is
//! target/cuda-double, or with `--prefix P` the folder P/lib/anyccl/cuda-double.
//!
//! The runtime is linked here and not by cargo: each symbol of CUDA's own has the soname as its version, and
//! cargo gives the linker a list of symbols that leaves no room for versions. Without them, the loader prints
//! a line about each program that was linked with CUDA's own.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::result::Result;
use crate::{cargo, workspace};

/// The names under which programs look for the runtime.
const RUNTIMES: [&str; 2] = ["libcudart.so.12", "libcudart.so.13"];

/// Links, and where they lead.
const LINKS: [(&str, &str); 2] = [("libcuda.so", "libcuda.so.1"), ("libcudart.so", "libcudart.so.12")];

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
        let built = cargo::build_for_tests()?;
        let folder = match &self.prefix {
            Some(prefix) => prefix.join("lib/anyccl/cuda-double"),
            None => workspace::target().join("cuda-double"),
        };
        fs::create_dir_all(folder.join("include"))?;
        replace(&folder.join("libcuda.so.1"), |fresh| copy(&built.join("libcuda.so"), fresh))?;
        let archive = built.join("libcuda_double_cudart.a");
        for name in RUNTIMES {
            replace(&folder.join(name), |fresh| link_runtime(&archive, name, fresh))?;
        }
        for (name, to) in LINKS {
            replace(&folder.join(name), |fresh| Ok(symlink(to, fresh)?))?;
        }
        let header = workspace::root().join("cuda-double/include/cuda_runtime.h");
        replace(&folder.join("include/cuda_runtime.h"), |fresh| copy(&header, fresh))?;
        println!("{}", folder.display());
        Ok(())
    }
}

/// Links the runtime with a soname, which is also the version of all its symbols.
fn link_runtime(archive: &Path, soname: &str, library: &Path) -> Result {
    let versions = library.with_extension("map");
    fs::write(&versions, format!("{soname} {{ global: cuda*; __cuda*; local: *; }};\n"))?;
    let mut linker = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    linker.arg("-shared").arg("-o").arg(library);
    linker.arg("-Wl,--whole-archive").arg(archive).args(["-Wl,--no-whole-archive", "-Wl,--gc-sections"]);
    linker.args(["-Wl,-Bsymbolic-functions", &format!("-Wl,-soname,{soname}")]);
    linker.arg(format!("-Wl,--version-script={}", versions.display()));
    linker.args(["-lgcc_s", "-lpthread", "-ldl", "-lc"]);
    let linked = cargo::run(&mut linker);
    fs::remove_file(&versions)?;
    linked
}

fn copy(from: &Path, to: &Path) -> Result {
    fs::copy(from, to)?;
    Ok(())
}

/// Makes a file anew. Programs may have the old one open: the new one takes its name.
fn replace(path: &Path, make: impl FnOnce(&Path) -> Result) -> Result {
    let mut fresh = path.as_os_str().to_owned();
    fresh.push(format!(".{}", std::process::id()));
    let fresh = PathBuf::from(fresh);
    make(&fresh)?;
    Ok(fs::rename(&fresh, path)?)
}

//! `cargo xtask dist`: everything that a release offers, in target/dist. `cargo xtask wheels`: the Python
//! packages alone.
//!
//! ```text
//! anyccl-V.tar.gz                         the sources of the last commit
//! anyccl-V-x86_64-linux-gnu.tar.gz        a prefix of `make install`, to unpack anywhere
//! anyccl-V-x86_64-linux-gnu-debug.tar.gz  its debug information, to unpack over it
//! anyccl-V-py3-none-manylinux_….whl       the Python package, with library, tool and header
//! anyccl_torch-V.tar.gz                   the backend for torch, as sources
//! libanyccl0, libanyccl-dev, anyccl       Debian packages; anyccl-dbg: debug information
//! anyccl-V-CRATE.cdx.json                 the crates in each library and in the tool
//! SHA256SUMS
//! ```
//!
//! Programs and libraries are linked for an old glibc ([`crate::glibc`]), and it is checked that they are.
//! What the tasks need besides Rust, a C compiler and Python comes from PyPI and crates.io into target/.

mod deb;
mod sbom;
mod sums;
mod tarballs;
mod tool;
mod wheels;

use std::fs;
use std::path::{Path, PathBuf};

use crate::install::Install;
use crate::workspace::{VERSION, target};
use crate::{Result, cargo, glibc};

/// The largest size of the stripped libanyccl.so, in bytes.
const LARGEST_LIBRARY: u64 = 4_000_000;

/// Folders of a release.
struct Release {
    /// What is offered.
    dist: PathBuf,
    /// Everything else.
    work: PathBuf,
}

/// Makes the wheels.
pub fn wheels() -> Result {
    let release = Release::start(false)?;
    let prefix = release.prefix()?;
    step("wheels", || wheels::make(&release, &prefix))?;
    sums::print_sizes(&release.dist)
}

/// Makes everything.
pub fn dist() -> Result {
    let release = Release::start(true)?;
    let prefix = release.prefix()?;
    step("source tarball", || tarballs::source(&release))?;
    step("prefix tarball", || tarballs::prefix(&release, &prefix))?;
    step("wheels", || wheels::make(&release, &prefix))?;
    step("Debian packages", || deb::make(&release))?;
    step("bill of materials", || sbom::make(&release))?;
    step("SHA256SUMS", || sums::write(&release.dist))?;
    sums::print_sizes(&release.dist)
}

impl Release {
    /// Makes the folders. With `anew`, nothing of an earlier release stays in target/dist.
    fn start(anew: bool) -> Result<Release> {
        fs::create_dir_all(target())?;
        let target = fs::canonicalize(target())?;
        let release = Release { dist: target.join("dist"), work: target.join("packages") };
        if anew && release.dist.exists() {
            fs::remove_dir_all(&release.dist)?;
        }
        fs::create_dir_all(&release.dist)?;
        fs::create_dir_all(&release.work)?;
        Ok(release)
    }

    /// Installs to a prefix for packages, and checks the glibc and the size of what lies there.
    fn prefix(&self) -> Result<PathBuf> {
        let prefix = self.empty("prefix")?;
        step("build", || Install::portable(prefix.clone(), "lib").run())?;
        step("glibc", || glibc::check(&binaries(&prefix)?, glibc::FLOOR))?;
        step("paths", || cargo::check_no_build_places(&binaries(&prefix)?))?;
        let library = prefix.join(format!("lib/libanyccl.so.{VERSION}"));
        let size = fs::metadata(&library)?.len();
        if size > LARGEST_LIBRARY {
            return Err(format!("{} has {size} bytes, more than {LARGEST_LIBRARY}", library.display()).into());
        }
        Ok(prefix)
    }

    /// A new folder below the working folder.
    fn empty(&self, name: &str) -> Result<PathBuf> {
        let folder = self.work.join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }
}

/// The programs and shared libraries below a folder, without debug information and links.
fn binaries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for file in files(folder)? {
        let name = file.to_string_lossy();
        let is_binary = name.starts_with("bin/") || name.contains(".so");
        let path = folder.join(&file);
        if is_binary
            && !name.contains(".debug")
            && !path.is_symlink()
            && fs::read(&path)?.starts_with(b"\x7fELF")
        {
            found.push(path);
        }
    }
    Ok(found)
}

/// All files and links below a folder, relative to it and sorted.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(folder.join(&next))? {
            let entry = entry?;
            let path = next.join(entry.file_name());
            if entry.file_type()?.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort_unstable();
    Ok(found)
}

fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("== {name}");
    work().map_err(|error| format!("{name}: {error}").into())
}

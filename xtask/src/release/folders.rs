//! The folders of a release, and what lies in them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::install::Install;
use crate::result::Result;
use crate::workspace::{VERSION, target};
use crate::{cargo, glibc};

/// The largest size of the stripped libanyccl.so, in bytes.
const LARGEST_LIBRARY: u64 = 4_000_000;

/// Folders of a release.
pub struct Release {
    /// What is offered.
    pub dist: PathBuf,
    /// Everything else.
    pub work: PathBuf,
}

impl Release {
    /// Makes the folders. With `anew`, nothing of an earlier release stays in target/dist.
    pub fn start(anew: bool) -> Result<Release> {
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
    pub fn prefix(&self) -> Result<PathBuf> {
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
    pub fn empty(&self, name: &str) -> Result<PathBuf> {
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
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
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

pub fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("== {name}");
    work().map_err(|error| format!("{name}: {error}").into())
}

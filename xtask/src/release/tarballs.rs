//! The sources, and a prefix to unpack anywhere.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::folders::{Release, files};
use super::tool;
use crate::cargo;
use crate::result::Result;
use crate::workspace::VERSION;

/// Packs the last commit.
pub fn source(release: &Release) -> Result {
    if !cargo::output(&mut tool::git(&["status", "--porcelain"]))?.is_empty() {
        println!("warning: uncommitted changes are not in the source tarball");
    }
    let archive = release.dist.join(format!("anyccl-{VERSION}.tar.gz"));
    let prefix = format!("--prefix=anyccl-{VERSION}/");
    let mut git =
        tool::git(&["-c", "tar.tar.gz.command=gzip -cn9", "archive", "--format=tar.gz", &prefix, "-o"]);
    cargo::run(git.arg(archive).arg("HEAD"))
}

/// Packs a prefix, and what a debugger needs in an archive of its own.
pub fn prefix(release: &Release, prefix: &Path) -> Result {
    for (debug, suffix) in [(false, ""), (true, "-debug")] {
        let folder = release.empty("tarball")?;
        let name = format!("anyccl-{VERSION}-x86_64-linux-gnu");
        for file in files(prefix)? {
            if file.components().any(|part| part.as_os_str() == ".debug") == debug {
                copy(&prefix.join(&file), &folder.join(&name).join(&file))?;
            }
        }
        tool::tar(&release.dist.join(format!("{name}{suffix}.tar.gz")), &folder, &[&name])?;
    }
    Ok(())
}

/// Copies a file with its permissions, or a link as a link.
pub fn copy(from: &Path, to: &Path) -> Result {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    if from.is_symlink() {
        symlink(fs::read_link(from)?, to)?;
    } else {
        fs::copy(from, to)?;
    }
    Ok(())
}

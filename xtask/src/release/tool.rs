//! Programs that make archives.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::result::Result;
use crate::{cargo, workspace};

/// A call of git in this repository.
pub fn git(arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(workspace::root());
    command
}

/// Packs entries of a folder. The archive depends on names and contents alone, and on the time of the commit.
pub fn tar(archive: &Path, folder: &Path, entries: &[&str]) -> Result {
    let time = cargo::output(&mut git(&["log", "-1", "--format=%ct"]))?;
    let mut tar = Command::new("tar");
    tar.args(["--create", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--format=gnu"]);
    tar.arg(format!("--mtime=@{}", time.trim())).args(["--use-compress-program=gzip --no-name -9", "--file"]);
    cargo::run(tar.arg(archive).arg("--directory").arg(folder).args(entries))
}

/// Copies tracked files of this repository, as they are now.
pub fn copy_tracked(paths: &[&str], to: &Path) -> Result {
    let mut list = git(&["ls-files", "-z", "--"]).args(paths).stdout(Stdio::piped()).spawn()?;
    let mut pack = Command::new("tar");
    pack.args(["--create", "--null", "--files-from=-"]).current_dir(workspace::root());
    let mut pack =
        pack.stdin(list.stdout.take().ok_or("git ls-files has no output")?).stdout(Stdio::piped()).spawn()?;
    let mut unpack = Command::new("tar");
    unpack.arg("--extract").arg("--directory").arg(to);
    cargo::run(unpack.stdin(pack.stdout.take().ok_or("tar has no output")?))?;
    match list.wait()?.success() && pack.wait()?.success() {
        true => Ok(()),
        false => Err(format!("{} cannot be copied", paths.join(", ")).into()),
    }
}

//! Writes files below a prefix, and keeps the list of them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::split_debug;
use crate::result::Result;

/// The list of installed files, below the prefix.
pub const LIST: &str = "lib/anyccl/installed.txt";

/// A prefix that is being filled. All paths of targets are below the prefix.
pub struct Writer {
    prefix: PathBuf,
    written: Vec<PathBuf>,
}

impl Writer {
    /// A writer into this folder, which need not exist.
    pub fn new(prefix: &Path) -> Writer {
        Writer { prefix: prefix.to_path_buf(), written: Vec::new() }
    }

    /// Copies a file with its permissions. A program that runs the old file keeps it.
    pub fn put(&mut self, from: &Path, to: impl Into<PathBuf>) -> Result {
        let target = self.make_room(to.into())?;
        fs::copy(from, &target)
            .map_err(|error| format!("{} to {}: {error}", from.display(), target.display()))?;
        Ok(())
    }

    /// Copies a shared library without its debug information, which goes to a file of its own.
    pub fn library(&mut self, from: &Path, to: impl Into<PathBuf>) -> Result {
        let to = to.into();
        let debug = self.make_room(split_debug::place(&to))?;
        let target = self.make_room(to)?;
        split_debug::split(from, &target, &debug)
    }

    /// Copies a program in the same way.
    pub fn program(&mut self, from: &Path, to: impl Into<PathBuf>) -> Result {
        self.library(from, to)
    }

    /// Copies a static library without debug information.
    pub fn archive(&mut self, from: &Path, to: impl Into<PathBuf>) -> Result {
        let target = self.make_room(to.into())?;
        split_debug::strip_archive(from, &target)
    }

    /// Makes a symbolic link.
    pub fn link(&mut self, to: &str, at: impl Into<PathBuf>) -> Result {
        let target = self.make_room(at.into())?;
        Ok(symlink(to, target)?)
    }

    /// Writes a text.
    pub fn text(&mut self, text: &str, to: impl Into<PathBuf>) -> Result {
        let target = self.make_room(to.into())?;
        Ok(fs::write(target, text)?)
    }

    /// Writes the list of all files, itself included.
    pub fn finish(mut self) -> Result {
        let target = self.make_room(LIST.into())?;
        self.written.sort_unstable();
        let lines: String = self.written.iter().map(|path| format!("{}\n", path.display())).collect();
        Ok(fs::write(target, lines)?)
    }

    /// Notes a target, makes its folder and removes what lies there. Returns its path.
    fn make_room(&mut self, to: PathBuf) -> Result<PathBuf> {
        let target = self.prefix.join(&to);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        remove(&target)?;
        self.written.push(to);
        Ok(target)
    }
}

/// Removes a file, if there is one.
pub fn remove(path: &Path) -> Result {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{}: {error}", path.display()).into())
        }
        _ => Ok(()),
    }
}

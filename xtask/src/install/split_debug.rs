//! Separates programs and libraries from their debug information, by objcopy.
//!
//! The information for `lib/x.so` goes to `lib/.debug/x.so.debug`. gdb, valgrind and Rust's backtraces look
//! there by themselves, since the stripped file names it (`.gnu_debuglink`).

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo;
use crate::result::Result;

/// Place of the debug information of a file.
pub fn place(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".debug");
    file.parent().unwrap_or(Path::new("")).join(".debug").join(name)
}

/// Writes the stripped file and its debug information.
pub fn split(from: &Path, stripped: &Path, debug: &Path) -> Result {
    let sections = ["--compress-debug-sections=zlib", "--only-keep-debug"];
    cargo::run(Command::new("objcopy").args(sections).arg(from).arg(debug))?;
    let mut link = std::ffi::OsString::from("--add-gnu-debuglink=");
    link.push(debug);
    cargo::run(Command::new("objcopy").arg("--strip-all").arg(link).arg(from).arg(stripped))
}

/// Writes a static library without debug information.
pub fn strip_archive(from: &Path, stripped: &Path) -> Result {
    cargo::run(Command::new("objcopy").arg("--strip-debug").arg(from).arg(stripped))
}

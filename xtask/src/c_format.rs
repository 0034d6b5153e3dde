//! The format of C and C++ files, compared with clang-format.
//!
//! `.clang-format` defines the style, and `.clang-format-ignore` lists the files that are not checked.
//! Versions of clang-format differ in details, so files are compared only with the version that formatted
//! them. If that version is missing, a line says that nothing was compared.

use std::path::PathBuf;
use std::process::Command;

use crate::cargo::{output, run};
use crate::result::Result;
use crate::workspace;

/// Major version of the clang-format that formatted the tree.
const VERSION: &str = "23";
/// Command that installs it.
const INSTALL: &str = "python3 capi-tests/pypi.py target/clang-format 'clang-format==23.*'";

/// Fails when a file has another format. Prints a line when clang-format is missing.
pub fn check() -> Result {
    let Some(program) = find() else {
        println!("not checked: clang-format {VERSION} is missing; install it by: {INSTALL}");
        return Ok(());
    };
    let Ok(files) = output(
        Command::new("git")
            .args(["ls-files", "*.c", "*.h", "*.cpp", "*.hpp", "*.cu"])
            .current_dir(workspace::root()),
    ) else {
        println!("not checked: git does not list the files here");
        return Ok(());
    };
    run(Command::new(program)
        .args(["--dry-run", "-Werror"])
        .args(files.lines())
        .current_dir(workspace::root()))
    .map_err(|error| format!("{error}; to fix the files, run `clang-format -i` ({INSTALL})").into())
}

/// The program of the right version, in target/ or on the path.
fn find() -> Option<PathBuf> {
    let candidates =
        [workspace::target().join("clang-format/bin/clang-format"), PathBuf::from("clang-format")];
    candidates.into_iter().find(|program| {
        output(Command::new(program).arg("--version")).is_ok_and(|said| is_version(&said, VERSION))
    })
}

/// Whether `said`, the output of `--version`, has the major version `wanted`.
fn is_version(said: &str, wanted: &str) -> bool {
    said.split_whitespace()
        .skip_while(|word| *word != "version")
        .nth(1)
        .and_then(|version| version.split('.').next())
        .is_some_and(|number| number == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_told_by_its_first_number() {
        assert!(is_version("clang-format version 23.1.5", "23"));
        assert!(is_version("Debian clang-format version 23.0.0 (++2026)", "23"));
        assert!(!is_version("Debian clang-format version 14.0.6", "23"));
        assert!(!is_version("clang-format version 230.1", "23"));
        assert!(!is_version("no answer", "23"));
    }
}

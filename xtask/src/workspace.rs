//! Paths of the workspace, and files that are generated and committed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::result::Result;

/// The version of every crate of the workspace.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The folder of the workspace.
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// Folder in which cargo builds.
pub fn target() -> PathBuf {
    // Like cargo, resolves the variable relative to the current directory.
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Writes a generated file. With `check`, fails instead when the committed file differs. `task` is the task
/// that makes it.
pub fn write_or_compare(path: &Path, fresh: &str, check: bool, task: &str) -> Result {
    let shown = path.strip_prefix(root()).unwrap_or(path).display();
    let committed = fs::read_to_string(path).unwrap_or_default();
    if committed == fresh {
        return Ok(());
    }
    if check {
        let line = committed.lines().zip(fresh.lines()).take_while(|(old, new)| old == new).count();
        let old = committed.lines().nth(line).unwrap_or("(end)");
        let new = fresh.lines().nth(line).unwrap_or("(end)");
        return Err(format!(
            "{shown} is not up to date, line {}:\n  committed  {old}\n  fresh      {new}\nrun: cargo xtask {task}",
            line + 1
        )
        .into());
    }
    fs::create_dir_all(path.parent().unwrap_or(root()))?;
    fs::write(path, fresh)?;
    println!("wrote {shown}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_drifted_is_named_with_the_first_line_that_differs() {
        let path = std::env::temp_dir().join(format!("anyccl-xtask-drift-{}", std::process::id()));
        write_or_compare(&path, "one\ntwo\n", false, "header").unwrap();
        write_or_compare(&path, "one\ntwo\n", true, "header").unwrap();
        let error = write_or_compare(&path, "one\nthree\n", true, "header").unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("cargo xtask header"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
        fs::remove_file(&path).unwrap();
    }
}

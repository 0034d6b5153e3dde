//! Folders in which Python packages install libraries, unknown to the loader.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::config::raw;

/// The installations to which this process belongs: its virtual environment, conda, and that of the program
/// itself.
pub fn prefixes() -> Vec<PathBuf> {
    let named = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(raw).map(PathBuf::from);
    let program = env::current_exe().ok();
    let above = program.and_then(|program| program.parent()?.parent().map(Path::to_path_buf));
    let mut found: Vec<PathBuf> = Vec::new();
    for prefix in named.chain(above) {
        if !found.contains(&prefix) {
            found.push(prefix);
        }
    }
    found
}

/// Folders of Python modules: first those named by PYTHONPATH, then those of the installations.
pub fn module_folders(prefixes: &[PathBuf]) -> Vec<PathBuf> {
    let named = raw("PYTHONPATH").unwrap_or_default();
    let mut found: Vec<PathBuf> = env::split_paths(&named).filter(|path| path.is_absolute()).collect();
    for prefix in prefixes {
        for folder in sorted_entries(&prefix.join("lib")) {
            let is_pythons =
                folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python"));
            let modules = folder.join("site-packages");
            if is_pythons && modules.is_dir() {
                found.push(modules);
            }
        }
    }
    found
}

/// The entries of a folder, sorted by name; empty if it cannot be read.
fn sorted_entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_of_every_python_of_an_installation_are_found() {
        let prefix = env::temp_dir().join(format!("anyccl-prefixes-{}", std::process::id()));
        for name in ["python3.12", "python3.9", "other"] {
            fs::create_dir_all(prefix.join("lib").join(name).join("site-packages")).unwrap();
        }
        let found = module_folders(std::slice::from_ref(&prefix));
        let own: Vec<_> = found.iter().filter_map(|path| path.strip_prefix(&prefix).ok()).collect();
        fs::remove_dir_all(&prefix).unwrap();
        let expected = ["lib/python3.12/site-packages", "lib/python3.9/site-packages"].map(Path::new);
        assert_eq!(own, expected);
    }
}

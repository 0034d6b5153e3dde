//! The crate exports no C symbol: a program that uses it can link libanyccl, NCCL or MPI as well.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// The newest library of a crate beside this test.
fn library(name: &str) -> PathBuf {
    let folder = env::current_exe().unwrap().parent().unwrap().to_owned();
    let files = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let is_library = |path: &PathBuf| {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        file.strip_prefix(&format!("lib{name}-")).is_some_and(|rest| rest.ends_with(".rlib"))
    };
    files.filter(is_library).max_by_key(|path| path.metadata().unwrap().modified().unwrap()).unwrap()
}

#[test]
fn no_symbol_has_a_name_of_c() {
    for name in ["anyccl", "anyccl_engine"] {
        let mut nm = Command::new("nm");
        nm.args(["--defined-only", "--extern-only", "--format=posix"]).arg(library(name));
        let output = nm.output().expect("nm of binutils runs");
        let listing = String::from_utf8_lossy(&output.stdout);
        assert!(listing.lines().count() > 100, "{listing}");
        let starts = ["anyccl_", "nccl", "pnccl", "MPI_", "PMPI_"];
        let of_c: Vec<&str> =
            listing.lines().filter(|line| starts.iter().any(|start| line.starts_with(start))).collect();
        assert!(of_c.is_empty(), "{of_c:?}");
    }
}

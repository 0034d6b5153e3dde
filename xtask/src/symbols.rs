//! `cargo xtask symbols`: the names that each shared library exports, in one file per library in abi/symbols.
//!
//! A changed line is a decision about the ABI. A name that disappears breaks programs, and a new name must be
//! kept from then on.

use std::process::Command;

use crate::result::Result;
use crate::{cargo, workspace};

/// Each library in the build folder, and the name under which it is installed.
const LIBRARIES: [(&str, &str); 7] = [
    ("libanyccl", "libanyccl"),
    ("libanyccl_nccl", "libnccl"),
    ("libanyccl_mpi_abi", "libmpi_abi"),
    ("libanyccl_mpich", "libmpi"),
    ("libanyccl_ompi", "libmpi_of_open_mpi"),
    ("libanyccl_mpiwrapper", "libmpiwrapper"),
    ("libanyccl_audit", "libanyccl_audit"),
];

/// Writes the lists. With `check`, compares them with the committed ones.
pub fn run(check: bool) -> Result {
    let folder = cargo::build_for_tests()?;
    for (library, installed) in LIBRARIES {
        let mut nm = Command::new("nm");
        nm.args(["--dynamic", "--defined-only", "--format=posix"]).arg(folder.join(format!("{library}.so")));
        let fresh = names(&cargo::output(&mut nm)?);
        let path = workspace::root().join("abi/symbols").join(format!("{installed}.txt"));
        workspace::write_or_compare(&path, &fresh, check, "symbols")?;
    }
    Ok(())
}

/// The first word of each line, sorted.
fn names(listing: &str) -> String {
    let mut names: Vec<&str> = listing.lines().filter_map(|line| line.split_whitespace().next()).collect();
    names.sort_unstable();
    names.into_iter().map(|name| format!("{name}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_stand_one_a_line() {
        assert_eq!(names("b_two T 10 4\na_one D 20\n"), "a_one\nb_two\n");
    }
}

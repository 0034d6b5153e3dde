//! The version that an NCCL or MPI library reports.

use std::path::Path;
use std::time::Duration;

use crate::sys::library::{self, MpiAnswer};

/// Time limit of a query: loading a library of some hundred megabytes from a slow disk takes long.
const PATIENCE: Duration = Duration::from_secs(20);

/// NCCL's version, as it reports it. `None`: it cannot be loaded by itself, or reports none.
pub fn of_nccl(library: &Path) -> Option<String> {
    library::number_of(library, c"ncclGetVersion", PATIENCE).ok().map(text)
}

/// MPI's version, if it reports one, and its ABI. `None`: it cannot be loaded by itself.
pub fn of_mpi(library: &Path) -> Option<(Option<String>, &'static str)> {
    let MpiAnswer { version, has_open_mpi, has_abi } = library::ask_mpi(library, PATIENCE).ok()?;
    let abi = match (has_open_mpi, has_abi) {
        (true, _) => "Open MPI",
        (_, true) => "standard (MPI 5.0)",
        (_, false) => "MPICH",
    };
    // MPICH reports its configuration on further lines.
    let first = version.lines().next().unwrap_or_default();
    let words = first.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(((!words.is_empty()).then_some(words), abi))
}

/// NCCL's number as people write it: 23007 is 2.30.7. Before 2.9, the major version counted thousands.
fn text(code: i32) -> String {
    let major = if code < 10_000 { 1_000 } else { 10_000 };
    format!("{}.{}.{}", code / major, code % major / 100, code % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_versions_old_and_new() {
        assert_eq!([2804, 21805, 23007].map(text), ["2.8.4", "2.18.5", "2.30.7"]);
    }

    #[test]
    fn a_library_that_is_not_there_has_no_version() {
        assert_eq!(of_nccl(Path::new("/no/such/libnccl.so.2")), None);
        assert_eq!(of_mpi(Path::new("/no/such/libmpi.so.12")), None);
    }
}

//! Checks that a library opened as MPI is a foreign MPI, and not anyccl.
//!
//! Two of anyccl's doors are libraries with MPI's names and functions. A program that uses such a door has it
//! loaded under the very name that is looked for here.

use std::ffi::CStr;

use crate::sys::foreign_library::ForeignLibrary;

/// Symbol that only our own `libmpi_abi.so.1` and `libmpi.so.12` export.
pub const MARK: &CStr = c"anyccl_is_behind_this_mpi";

/// Refuses anyccl's own doors.
pub fn check(library: &ForeignLibrary) -> Result<(), String> {
    match library.symbol(MARK) {
        None => Ok(()),
        Some(_) => {
            Err("it is anyccl itself, which cannot be its own engine; use ANYCCL_BACKEND=builtin, or name \
                        another MPI by ANYCCL_MPI_LIB"
                .into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_without_the_mark_is_not_ours() {
        let library = ForeignLibrary::loaded("libc.so.6").expect("this program uses it");
        assert_eq!(check(&library), Ok(()));
    }
}

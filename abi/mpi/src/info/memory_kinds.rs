//! Kinds of memory that buffers may be of (MPI 5.0, section 12.4.3).
//!
//! All sessions, communicators, windows and files support the same kinds, whatever a program requests. GPU
//! memory is not among them: no window takes it, and messages of datatypes with holes do not.

use super::pairs::Pairs;

/// The key under which a program finds the kinds that are supported.
const SUPPORTED: &str = "mpi_memory_alloc_kinds";
/// The key under which a program says which kinds it uses with an object. Nothing depends on it.
pub const ASSERTED_KINDS: &str = "mpi_assert_memory_alloc_kinds";
/// The kinds that the standard requires, with all their restrictions.
const KINDS: &str = "mpi,system,mpi:alloc_mem,mpi:win_allocate,mpi:win_allocate_shared";

impl Pairs {
    /// Adds the kinds of memory that are supported.
    pub fn with_memory_kinds(mut self) -> Pairs {
        // Both texts are short enough.
        let _ = self.set(SUPPORTED, KINDS);
        self
    }
}

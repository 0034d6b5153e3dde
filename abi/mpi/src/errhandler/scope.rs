//! Whose error handler a failure calls.

/// The object whose error handler is called when a function fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The process, whose handler is that of `MPI_COMM_SELF`: for functions without an object that has a
    /// handler (MPI 5.0, section 9.3).
    Process,
    /// This communicator.
    Comm(u32),
    /// Files that are not open. Their handler returns, unless the program has set another.
    File,
}

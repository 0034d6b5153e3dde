//! Whose error handler a failure calls.

/// The object whose error handler is called when a function fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The process, for functions without an object that has a handler. Its handler is that of
    /// `MPI_COMM_SELF` or `MPI_COMM_WORLD`, depending on the version of MPI.
    Process,
    /// This communicator.
    Comm(u32),
    /// Nothing: the functions of the tool information interface only return error codes.
    Tools,
    /// This session.
    Session(u32),
    /// The file that the error names. Without one, the handler of `MPI_FILE_NULL` is called, which returns
    /// unless the program has set another.
    File,
}

//! Work that runs at the end of the process.

/// Calls `work` when the process exits, by `exit` or by returning from `main`, but not when a signal ends it.
///
/// If this library is unloaded earlier, its work runs at that time.
pub fn run(work: extern "C" fn()) {
    // SAFETY: `work` lives as long as this library, and is forgotten when that is unloaded. The call fails
    // only if the list is full; the work is then not done.
    unsafe { libc::atexit(work) };
}

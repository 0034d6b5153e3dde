//! Work that is left for the end of the process.

/// Calls `work` when the process exits, by `exit` or by returning from `main`; not when a signal ends it.
///
/// A library that is unloaded before runs its work then.
pub fn run(work: extern "C" fn()) {
    // SAFETY: `work` lives as long as this library, and is forgotten when that is unloaded. A full list (the
    // only failure) means that the work is left undone.
    unsafe { libc::atexit(work) };
}

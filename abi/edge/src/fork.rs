//! How many forks lie between this process and the one that loaded the library.
//!
//! A child inherits memory, but not threads, and shares sockets and shared memory with its parent: whatever it
//! did on an inherited communicator would disturb the parent. Handles therefore carry the [`epoch`] they
//! were made in, and one from an earlier epoch is refused before anything is locked or touched.
//!
//! Counted by a handler of `pthread_atfork`, which costs a call nothing; comparing `getpid()` would be a system
//! call per collective. `vfork` and a bare `clone` run no handler: their children may only `exec`.

use std::sync::Once;
use std::sync::atomic::{AtomicU16, Ordering};

static EPOCH: AtomicU16 = AtomicU16::new(0);
static HANDLER: Once = Once::new();

/// The current count. Also installs the handler, so whoever stores a count has it kept up to date.
pub fn epoch() -> u16 {
    HANDLER.call_once(|| {
        // SAFETY: `in_child` only touches an atomic, which is allowed in a child of a threaded process. It stays
        // mapped: the libraries are linked with `-z nodelete`.
        let refused = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        assert_eq!(refused, 0, "pthread_atfork has no memory");
    });
    last_epoch()
}

/// The same, where somebody has stored a count already.
#[inline]
pub fn last_epoch() -> u16 {
    EPOCH.load(Ordering::Relaxed)
}

/// Runs in the child before `fork` returns there, on its only thread.
unsafe extern "C" fn in_child() {
    EPOCH.fetch_add(1, Ordering::Relaxed);
}

//! Children of `fork`: each child is counted, and lets go of its parent's connections.
//!
//! A child inherits memory and descriptors, but no threads. Whatever it did with an inherited communicator
//! would disturb its parent. So handles carry the [`epoch`] in which they were made, and a handle of an
//! earlier epoch is refused before anything is locked or touched.
//!
//! A socket that stayed open in the child would hide the death of its parent, which peers notice by the
//! closing of the socket. So the child replaces the library's files ([`super::owned`]).
//!
//! A handler of `pthread_atfork` does both, so a call pays nothing for it. `vfork`, `posix_spawn` and a bare
//! `clone` run no handler. Their children may only `exec`, which closes the descriptors. Until then, peers of
//! the same host watch the process itself ([`super::process`]).

use std::sync::Once;
use std::sync::atomic::{AtomicU16, Ordering};

static EPOCH: AtomicU16 = AtomicU16::new(0);
static HANDLER: Once = Once::new();

/// Number of forks between this process and the process that loaded the library. Installs the handler that
/// counts them.
pub fn epoch() -> u16 {
    watch();
    last_epoch()
}

/// The [`epoch`], for callers that have already called it once.
#[inline]
pub fn last_epoch() -> u16 {
    EPOCH.load(Ordering::Relaxed)
}

/// Installs the handler.
pub(super) fn watch() {
    HANDLER.call_once(|| {
        // SAFETY: `in_child` does only what is allowed in a child of a threaded process: it touches atomics
        // and makes system calls. It stays mapped, because the libraries are linked with `-z nodelete`.
        let refused = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        assert_eq!(refused, 0, "pthread_atfork has no memory");
    });
}

/// Runs in the child before `fork` returns there, on its only thread.
unsafe extern "C" fn in_child() {
    EPOCH.fetch_add(1, Ordering::Relaxed);
    super::owned::replace_all();
}

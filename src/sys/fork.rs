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
//!
//! **What runs in a child.** Any thread of the parent may hold any lock at the fork, and does not exist in
//! the child. So none of these functions may wait for a lock of the parent. `comm::tests::forked` calls them
//! while all locks are held.
//!
//! | function | when | what it uses instead |
//! |---|---|---|
//! | `in_child`, `owned::replace_all` | before `fork` returns | atomics and system calls |
//! | `Handles::get`, `pin`, `remove` | a call with a handle | a table per process |
//! | `world`, `world_now`, `is_world_of_parent` | a call on the world | a state per process |
//! | `Operators::get`, `insert`, `remove` | a call with a made operator | a table per process |
//! | `log::write`, `log::set_sink` | anything that logs | a gate per process, and an atomic |
//! | `trace::take` | `anyccl perf --trace` | a list per process |
//! | `counts::all`, `metrics::write_now`, `timeline::end_at_exit` | the child exits | lists per process |
//! | `id_server::serve` | the child makes an id | servers per process |
//! | `memory::allocate`, `free`, `register` | memory for peers | an arena per process |
//! | `memory::import`, `release` | memory of peers | a list per process |
//! | `memory::export` | memory for peers | a list of engines per process |
//! | `Window::new`, `Process::at_other_end` | the child joins ranks | values per process |
//! | `Owned::drop` | an inherited object ends | an atomic of the table of files |
//! | `lingering::see_off`, `pmi::goodbye`, `mpi::end` | the child exits | lists per process |
//!
//! What is per process is a [`super::per_process`] value.
//!
//! **Limits.** A value that is made once (`OnceLock`, `Once`) is never made in the child if a thread of the
//! parent was making it at that moment. The same holds for the table in which parking_lot keeps threads that
//! wait for a lock, for as long as one of them enters it. GPU memory has static locks of its own; the CUDA
//! driver does not work in a child.

use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Once, OnceLock};

static EPOCH: AtomicU16 = AtomicU16::new(0);
static HANDLER: Once = Once::new();
/// What a child does with the files of its parent.
static REPLACE_FILES: OnceLock<fn()> = OnceLock::new();

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

/// Names what a child does with the files of its parent, and installs the handler.
pub(super) fn replace_files_by(replace_all: fn()) {
    REPLACE_FILES.get_or_init(|| replace_all);
    watch();
}

/// Installs the handler.
fn watch() {
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
    if let Some(replace_all) = REPLACE_FILES.get() {
        replace_all();
    }
}

#[cfg(test)]
pub(crate) mod tests {
    /// Lets this process, a child of a test, have only few files on their way to others.
    pub(crate) fn permit_few_files_on_their_way() {
        let limit = libc::rlimit { rlim_cur: 16, rlim_max: 16 };
        // SAFETY: the limit is a local that outlives the call.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) }, 0);
        // What permits more files than the limit goes with the user.
        // SAFETY: changes the user of this child.
        unsafe { libc::setresuid(65_534, 65_534, 65_534) };
    }

    /// Forks and runs `body` in the child. Returns whether `body` has returned `true`.
    pub(crate) fn in_child(body: impl FnOnce() -> bool) -> bool {
        // SAFETY: glibc keeps its own locks usable in the child, which ends by `_exit`.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            let is_right = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
            // SAFETY: ends the child at once.
            unsafe { libc::_exit(if matches!(is_right, Ok(true)) { 0 } else { 1 }) };
        }
        let mut status = 0;
        // SAFETY: the child of this function; the status goes to a local.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        status == 0
    }
}

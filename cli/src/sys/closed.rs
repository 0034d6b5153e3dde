//! Standard streams that were closed when this process was started.
//!
//! Rust's runtime opens /dev/null in the place of a closed stream before `main`, so that writing seems to
//! succeed. The look is therefore taken earlier, by a function that the loader calls.

use std::os::fd::RawFd;
use std::sync::atomic::{AtomicU8, Ordering};

/// One bit for each of the descriptors 0 to 2 that was closed.
static CLOSED: AtomicU8 = AtomicU8::new(0);

// The section is a list of functions, which the loader calls one after the other before `main`.
// SAFETY: an entry must be the address of a function that follows C's conventions and that may run so early.
// `look` takes no arguments, so those that the loader passes are ignored. It uses nothing that Rust's runtime
// prepares: it makes system calls, and writes one atomic number that has its value from the file. It neither
// allocates nor panics.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    for fd in 0..3 {
        // SAFETY: asks about a descriptor, which need not be open; touches no memory of this process.
        if unsafe { libc::fcntl(fd, libc::F_GETFD) } < 0 {
            CLOSED.fetch_or(1 << fd, Ordering::Relaxed);
        }
    }
}

/// Whether this standard stream was closed.
pub fn was_closed(stream: RawFd) -> bool {
    // The writer was this thread, before `main`.
    (0..3).contains(&stream) && CLOSED.load(Ordering::Relaxed) & (1 << stream) != 0
}

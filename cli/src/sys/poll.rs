//! Waiting for descriptors with poll.

use std::io;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// One descriptor to wait for.
pub use libc::pollfd as Waiting;

/// Waits until `fd` can be read, or its other end is gone.
pub fn readable(fd: &impl AsRawFd) -> Waiting {
    Waiting { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 }
}

/// Waits until `fd` can be written, or its other end is gone.
pub fn writable(fd: &impl AsRawFd) -> Waiting {
    Waiting { fd: fd.as_raw_fd(), events: libc::POLLOUT, revents: 0 }
}

/// Waits for nothing: keeps the place of a descriptor that is not needed now.
pub fn nothing() -> Waiting {
    Waiting { fd: -1, events: 0, revents: 0 }
}

/// Whether the descriptor needs attention. Errors and hang-ups count: the read or write will report them.
pub fn is_ready(waiting: &Waiting) -> bool {
    waiting.revents != 0
}

/// Waits until one is ready or `timeout` has passed; `None` waits for ever.
pub fn poll(waiting: &mut [Waiting], timeout: Option<Duration>) -> io::Result<()> {
    // Rounded up: a wait that ends before its deadline would only be repeated in a busy loop.
    let ms = timeout.map_or(-1, |t| t.as_micros().div_ceil(1000).min(i32::MAX as u128) as i32);
    let count = waiting.len() as libc::nfds_t;
    // SAFETY: the kernel reads and writes `count` records of the slice, which is that long.
    let ready = unsafe { libc::poll(waiting.as_mut_ptr(), count, ms) };
    if ready >= 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    if error.kind() != io::ErrorKind::Interrupted {
        return Err(error);
    }
    // An interrupted poll leaves the results untouched.
    waiting.iter_mut().for_each(|w| w.revents = 0);
    Ok(())
}

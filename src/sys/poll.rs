//! Sleeping until a descriptor is ready.

use std::io;
use std::os::fd::RawFd;
use std::time::{Duration, Instant};

/// Descriptors and what to wait for, in the form that the kernel wants.
pub type PollList = Vec<libc::pollfd>;

/// An entry of a [`PollList`].
pub fn entry(fd: RawFd, readable: bool, writable: bool) -> libc::pollfd {
    let mut events = 0;
    if readable {
        events |= libc::POLLIN;
    }
    if writable {
        events |= libc::POLLOUT;
    }
    libc::pollfd { fd, events, revents: 0 }
}

/// Sleeps until an entry is ready or the time is over; gives the number of ready entries. An interruption
/// by a signal counts as none ready.
pub fn poll(list: &mut [libc::pollfd], timeout: Option<Duration>) -> io::Result<usize> {
    // Rounded up: a wait that is rounded down to zero would spin.
    let ms = timeout.map_or(-1, |t| t.as_micros().div_ceil(1000).min(i32::MAX as u128) as i32);
    // SAFETY: the slice is valid for its length for the whole call.
    let n = unsafe { libc::poll(list.as_mut_ptr(), list.len() as libc::nfds_t, ms) };
    if n >= 0 {
        return Ok(n as usize);
    }
    let error = io::Error::last_os_error();
    if error.kind() == io::ErrorKind::Interrupted { Ok(0) } else { Err(error) }
}

/// Sleeps until `fd` is readable (or closed by the peer); after `deadline`, an error of kind `TimedOut`.
pub fn wait_readable(fd: RawFd, deadline: Option<Instant>) -> io::Result<()> {
    loop {
        let rest = deadline.map(|d| d.saturating_duration_since(Instant::now()));
        let mut list = [entry(fd, true, false)];
        if poll(&mut list, rest)? > 0 {
            return Ok(());
        }
        if rest.is_some_and(|r| r.is_zero()) {
            return Err(io::ErrorKind::TimedOut.into());
        }
    }
}

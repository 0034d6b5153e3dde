//! A descriptor that is ready once in each interval, for sleepers that nobody wakes.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::time::Duration;

/// A timer that runs on. Its descriptor is readable from the end of an interval until
/// [`IntervalTimer::clear`].
#[derive(Debug)]
pub struct IntervalTimer {
    fd: OwnedFd,
}

impl IntervalTimer {
    /// Starts a timer. Intervals of a second and more are cut.
    pub fn new(interval: Duration) -> io::Result<IntervalTimer> {
        // SAFETY: plain call that makes a descriptor.
        let fd =
            unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_CLOEXEC | libc::TFD_NONBLOCK) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a new descriptor that no one else owns.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        let time = libc::timespec { tv_sec: 0, tv_nsec: interval.subsec_nanos().max(1).into() };
        let times = libc::itimerspec { it_interval: time, it_value: time };
        // SAFETY: an open timer; the call reads one record, which outlives it.
        let rc = unsafe { libc::timerfd_settime(fd.as_raw_fd(), 0, &raw const times, ptr::null_mut()) };
        if rc != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(IntervalTimer { fd })
    }

    /// Makes the descriptor unreadable until the end of the interval.
    pub fn clear(&self) {
        let mut count = [0u8; 8];
        // SAFETY: eight writable bytes; non-blocking.
        unsafe { libc::read(self.fd.as_raw_fd(), count.as_mut_ptr().cast(), count.len()) };
    }
}

impl AsRawFd for IntervalTimer {
    fn as_raw_fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }
}

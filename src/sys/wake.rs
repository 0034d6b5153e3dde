//! Waking a thread of this process that sleeps in `poll`, by an eventfd.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// A doorbell for one thread. It is readable from [`Wake::ring`] until [`Wake::clear`].
#[derive(Debug)]
pub struct Wake {
    fd: OwnedFd,
}

impl Wake {
    /// Makes a doorbell that is not rung.
    pub fn new() -> io::Result<Wake> {
        // SAFETY: plain call that makes a descriptor.
        let fd = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a new descriptor that no one else owns.
        Ok(Wake { fd: unsafe { OwnedFd::from_raw_fd(fd) } })
    }

    /// Makes the descriptor readable. Any thread may call it.
    pub fn ring(&self) {
        let one = 1u64.to_ne_bytes();
        // SAFETY: eight readable bytes. A full counter (EAGAIN) is readable already, so nothing is lost.
        unsafe { libc::write(self.fd.as_raw_fd(), one.as_ptr().cast(), one.len()) };
    }

    /// Makes it unreadable again.
    pub fn clear(&self) {
        let mut count = [0u8; 8];
        // SAFETY: eight writable bytes; non-blocking.
        unsafe { libc::read(self.fd.as_raw_fd(), count.as_mut_ptr().cast(), count.len()) };
    }
}

impl AsRawFd for Wake {
    fn as_raw_fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }
}

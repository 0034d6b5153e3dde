//! Stream sockets, TCP and Unix alike: an owned descriptor with non-blocking reads and writes.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::time::Duration;

/// How long a host may leave what we sent unacknowledged until the connection counts as broken.
const SILENCE: Duration = Duration::from_secs(30);

/// A connected, non-blocking, close-on-exec stream socket.
#[derive(Debug)]
pub struct Socket {
    fd: OwnedFd,
    unix: bool,
}

impl Socket {
    /// Takes over a connected stream socket and makes it non-blocking.
    pub fn from_fd(fd: OwnedFd, unix: bool) -> io::Result<Socket> {
        // SAFETY: FIONBIO reads one int through the pointer, which outlives the call; the
        // descriptor is owned by `fd`, hence open.
        let rc = unsafe { libc::ioctl(fd.as_raw_fd(), libc::FIONBIO, &1 as *const libc::c_int) };
        if rc < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Socket { fd, unix })
    }

    /// Whether this is a Unix socket: the peer is on this host and descriptors can be passed.
    pub fn is_unix(&self) -> bool {
        self.unix
    }

    /// Sets the options every TCP connection of a job has.
    ///
    /// Small messages leave at once. A host that has vanished without a word is noticed after
    /// `SILENCE`, whether we were sending to it or waiting for it; a process that died on a
    /// host that lives is noticed at once, by its reset.
    pub fn tune_tcp(&self) -> io::Result<()> {
        let seconds = SILENCE.as_secs() as libc::c_int;
        self.set_option(libc::IPPROTO_TCP, libc::TCP_NODELAY, 1)?;
        self.set_option(libc::SOL_SOCKET, libc::SO_KEEPALIVE, 1)?;
        self.set_option(libc::IPPROTO_TCP, libc::TCP_KEEPIDLE, seconds / 3)?;
        self.set_option(libc::IPPROTO_TCP, libc::TCP_KEEPINTVL, seconds / 6)?;
        self.set_option(libc::IPPROTO_TCP, libc::TCP_KEEPCNT, 4)?;
        self.set_option(libc::IPPROTO_TCP, libc::TCP_USER_TIMEOUT, seconds * 1000)
    }

    fn set_option(&self, level: libc::c_int, name: libc::c_int, value: libc::c_int) -> io::Result<()> {
        let (pointer, bytes) = ((&raw const value).cast(), size_of::<libc::c_int>() as libc::socklen_t);
        // SAFETY: the kernel reads one int through `pointer`, which points to a live local.
        match unsafe { libc::setsockopt(self.fd.as_raw_fd(), level, name, pointer, bytes) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Reads up to `len` bytes to `dst`. `Ok(None)`: nothing there now. `Ok(Some(0))`: peer closed.
    ///
    /// # Safety
    /// `dst` is writable for `len` bytes.
    pub unsafe fn read_raw(&self, dst: *mut u8, len: usize) -> io::Result<Option<usize>> {
        // SAFETY: the caller vouches for `dst` and `len`; the kernel writes no more than that.
        let n = unsafe { libc::recv(self.fd.as_raw_fd(), dst.cast(), len, libc::MSG_DONTWAIT) };
        would_block(n)
    }

    /// Writes up to `len` bytes from `src`. `Ok(None)`: no room now. Never raises SIGPIPE.
    ///
    /// # Safety
    /// `src` is readable for `len` bytes.
    pub unsafe fn write_raw(&self, src: *const u8, len: usize) -> io::Result<Option<usize>> {
        let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
        // SAFETY: the caller vouches for `src` and `len`; the kernel only reads.
        let n = unsafe { libc::send(self.fd.as_raw_fd(), src.cast(), len, flags) };
        would_block(n)
    }

    /// Writes from `first`, then from `second`, in one system call; gives the bytes taken of both together.
    ///
    /// # Safety
    /// `second` is readable for `second_len` bytes.
    pub unsafe fn write_two(
        &self,
        first: &[u8],
        second: *const u8,
        second_len: usize,
    ) -> io::Result<Option<usize>> {
        let mut parts = [
            libc::iovec { iov_base: first.as_ptr().cast_mut().cast(), iov_len: first.len() },
            libc::iovec { iov_base: second.cast_mut().cast(), iov_len: second_len },
        ];
        // SAFETY: all-zero is a valid msghdr.
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        message.msg_iov = parts.as_mut_ptr();
        message.msg_iovlen = 2;
        let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
        // SAFETY: the parts are a slice and what the caller vouches for; the kernel only reads.
        let n = unsafe { libc::sendmsg(self.fd.as_raw_fd(), &message, flags) };
        would_block(n)
    }

    /// [`Socket::read_raw`] into a slice.
    pub fn read(&self, dst: &mut [u8]) -> io::Result<Option<usize>> {
        // SAFETY: a mutable slice is writable for its length.
        unsafe { self.read_raw(dst.as_mut_ptr(), dst.len()) }
    }

    /// [`Socket::write_raw`] from a slice.
    pub fn write(&self, src: &[u8]) -> io::Result<Option<usize>> {
        // SAFETY: a slice is readable for its length.
        unsafe { self.write_raw(src.as_ptr(), src.len()) }
    }
}

impl AsRawFd for Socket {
    fn as_raw_fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

fn would_block(n: isize) -> io::Result<Option<usize>> {
    if n >= 0 {
        return Ok(Some(n as usize));
    }
    let error = io::Error::last_os_error();
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(None),
        _ => Err(error),
    }
}

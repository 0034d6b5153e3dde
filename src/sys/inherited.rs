//! Sockets that a launcher has left open for this process under a number.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use super::socket::Socket;

/// A socket of this library's own for the connection that was inherited as `number`.
///
/// The inherited descriptor stays open, in its present mode, for other code in this process that knows it.
/// Programs that this process starts do not inherit it.
pub fn socket(number: RawFd) -> io::Result<Socket> {
    // SAFETY: asks about a number, open or not; touches no memory.
    let flags = check(unsafe { libc::fcntl(number, libc::F_GETFD) })?;
    // SAFETY: as above; sets a flag that only counts at exec.
    check(unsafe { libc::fcntl(number, libc::F_SETFD, flags | libc::FD_CLOEXEC) })?;
    // SAFETY: as above; the copy has a number that was free.
    let copy = check(unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 3) })?;
    // SAFETY: the call made this descriptor; nobody else knows it.
    let copy = unsafe { OwnedFd::from_raw_fd(copy) };
    let unix = option::<libc::c_int>(copy.as_raw_fd(), libc::SO_DOMAIN)? == libc::AF_UNIX;
    Ok(Socket::shared(copy, unix))
}

/// The process at the other end of an inherited Unix socket, or the process that made the pair.
pub fn peer_process(number: RawFd) -> io::Result<i32> {
    option::<libc::ucred>(number, libc::SO_PEERCRED).map(|peer| peer.pid)
}

/// Options that are plain numbers, for which any bytes are valid.
trait Plain: Copy {
    const ZERO: Self;
}

impl Plain for libc::c_int {
    const ZERO: Self = 0;
}

impl Plain for libc::ucred {
    const ZERO: Self = libc::ucred { pid: 0, uid: 0, gid: 0 };
}

fn option<T: Plain>(number: RawFd, name: libc::c_int) -> io::Result<T> {
    let mut value = T::ZERO;
    let mut bytes = size_of::<T>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `bytes` bytes to `value`, which is that long and may hold any bytes.
    check(unsafe { libc::getsockopt(number, libc::SOL_SOCKET, name, (&raw mut value).cast(), &mut bytes) })?;
    Ok(value)
}

fn check(answer: libc::c_int) -> io::Result<libc::c_int> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    #[test]
    fn a_socket_is_taken_over_and_the_inherited_one_still_works() {
        let (mut ours, mut theirs) = UnixStream::pair().unwrap();
        let socket = socket(ours.as_raw_fd()).unwrap();
        assert!(socket.is_unix());
        theirs.write_all(b"ab").unwrap();
        let mut byte = [0];
        assert_eq!((socket.read(&mut byte).unwrap(), byte), (Some(1), *b"a"));
        ours.read_exact(&mut byte).unwrap();
        assert_eq!(byte, *b"b");
        // The socket still blocks for others, but not here.
        assert_eq!(socket.read(&mut byte).unwrap(), None);
        assert_eq!(peer_process(ours.as_raw_fd()).unwrap() as u32, std::process::id());
    }

    #[test]
    fn a_descriptor_that_is_no_socket_or_not_open_is_refused() {
        let file = std::fs::File::open("/dev/null").unwrap();
        assert_eq!(socket(file.as_raw_fd()).unwrap_err().raw_os_error(), Some(libc::ENOTSOCK));
        assert_eq!(socket(1 << 20).unwrap_err().raw_os_error(), Some(libc::EBADF));
    }
}

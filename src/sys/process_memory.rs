//! Reading the memory of another process of this user, in one copy (`process_vm_readv`).
//!
//! Many containers forbid it; ask once, with something known, before relying on it.

use std::io;
use std::mem;
use std::os::fd::AsRawFd;

use super::socket::Socket;

/// The process at the other end of a Unix socket, as the kernel knows it, in this process's namespace.
pub fn peer_of(socket: &Socket) -> io::Result<libc::pid_t> {
    let mut credentials = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut len = mem::size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `len` bytes into the structure, which has that size.
    let rc = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut credentials).cast(),
            &mut len,
        )
    };
    match (rc, credentials.pid) {
        (0, pid) if pid > 0 => Ok(pid),
        (0, _) => Err(io::Error::other("the peer is in another process namespace")),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Copies up to `len` bytes at `address` of process `pid` to `dst`; says how many. The address is the
/// peer's word: a wrong one is an error, not a fault.
///
/// # Safety
/// `dst` is writable for `len` bytes.
pub unsafe fn read(pid: libc::pid_t, address: u64, dst: *mut u8, len: usize) -> io::Result<usize> {
    let local = libc::iovec { iov_base: dst.cast(), iov_len: len };
    let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: len };
    // SAFETY: the kernel writes at most `len` bytes to `dst`, for which the caller vouches, and checks the
    // remote address itself.
    let n = unsafe { libc::process_vm_readv(pid, &local, 1, &remote, 1, 0) };
    if n < 0 { Err(io::Error::last_os_error()) } else { Ok(n as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    #[test]
    fn this_process_is_at_both_ends_of_its_own_pair_and_a_wild_address_is_an_error() {
        let (a, _b) = UnixStream::pair().unwrap();
        let pid = peer_of(&Socket::from_fd(a.into(), true).unwrap()).unwrap();
        assert_eq!(pid as u32, std::process::id());
        let mut byte = 0u8;
        // SAFETY: one writable byte.
        assert!(unsafe { read(pid, 8, &mut byte, 1) }.is_err());
    }
}

//! A TCP port that other programs do not get, and that a program can still listen at.

use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// A port of this host. While this lives, the kernel gives it to nobody who asks for any port. A program that
/// sets SO_REUSEADDR, as servers do, can listen at it. Until one does, connections to it are refused.
pub struct ReservedPort {
    _socket: OwnedFd,
    number: u16,
}

impl ReservedPort {
    /// Reserves a port for all IPv4 addresses.
    pub fn new() -> io::Result<ReservedPort> {
        // SAFETY: the call has no condition.
        let socket =
            check(unsafe { libc::socket(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0) })?;
        // SAFETY: a descriptor that was just made, and that nobody else owns.
        let socket = unsafe { OwnedFd::from_raw_fd(socket) };
        let one: libc::c_int = 1;
        // SAFETY: reads one number of the length that is passed.
        check(unsafe {
            libc::setsockopt(
                socket.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_REUSEADDR,
                (&raw const one).cast(),
                size_of::<libc::c_int>() as libc::socklen_t,
            )
        })?;
        let mut address = libc::sockaddr_in {
            sin_family: libc::AF_INET as libc::sa_family_t,
            sin_port: 0,
            sin_addr: libc::in_addr { s_addr: libc::INADDR_ANY },
            sin_zero: [0; 8],
        };
        let mut length = size_of::<libc::sockaddr_in>() as libc::socklen_t;
        // SAFETY: reads an address of the length that is passed.
        check(unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) })?;
        // SAFETY: writes an address of at most the length that is passed, and its length.
        check(unsafe { libc::getsockname(socket.as_raw_fd(), (&raw mut address).cast(), &mut length) })?;
        Ok(ReservedPort { _socket: socket, number: u16::from_be(address.sin_port) })
    }

    /// The number of the port.
    pub fn number(&self) -> u16 {
        self.number
    }
}

/// Converts the result of a call that returns -1 on failure.
fn check(answer: libc::c_int) -> io::Result<libc::c_int> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener, TcpStream};

    use super::*;

    #[test]
    fn a_server_can_listen_at_a_reserved_port_where_nobody_answers_before() {
        let port = ReservedPort::new().unwrap();
        assert_ne!(port.number(), 0);
        let at = (Ipv4Addr::LOCALHOST, port.number());
        assert_eq!(TcpStream::connect(at).unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
        // The standard library sets SO_REUSEADDR.
        TcpListener::bind(at).unwrap();
    }
}

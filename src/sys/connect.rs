//! Starting connections without waiting for them.
//!
//! The caller gets the socket while the connection may still be in progress. This needs no special treatment.
//! A write reports "no room now" until the connection is made, or returns the reason if it has failed. Poll
//! reports the socket as writable in both cases.

use std::io;
use std::mem;
use std::net::SocketAddr;
#[cfg(test)]
use std::os::fd::AsFd;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use super::socket::Socket;

/// A TCP address as the kernel takes it.
pub(super) enum InetAddress {
    /// IPv4.
    V4(libc::sockaddr_in),
    /// IPv6.
    V6(libc::sockaddr_in6),
}

impl From<SocketAddr> for InetAddress {
    fn from(address: SocketAddr) -> InetAddress {
        match address {
            SocketAddr::V4(v4) => InetAddress::V4(libc::sockaddr_in {
                sin_family: libc::AF_INET as libc::sa_family_t,
                sin_port: v4.port().to_be(),
                sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(v4.ip().octets()) },
                sin_zero: [0; 8],
            }),
            SocketAddr::V6(v6) => InetAddress::V6(libc::sockaddr_in6 {
                sin6_family: libc::AF_INET6 as libc::sa_family_t,
                sin6_port: v6.port().to_be(),
                sin6_flowinfo: v6.flowinfo(),
                sin6_addr: libc::in6_addr { s6_addr: v6.ip().octets() },
                sin6_scope_id: v6.scope_id(),
            }),
        }
    }
}

/// Starts a TCP connection.
pub fn connect_tcp(to: SocketAddr) -> io::Result<Socket> {
    #[cfg(test)]
    if let Some(scheduler) = super::scheduler::mine() {
        let real = start_unix(super::listener::simulated_name(to).as_bytes())?;
        return scheduler.connect(to.to_string().as_bytes(), real.as_fd().try_clone_to_owned()?, false);
    }
    let socket = match InetAddress::from(to) {
        InetAddress::V4(v4) => start(libc::AF_INET, &v4, mem::size_of::<libc::sockaddr_in>())?,
        InetAddress::V6(v6) => start(libc::AF_INET6, &v6, mem::size_of::<libc::sockaddr_in6>())?,
    };
    socket.tune_tcp()?;
    Ok(socket)
}

/// Connects to the abstract Unix socket `name`. Fails at once: with `ConnectionRefused` if no process of this
/// network namespace listens there, and with `WouldBlock` if the listener's queue is full.
pub fn connect_unix(name: &[u8]) -> io::Result<Socket> {
    let socket = start_unix(name)?;
    #[cfg(test)]
    if let Some(scheduler) = super::scheduler::mine() {
        return scheduler.connect(name, socket.as_fd().try_clone_to_owned()?, true);
    }
    Ok(socket)
}

/// Connects to the abstract Unix socket `name`, whatever a test wants.
fn start_unix(name: &[u8]) -> io::Result<Socket> {
    let mut address =
        libc::sockaddr_un { sun_family: libc::AF_UNIX as libc::sa_family_t, sun_path: [0; 108] };
    // The first byte stays zero, which makes the name abstract.
    let Some(room) = address.sun_path[1..].get_mut(..name.len()) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the socket's name is too long"));
    };
    for (to, from) in room.iter_mut().zip(name) {
        *to = *from as libc::c_char;
    }
    start(libc::AF_UNIX, &address, mem::offset_of!(libc::sockaddr_un, sun_path) + 1 + name.len())
}

/// Makes a socket and connects it to `address`, one of the `sockaddr` structures, of which `bytes` bytes
/// count.
fn start<A>(domain: libc::c_int, address: &A, bytes: usize) -> io::Result<Socket> {
    assert!(bytes <= mem::size_of::<A>());
    let flags = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: takes and returns integers only.
    let fd = unsafe { libc::socket(domain, flags, 0) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made `fd`, and nothing else knows it.
    let fd = unsafe { OwnedFd::from_raw_fd(fd) };
    let pointer = (address as *const A).cast::<libc::sockaddr>();
    // SAFETY: the kernel reads `bytes` bytes, which the assertion above keeps inside `address`; the
    // structures with which this private function is called have no padding among these bytes.
    let rc = unsafe { libc::connect(fd.as_raw_fd(), pointer, bytes as libc::socklen_t) };
    if rc < 0 {
        let error = io::Error::last_os_error();
        // Interrupted: the kernel continues to connect, as with EINPROGRESS.
        if !matches!(error.raw_os_error(), Some(libc::EINPROGRESS | libc::EINTR)) {
            return Err(error);
        }
    }
    Socket::from_fd(fd, domain == libc::AF_UNIX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::listener::Listener;

    #[test]
    fn connecting_to_an_abstract_name_without_a_listener_is_refused_at_once() {
        let error = connect_unix(b"anyccl-test-nobody-listens-here").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    }

    #[test]
    fn a_name_longer_than_the_kernel_takes_is_an_error() {
        assert_eq!(connect_unix(&[b'a'; 108]).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn a_connection_to_a_closed_port_reports_it_on_the_first_write() {
        let listener = Listener::tcp("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.address().unwrap();
        drop(listener);
        let socket = connect_tcp(address).and_then(|s| {
            loop {
                if s.write(b"x")?.is_some() {
                    return Ok(());
                }
            }
        });
        assert_eq!(socket.unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
    }
}

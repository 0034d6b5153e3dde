//! A TCP port at which several processes of a user listen, and who is at the other end of a connection to it.

use std::fs;
use std::io;
use std::mem;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use super::connect::InetAddress;
use super::owned::Owned;

/// Connections that the kernel may queue.
const QUEUE: libc::c_int = 128;

/// Listens at an address, without blocking. Other processes of this user may listen there too, if they ask
/// for the same; the kernel chooses one of them for each connection.
pub fn listen(at: SocketAddr) -> io::Result<Owned<TcpListener>> {
    let domain = if at.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 };
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: takes and returns integers only.
    let fd = check(unsafe { libc::socket(domain, kind, 0) })?;
    // SAFETY: the kernel has just made `fd`, and nothing else knows it.
    let fd = unsafe { OwnedFd::from_raw_fd(fd) };
    allow(fd.as_raw_fd(), libc::SO_REUSEADDR)?;
    allow(fd.as_raw_fd(), libc::SO_REUSEPORT)?;
    match InetAddress::from(at) {
        InetAddress::V4(v4) => bind(fd.as_raw_fd(), &v4)?,
        InetAddress::V6(v6) => bind(fd.as_raw_fd(), &v6)?,
    }
    // SAFETY: takes integers only.
    check(unsafe { libc::listen(fd.as_raw_fd(), QUEUE) })?;
    Ok(Owned::new(TcpListener::from(fd)))
}

fn allow(fd: RawFd, option: libc::c_int) -> io::Result<()> {
    let (one, bytes): (libc::c_int, _) = (1, mem::size_of::<libc::c_int>() as libc::socklen_t);
    // SAFETY: the kernel reads one int through the pointer, which points to a live local.
    check(unsafe { libc::setsockopt(fd, libc::SOL_SOCKET, option, (&raw const one).cast(), bytes) }).map(drop)
}

/// `address` is one of the `sockaddr` structures.
fn bind<A>(fd: RawFd, address: &A) -> io::Result<()> {
    let (pointer, bytes) = ((&raw const *address).cast(), mem::size_of::<A>() as libc::socklen_t);
    // SAFETY: the kernel reads that many bytes of the structure, which has no padding.
    check(unsafe { libc::bind(fd, pointer, bytes) }).map(drop)
}

/// Converts the result of a call that returns -1 on failure.
fn check(answer: libc::c_int) -> io::Result<libc::c_int> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

/// The user whose socket of this host is connected from `here` to `there`. `None`: this host has no such
/// socket, or does not show it.
pub fn user_of(here: SocketAddr, there: SocketAddr) -> Option<u32> {
    ["/proc/thread-self/net/tcp", "/proc/thread-self/net/tcp6"].into_iter().find_map(|table| {
        let text = fs::read_to_string(table).ok()?;
        text.lines().find_map(|line| user_in(line, canonical(here), canonical(there)))
    })
}

/// The user of a line of the kernel's table, if it is of that connection.
fn user_in(line: &str, here: (IpAddr, u16), there: (IpAddr, u16)) -> Option<u32> {
    let mut words = line.split_whitespace().skip(1);
    let is_same = end(words.next()?)? == here && end(words.next()?)? == there;
    // State, queues, timer and retransmissions.
    if is_same { words.nth(4)?.parse().ok() } else { None }
}

/// An end as the table shows it: words of the address as this machine reads them, in hexadecimal digits.
fn end(text: &str) -> Option<(IpAddr, u16)> {
    let (ip, port) = text.split_once(':')?;
    let word = |at: usize| u32::from_str_radix(ip.get(at..at + 8)?, 16).ok().map(u32::to_ne_bytes);
    let ip = match ip.len() {
        8 => IpAddr::from(Ipv4Addr::from(word(0)?)),
        _ => {
            let mut bytes = [0; 16];
            for (number, part) in bytes.chunks_exact_mut(4).enumerate() {
                part.copy_from_slice(&word(8 * number)?);
            }
            IpAddr::from(Ipv6Addr::from(bytes))
        }
    };
    Some((ip.to_canonical(), u16::from_str_radix(port, 16).ok()?))
}

fn canonical(at: SocketAddr) -> (IpAddr, u16) {
    (at.ip().to_canonical(), at.port())
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::*;
    use crate::sys::host;

    #[test]
    fn two_listen_at_a_port_and_each_knows_the_user_of_a_client() {
        for any in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(first) = listen(any.parse().unwrap()) else {
                assert!(any.starts_with('['), "IPv4 is there");
                continue;
            };
            let at = first.local_addr().unwrap();
            let second = listen(at).unwrap();
            assert!(TcpListener::bind(at).is_err(), "only for who asks for it");
            let client = TcpStream::connect(at).unwrap();
            let [ours, theirs] = [client.local_addr().unwrap(), client.peer_addr().unwrap()];
            assert_eq!(user_of(ours, theirs), Some(host::user_id()));
            assert_eq!(user_of(ours, SocketAddr::new(at.ip(), 1)), None);
            let accepted = [&first, &second].map(|listener| listener.accept().is_ok());
            assert_eq!(accepted.iter().filter(|is| **is).count(), 1);
        }
    }

    #[test]
    fn a_line_of_the_table_is_read() {
        let line =
            "  1: 0100007F:8F1C 0100007F:6D7C 01 00000000:00000000 00:00000000 00000000  1000        0 7";
        let at = |port| ("127.0.0.1".parse().unwrap(), port);
        if cfg!(target_endian = "little") {
            assert_eq!(user_in(line, at(36636), at(28028)), Some(1000));
        }
        assert_eq!(user_in(line, at(28028), at(36636)), None);
        assert_eq!(user_in("  sl  local_address rem_address st", at(1), at(2)), None);
        assert_eq!(end("0100007F"), None);
        assert_eq!(end("01é0007F:0001"), None);
    }
}

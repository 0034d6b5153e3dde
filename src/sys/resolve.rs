//! Resolving a host's name, with the difference between "there is no such name" and "not known now".
//!
//! The standard library reports both by one error. The system's resolver is asked, and may take as long as
//! its own patience lasts; no deadline of the caller ends it.

use std::ffi::{CStr, CString};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};
use std::ptr;

/// A constant of glibc that the libc crate lacks: the name exists and has no address.
const EAI_NODATA: libc::c_int = -5;

/// The resolver's answer about a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// The addresses of the name, in the resolver's order of preference; at least one.
    Addresses(Vec<SocketAddr>),
    /// The resolver is certain that the name has no address. The text is the resolver's.
    Unknown(String),
    /// The resolver could not find out now. The text is the resolver's.
    NotNow(String),
}

impl Resolved {
    /// The addresses; none if they are not known.
    pub fn addresses(self) -> Vec<SocketAddr> {
        match self {
            Resolved::Addresses(addresses) => addresses,
            Resolved::Unknown(_) | Resolved::NotNow(_) => Vec::new(),
        }
    }
}

/// Resolves a name, or an address written as text, for TCP connections to `port`.
pub fn resolve(host: &str, port: u16) -> Resolved {
    if let Ok(ip) = host.parse::<IpAddr>() {
        return Resolved::Addresses(vec![SocketAddr::new(ip, port)]);
    }
    let Ok(name) = CString::new(host) else { return Resolved::Unknown("it contains a zero byte".into()) };
    // SAFETY: all-zero is a valid addrinfo: no flags, no addresses.
    let mut hints: libc::addrinfo = unsafe { std::mem::zeroed() };
    hints.ai_socktype = libc::SOCK_STREAM;
    let mut list: *mut libc::addrinfo = ptr::null_mut();
    // SAFETY: `name` is a C string, `hints` an addrinfo, and `list` a pointer to write; all outlive the call.
    let code = unsafe { libc::getaddrinfo(name.as_ptr(), ptr::null(), &raw const hints, &raw mut list) };
    match code {
        0 => {}
        libc::EAI_SYSTEM => return Resolved::NotNow(io::Error::last_os_error().to_string()),
        libc::EAI_NONAME | EAI_NODATA => return Resolved::Unknown(text_of(code)),
        _ => return Resolved::NotNow(text_of(code)),
    }
    let mut addresses = Vec::new();
    let mut entry = list;
    // SAFETY: `entry` is null or an element of the resolver's list, which is freed only below.
    while let Some(info) = unsafe { entry.as_ref() } {
        addresses.extend(address_of(info, port));
        entry = info.ai_next;
    }
    // SAFETY: `list` came from getaddrinfo, no reference to it is left, and it is freed once.
    unsafe { libc::freeaddrinfo(list) };
    match addresses.is_empty() {
        true => Resolved::Unknown("it has no address".into()),
        false => Resolved::Addresses(addresses),
    }
}

fn address_of(info: &libc::addrinfo, port: u16) -> Option<SocketAddr> {
    let bytes = info.ai_addrlen as usize;
    match info.ai_family {
        libc::AF_INET if bytes >= size_of::<libc::sockaddr_in>() => {
            // SAFETY: the resolver says that there is an IPv4 address of at least that many bytes; alignment
            // is not assumed.
            let v4 = unsafe { info.ai_addr.cast::<libc::sockaddr_in>().read_unaligned() };
            let ip = Ipv4Addr::from(u32::from_be(v4.sin_addr.s_addr));
            Some(SocketAddr::new(ip.into(), port))
        }
        libc::AF_INET6 if bytes >= size_of::<libc::sockaddr_in6>() => {
            // SAFETY: as above, for IPv6.
            let v6 = unsafe { info.ai_addr.cast::<libc::sockaddr_in6>().read_unaligned() };
            let ip = Ipv6Addr::from(v6.sin6_addr.s6_addr);
            Some(SocketAddrV6::new(ip, port, 0, v6.sin6_scope_id).into())
        }
        _ => None,
    }
}

/// The resolver's text for an error, in lower case.
fn text_of(code: libc::c_int) -> String {
    // SAFETY: takes an integer.
    let text = unsafe { libc::gai_strerror(code) };
    // SAFETY: a C string that lives as long as the process.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_as_they_are_and_localhost_is_this_host() {
        for (text, address) in [("10.1.2.3", "10.1.2.3:7"), ("::1", "[::1]:7")] {
            assert_eq!(resolve(text, 7), Resolved::Addresses(vec![address.parse().unwrap()]));
        }
        let Resolved::Addresses(found) = resolve("localhost", 7) else { panic!("localhost is unknown") };
        assert!(found.iter().all(|at| at.ip().is_loopback() && at.port() == 7), "{found:?}");
    }

    #[test]
    fn an_invalid_name_has_no_address() {
        for name in ["a\0b", "no-such-host.invalid"] {
            assert!(!matches!(resolve(name, 7), Resolved::Addresses(_)), "{name:?}");
        }
    }
}

//! The network interfaces of this host.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ptr;

/// One network interface with its IP addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Name of the interface, such as `eth0`.
    pub name: String,
    /// Whether it is up.
    pub up: bool,
    /// Whether it reaches only this host.
    pub loopback: bool,
    /// Addresses of the interface, in the kernel's order.
    pub addresses: Vec<IpAddr>,
}

/// All interfaces, in the kernel's order.
pub fn interfaces() -> io::Result<Vec<Interface>> {
    let mut head: *mut libc::ifaddrs = ptr::null_mut();
    // SAFETY: the call writes one pointer to `head`, which outlives it.
    if unsafe { libc::getifaddrs(&mut head) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let mut found: Vec<Interface> = Vec::new();
    let mut next = head;
    while !next.is_null() {
        // SAFETY: `next` is a node of the list that getifaddrs made; it is freed only below, and
        // nothing else writes to it.
        let entry = unsafe { &*next };
        next = entry.ifa_next;
        if entry.ifa_name.is_null() {
            continue;
        }
        // SAFETY: a non-null name of a list node is a C string that lives as long as the list.
        let name = unsafe { std::ffi::CStr::from_ptr(entry.ifa_name) }.to_string_lossy().into_owned();
        let flag = |bit: libc::c_int| entry.ifa_flags & bit as libc::c_uint != 0;
        let at = found.iter().position(|i| i.name == name).unwrap_or_else(|| {
            let (up, loopback) = (flag(libc::IFF_UP), flag(libc::IFF_LOOPBACK));
            found.push(Interface { name, up, loopback, addresses: Vec::new() });
            found.len() - 1
        });
        // SAFETY: the address of a list node is null or a `sockaddr` of its family's size.
        found[at].addresses.extend(unsafe { ip_address(entry.ifa_addr) });
    }
    // SAFETY: `head` came from getifaddrs and no reference into the list is left.
    unsafe { libc::freeifaddrs(head) };
    Ok(found)
}

/// # Safety
/// `address` is null or points to a `sockaddr` as large as its family says.
unsafe fn ip_address(address: *const libc::sockaddr) -> Option<IpAddr> {
    if address.is_null() {
        return None;
    }
    // SAFETY: not null; every `sockaddr` has a family.
    match i32::from(unsafe { (*address).sa_family }) {
        libc::AF_INET => {
            // SAFETY: the family says that this is a whole `sockaddr_in`; it may lie unaligned.
            let v4 = unsafe { address.cast::<libc::sockaddr_in>().read_unaligned() };
            Some(IpAddr::V4(Ipv4Addr::from(v4.sin_addr.s_addr.to_ne_bytes())))
        }
        libc::AF_INET6 => {
            // SAFETY: the family says that this is a whole `sockaddr_in6`; it may lie unaligned.
            let v6 = unsafe { address.cast::<libc::sockaddr_in6>().read_unaligned() };
            Some(IpAddr::V6(Ipv6Addr::from(v6.sin6_addr.s6_addr)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_interface_is_there_with_its_address() {
        let all = interfaces().unwrap();
        let loopback = all.iter().find(|i| i.loopback).expect("every Linux has a loopback interface");
        assert!(loopback.addresses.iter().all(IpAddr::is_loopback), "{loopback:?}");
    }
}

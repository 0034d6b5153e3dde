//! The TCP listeners by which a process can be reached by its job.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::{Duration, Instant};

use super::interface;
use crate::base::{Error, Result};
use crate::bootstrap::job::address::ADDRESSES;
use crate::bootstrap::store::waiting::Backoff;
use crate::config::{Config, PortRange};
use crate::log_line;
use crate::sys::clock;
use crate::sys::listener::Listener;

/// How long rank 0 waits for its port to become free.
const PORT_PATIENCE: Duration = Duration::from_millis(500);

/// Listens on a free port of every chosen interface, and last on loopback. Ranks of one host then still meet
/// when the host has lost its network, or its firewall filters its own address.
pub(crate) fn open(config: &Config) -> Result<Vec<Listener>> {
    open_for_lanes(config).map(|(listeners, _)| listeners)
}

/// Like [`open`]. Also returns over how many of the first listeners lanes are spread.
pub(crate) fn open_for_lanes(config: &Config) -> Result<(Vec<Listener>, u8)> {
    let choice = interface::choose(config.interface.as_deref())?;
    log_line!(Debug, "bootstrap: interfaces: {}", choice.reason);
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let mut places: Vec<IpAddr> = choice.addresses().into_iter().filter(|ip| *ip != loopback).collect();
    places.truncate(ADDRESSES - 1);
    let firsts = &choice.addresses()[..choice.spread()];
    let mut spread = 0;
    places.push(loopback);
    let mut listeners = Vec::new();
    let mut last_error = None;
    for ip in places {
        match listen_in(ip, config.ports) {
            Ok(listener) => {
                spread += u8::from(ip != loopback && firsts.contains(&ip));
                listeners.push(listener);
            }
            // This happens, for example, with an IPv6 address that is still being checked for duplicates.
            Err(error) => {
                log_line!(Debug, "bootstrap: cannot listen at {ip}: {error}");
                last_error = Some(error);
            }
        }
    }
    match last_error {
        Some(error) if listeners.is_empty() => Err(Error::system(
            "cannot listen at any address (ANYCCL_SOCKET_IFNAME, ANYCCL_PORT_RANGE)",
            error,
        )),
        _ => Ok((listeners, spread.max(1))),
    }
}

/// Listens at the first port of a range that is free at this address.
pub(crate) fn listen_in(ip: IpAddr, ports: PortRange) -> io::Result<Listener> {
    let mut outcome = Err(io::ErrorKind::AddrInUse.into());
    for port in ports.ports() {
        outcome = Listener::tcp(SocketAddr::new(ip, port));
        let is_taken = |error: &io::Error| error.kind() == io::ErrorKind::AddrInUse;
        if !outcome.as_ref().is_err_and(is_taken) {
            break;
        }
    }
    outcome
}

/// Listens where others look for `host`.
///
/// An address of this host is taken as it is. A name is not resolved: many hosts resolve their own name to
/// 127.0.1.1, while the others see the real address. So a name means every address. An address that this host
/// does not have belongs to a gateway in front of it, and means every address, too.
pub(crate) fn listen_at(host: &str, port: u16) -> io::Result<Vec<Listener>> {
    if host == "localhost" {
        return Listener::tcp((Ipv4Addr::LOCALHOST, port).into()).map(|listener| vec![listener]);
    }
    if let Ok(ip) = host.parse::<IpAddr>() {
        match Listener::tcp((ip, port).into()) {
            Ok(listener) => return Ok(vec![listener]),
            Err(error) if error.kind() == io::ErrorKind::AddrNotAvailable => {}
            Err(error) => return Err(error),
        }
    }
    // On most hosts the IPv6 listener takes IPv4 as well; the second call then finds its port taken.
    let v6 = Listener::tcp((Ipv6Addr::UNSPECIFIED, port).into());
    let v4 = Listener::tcp((Ipv4Addr::UNSPECIFIED, port).into());
    match (v6, v4) {
        (Err(_), Err(error)) => Err(error),
        (v6, v4) => Ok(v6.into_iter().chain(v4).collect()),
    }
}

/// Listens at the port, and waits a moment if it is taken. The store of the job before may still hold it. So
/// may a rank of this host: if it tries to connect before anybody listens, the kernel may choose this very
/// port as the source of its connection.
pub(super) fn listen_when_free(host: &str, port: u16, deadline: Instant) -> io::Result<Vec<Listener>> {
    let (until, mut backoff) = (deadline.min(clock::now() + PORT_PATIENCE), Backoff::new());
    loop {
        match listen_at(host, port) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && backoff.sleep(until) => {}
            result => return result,
        }
    }
}

/// The addresses of these listeners, in the same order.
pub(crate) fn addresses(listeners: &[Listener]) -> Vec<SocketAddr> {
    listeners.iter().filter_map(Listener::address).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_of_the_range_are_taken_one_after_the_other_until_there_is_none() {
        let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
        // Whoever has a port of these now, this host has some that are free.
        let range = PortRange::parse("42100-42119").unwrap();
        let mut taken = Vec::new();
        let error = loop {
            match listen_in(loopback, range) {
                Ok(listener) => taken.push(listener),
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
        assert!(!taken.is_empty() && taken.len() <= 20);
        let ports = addresses(&taken).into_iter().map(|at| at.port());
        assert!(ports.into_iter().all(|port| (42100..=42119).contains(&port)));
    }

    #[test]
    fn an_own_address_is_bound_alone_and_a_name_or_foreign_address_everywhere() {
        let bound = |host| listen_at(host, 0).unwrap()[0].address().unwrap().ip();
        assert_eq!(bound("127.0.0.1"), IpAddr::from(Ipv4Addr::LOCALHOST));
        assert_eq!(bound("localhost"), IpAddr::from(Ipv4Addr::LOCALHOST));
        // TEST-NET-3: no host has it.
        assert!(bound("203.0.113.7").is_unspecified());
        assert!(bound("some-host").is_unspecified());
    }

    #[test]
    fn a_port_that_is_taken_is_an_error() {
        let taken = Listener::tcp("127.0.0.1:0".parse().unwrap()).unwrap();
        let port = taken.address().unwrap().port();
        assert_eq!(listen_at("127.0.0.1", port).unwrap_err().kind(), io::ErrorKind::AddrInUse);
    }
}

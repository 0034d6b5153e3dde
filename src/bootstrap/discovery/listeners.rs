//! The TCP addresses where a process can be reached by its job.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use super::interface;
use crate::base::{Error, Result};
use crate::bootstrap::job::address::ADDRESSES;
use crate::config::{Config, PortRange};
use crate::log_line;
use crate::sys::listener::Listener;

/// Listens on a free port of every chosen interface, and last on loopback. Ranks of one host then still meet
/// when the host has lost its network, or its firewall filters its own address.
pub(crate) fn open(config: &Config) -> Result<Vec<Listener>> {
    let choice = interface::choose(config.interface.as_deref())?;
    log_line!(Debug, "bootstrap: interfaces: {}", choice.reason);
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let mut places: Vec<IpAddr> = choice.addresses().into_iter().filter(|ip| *ip != loopback).collect();
    places.truncate(ADDRESSES - 1);
    places.push(loopback);
    let mut listeners = Vec::new();
    let mut last_error = None;
    for ip in places {
        match listen_in(ip, config.ports) {
            Ok(listener) => listeners.push(listener),
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
        _ => Ok(listeners),
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
}

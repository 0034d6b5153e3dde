//! The TCP addresses where a process can be reached by its job.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use super::interface;
use super::record::ADDRESSES;
use crate::base::{Error, Result};
use crate::config::Config;
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
        match Listener::tcp(SocketAddr::new(ip, 0)) {
            Ok(listener) => listeners.push(listener),
            // This happens, for example, with an IPv6 address that is still being checked for duplicates.
            Err(error) => {
                log_line!(Debug, "bootstrap: cannot listen at {ip}: {error}");
                last_error = Some(error);
            }
        }
    }
    match last_error {
        Some(error) if listeners.is_empty() => Err(Error::system("cannot listen at any address", error)),
        _ => Ok(listeners),
    }
}

/// The addresses of these listeners, in the same order.
pub(crate) fn addresses(listeners: &[Listener]) -> Vec<SocketAddr> {
    listeners.iter().filter_map(Listener::address).collect()
}

//! Discovery at one of several ports of a host, which every rank computes.

use std::io;
use std::net::SocketAddr;

use super::listeners::listen_at;
use super::meeting::{Discovery, KeyAndStore};
use super::ports::candidate_ports;
use crate::base::{Error, Result};
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::store::known_place::KnownPlace;
use crate::sys::listener::Listener;
use crate::sys::resolve::resolve;

impl Discovery<'_> {
    /// Finds rank 0 at one of several ports of `host` that follow from `launcher`, `taken` and `job`. Another
    /// program owns the port `taken`.
    pub fn by_ports(&self, launcher: &str, host: &str, taken: u16, job: &str) -> Result<KeyAndStore> {
        let derived = || JobKey::derived(launcher, &[host.as_bytes(), &taken.to_le_bytes(), job.as_bytes()]);
        let key = self.key_or(derived);
        let ports = candidate_ports(host, taken, job);
        if self.seat.rank == 0 {
            return self.serve(key, listen_at_first(host, &ports)?, |_| Ok(None));
        }
        let everywhere = || {
            let hosts = resolve(host, 0).addresses();
            let at =
                |port: &u16| hosts.iter().map(|host| SocketAddr::new(host.ip(), *port)).collect::<Vec<_>>();
            Ok(ports.iter().flat_map(at).collect())
        };
        let name =
            format!("{host}, which {launcher} has named (ports {} and {} others)", ports[0], ports.len() - 1);
        self.find(&mut KnownPlace::of_rank_0(&key, name, everywhere))
    }
}

/// Listens at the first of these ports that is free.
fn listen_at_first(host: &str, ports: &[u16]) -> Result<Vec<Listener>> {
    let mut last = io::Error::from(io::ErrorKind::AddrInUse);
    for port in ports {
        match listen_at(host, *port) {
            Ok(listeners) => return Ok(listeners),
            Err(error) => last = error,
        }
    }
    Err(Error::system(format!("rank 0 found none of {} ports free at {host}", ports.len()), last))
}

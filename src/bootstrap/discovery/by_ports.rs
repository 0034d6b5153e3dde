//! Discovery at one of several ports of a host, which every rank computes.

use std::io;
use std::net::SocketAddr;

use super::meeting::{Discovery, KeyAndStore};
use super::ports::candidate_ports;
use crate::base::{Error, Result};
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::store::served::listen_at;
use crate::bootstrap::store::tcp::client::Client;
use crate::sys::resolve::resolve;

impl Discovery<'_> {
    /// Finds rank 0 at one of several ports of `host` that follow from `launcher`, `taken` and `job`. Another
    /// program owns the port `taken`.
    pub fn by_ports(&self, launcher: &str, host: &str, taken: u16, job: &str) -> Result<KeyAndStore> {
        let derived = || JobKey::derived(launcher, &[host.as_bytes(), &taken.to_le_bytes(), job.as_bytes()]);
        let key = self.key_or(derived);
        let ports = candidate_ports(host, taken, job);
        if self.seat.rank == 0 {
            let mut last = io::Error::from(io::ErrorKind::AddrInUse);
            for port in &ports {
                match listen_at(host, *port) {
                    Ok(listeners) => {
                        let store = self.serve(&key, listeners, |_| Ok(None))?;
                        return Ok((key, Box::new(store)));
                    }
                    Err(error) => last = error,
                }
            }
            let what = format!("rank 0 found none of {} ports free at {host}", ports.len());
            return Err(Error::system(what, last));
        }
        let everywhere = || {
            let hosts = resolve(host, 0).addresses();
            let at =
                |port: &u16| hosts.iter().map(|host| SocketAddr::new(host.ip(), *port)).collect::<Vec<_>>();
            ports.iter().flat_map(at).collect()
        };
        let what =
            format!("{host}, which {launcher} has named (ports {} and {} others)", ports[0], ports.len() - 1);
        let client = Client::join(&self.applicant(&key), everywhere, &what, self.deadline)?;
        Ok((key, Box::new(client)))
    }
}

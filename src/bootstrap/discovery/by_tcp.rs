//! Discovery at a host and a port that every rank was told.

use std::io;
use std::net::{IpAddr, SocketAddr};

use super::listeners::listen_when_free;
use super::meeting::{Discovery, KeyAndStore};
use crate::base::{Error, Result};
use crate::bootstrap::auth::absence::Absence;
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::store::known_place::KnownPlace;
use crate::log_line;
use crate::sys::listener::Listener;
use crate::sys::resolve::{Resolved, resolve};

/// The key of a store that is known only by host and port. It is not a secret: see
/// docs/adr/0003-bootstrap-authentication.md.
pub(super) fn derived_key(host: &str, port: u16) -> JobKey {
    JobKey::derived("tcp", &[host.to_ascii_lowercase().as_bytes(), &port.to_le_bytes()])
}

impl Discovery<'_> {
    /// Finds the store at `host`, `port`. `served`: another process serves the store, not rank 0.
    pub fn by_tcp(&self, host: &str, port: u16, served: bool) -> Result<KeyAndStore> {
        let key = self.key_or(|| derived_key(host, port));
        if self.seat.rank != 0 || served {
            return self.find_at(key, host, port, served);
        }
        let cannot_serve = |why: &str| format!("rank 0 cannot serve the store at {host}:{port}{why}");
        let listeners = listen_when_free(host, port, self.deadline).map_err(|e| {
            let hint = if e.kind() == io::ErrorKind::AddrInUse {
                "; choose another port, or add ?served=1 if the store is served by somebody else"
            } else {
                ""
            };
            Error::system(cannot_serve(hint), e)
        })?;
        // Listens before it resolves: the others may be connecting while the resolver takes its time.
        is_own_host(host).map_err(|why| Error::Bootstrap(cannot_serve(&format!(": {why}"))))?;
        self.serve(key, listeners, |_| Ok(None))
    }

    fn find_at(&self, key: JobKey, host: &str, port: u16, served: bool) -> Result<KeyAndStore> {
        let server = if served { "the launcher, or whoever serves it," } else { "rank 0" };
        let addresses = Box::new(|| match resolve(host, port) {
            Resolved::Addresses(addresses) => Ok(addresses),
            Resolved::Unknown(why) => Err(Absence::NoSuchName(why)),
            Resolved::NotNow(why) => Err(Absence::Unresolved(why)),
        });
        self.find(&mut KnownPlace { key, name: format!("{host}:{port}"), server, is_only: true, addresses })
    }
}

/// The reason why rank 0 cannot serve where the others look for it, if the address is not this host's. A name
/// that cannot be resolved now is logged and believed.
fn is_own_host(host: &str) -> std::result::Result<(), String> {
    match resolve(host, 0) {
        Resolved::Addresses(addresses) if addresses.iter().any(|at| is_own(at.ip())) => Ok(()),
        Resolved::Addresses(addresses) => {
            let mut addresses: Vec<String> = addresses.iter().map(|at| at.ip().to_string()).collect();
            addresses.dedup();
            let own = crate::sys::host::host_name();
            Err(format!(
                "{} is no address of this host ({own}). Start rank 0 on {host}, or name this host in ANYCCL_STORE on all \
                 ranks. Behind a gateway, give rank 0 tcp://0.0.0.0:PORT, and all ranks the same ANYCCL_JOB_KEY",
                addresses.join(", ")
            ))
        }
        Resolved::Unknown(why) => {
            Err(format!("the name {host} does not resolve: {why}. Is ANYCCL_STORE right?"))
        }
        Resolved::NotNow(why) => {
            log_line!(Warn, "rank 0: cannot tell whether {host} is this host, and goes on: {why}");
            Ok(())
        }
    }
}

/// Whether this host has the address. An error other than "no such address" counts as yes.
fn is_own(ip: IpAddr) -> bool {
    Listener::tcp(SocketAddr::new(ip, 0))
        .err()
        .is_none_or(|error| !matches!(error.raw_os_error(), Some(libc::EADDRNOTAVAIL | libc::EAFNOSUPPORT)))
}

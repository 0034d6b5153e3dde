//! At a host and a port that everybody was told.

use std::io;

use super::{Meeting, Met, listen_when_free};
use crate::base::{Error, Result};
use crate::bootstrap::JobKey;
use crate::bootstrap::served_store::resolve;

/// The key of a store that is known by name only. Not a secret: see the ADR.
pub(super) fn derived_key(host: &str, port: u16) -> JobKey {
    JobKey::derived("tcp", &[host.to_ascii_lowercase().as_bytes(), &port.to_le_bytes()])
}

impl Meeting<'_> {
    /// At `host`, `port`. `served`: somebody else serves the store, not rank 0.
    pub fn by_tcp(&self, host: &str, port: u16, served: bool) -> Result<Met> {
        let key = self.key_or(|| derived_key(host, port));
        if self.seat.rank != 0 || served {
            let whose = if served { "" } else { ", where rank 0 would" };
            let client = self.join(&key, || resolve(host, port), &format!("{host}:{port}{whose}"))?;
            return Ok((key, Box::new(client)));
        }
        let listeners = listen_when_free(host, port, self.deadline).map_err(|e| {
            let hint = if e.kind() == io::ErrorKind::AddrInUse {
                "; choose another port, or add ?served=1 if the store is served by somebody else"
            } else {
                ""
            };
            Error::system(format!("rank 0 cannot serve ANYCCL_STORE at {host}:{port}{hint}"), e)
        })?;
        let store = self.serve(&key, listeners, |_| Ok(None))?;
        Ok((key, Box::new(store)))
    }
}

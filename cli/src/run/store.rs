//! The store in which the ranks find each other, served by the launcher.
//!
//! Served here and not by rank 0, so that a rank 0 that never comes is noticed like any other.

use std::net::{Ipv4Addr, SocketAddr};

use anyccl_engine::base::Result;
use anyccl_engine::bootstrap::JobKey;
use anyccl_engine::bootstrap::tcp_store::Server;

/// A store that is served until this is dropped.
pub struct Store {
    server: Server,
}

impl Store {
    /// What the ranks get as `ANYCCL_STORE`.
    pub fn address(&self) -> String {
        format!("tcp://{}?served=1", self.server.address())
    }
}

/// Serves the store of a job of `ranks` ranks that know `key`, on this host only.
pub fn serve(key: &[u8; 32], ranks: u32) -> Result<Store> {
    let at = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    Ok(Store { server: Server::start(at, &JobKey(*key), ranks)? })
}

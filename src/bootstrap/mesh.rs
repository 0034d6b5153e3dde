//! Authenticated sockets between every pair of ranks.

use std::time::Instant;

use crate::base::Result;
use crate::bootstrap::Job;
use crate::config::Config;
use crate::sys::socket::Socket;

/// What each rank tells about itself.
#[derive(Clone, Debug)]
pub struct PeerInfo {
    /// Host name, for messages only.
    pub host_name: String,
    /// Host identity: `ANYCCL_HOST_ID`, else the kernel's boot id.
    pub host_id: String,
    /// Process id on its host.
    pub pid: u32,
}

/// The sockets to one peer.
pub struct Peer {
    /// Failure notices, doorbells, descriptor passing. Unix when the peer is on this host (same
    /// `host_id`, and its abstract socket could be reached), else TCP.
    pub control: Socket,
    /// TCP connection for data; present exactly when shared memory is not to be used with this peer.
    pub data: Option<Socket>,
}

/// All sockets of one rank.
pub struct Mesh {
    /// One record per rank, this one's included.
    pub infos: Vec<PeerInfo>,
    /// The sockets to each rank; `None` at this rank's own place.
    pub peers: Vec<Option<Peer>>,
    /// The `settings` that rank 0 passed in.
    pub root_settings: Vec<u8>,
}

/// Connects this rank with all others. `settings` is a blob of which everybody gets rank 0's.
pub fn connect(_job: &mut Job, _config: &Config, _settings: &[u8], _deadline: Instant) -> Result<Mesh> {
    todo!()
}

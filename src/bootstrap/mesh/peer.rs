//! The sockets to one peer.

use crate::sys::socket::Socket;
use crate::transport::control::ControlChannel;

/// The sockets to one peer.
pub struct Peer {
    /// Socket for failure notices, doorbells and descriptor passing. It is a Unix socket when the peer is on
    /// this host (same `host_id`, and its abstract socket could be reached), else TCP.
    pub control: Socket,
    /// TCP connections for data: none when the pair uses shared memory. The first carries all that the
    /// others, the lanes, do not.
    pub data: Vec<Socket>,
}

impl Peer {
    /// Splits the peers into their control channels and data sockets, by rank.
    pub fn apart(peers: Vec<Option<Peer>>) -> (Vec<Option<ControlChannel>>, Vec<Vec<Socket>>) {
        let halves = |peer: Peer| (Some(ControlChannel::new(peer.control)), peer.data);
        peers.into_iter().map(|peer| peer.map_or((None, Vec::new()), halves)).unzip()
    }
}

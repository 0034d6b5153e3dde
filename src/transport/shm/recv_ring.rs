//! The ring that the peer fills, and the fragment at its head.

use super::protocol::Consumer;
use super::ring::Ring;
use crate::transport::Header;

/// This side's state of that ring.
pub(super) struct RecvRing {
    pub ring: Ring,
    pub consumer: Consumer,
    /// The fragment at the head. `None`: the head has not been read.
    pub head: Option<Fragment>,
    /// Number of the bounce buffer that holds it. `None`: it is elsewhere.
    pub head_buffer: Option<u16>,
}

/// A fragment that has arrived.
#[derive(Clone, Copy)]
pub(super) struct Fragment {
    pub header: Header,
    pub source: FragmentSource,
    pub bytes: usize,
    pub consumed: usize,
}

/// Where the bytes of a fragment are.
#[derive(Clone, Copy)]
pub(super) enum FragmentSource {
    /// In the shared memory of the pair: in the control line or in a bounce buffer.
    Bounce(*const u8),
    /// At this address of the peer's process, from which `process_vm_readv` copies it.
    PeerMemory(u64),
    /// In the peer's arena, which is mapped here.
    ZeroCopy(*const u8),
}

impl RecvRing {
    pub fn new(ring: Ring, slots: usize, lead: usize) -> RecvRing {
        RecvRing { ring, consumer: Consumer::new(slots, lead), head: None, head_buffer: None }
    }
}

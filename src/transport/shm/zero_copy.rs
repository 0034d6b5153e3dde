//! Zero copies: the receiver reads messages in memory of `anyccl_mem_alloc` in place.
//!
//! The sender exposes a message (`exposure`): instead of the bytes, it writes the offset of the message in
//! its arena and the length into a control line. The receiver has the arena mapped, and reads or reduces the
//! message in place.
//!
//! Each side passes the descriptor of its arena when it opens its end of the link. So this works even where
//! reading another process's memory is forbidden.

use std::io;

use super::peer_arena::PeerArena;
use crate::memory::Arena;
use crate::transport::{FRAGMENT_GRAIN, garbage};

/// Shortest message that goes by zero copy. For a shorter one, waiting for the receiver costs more than the
/// copy.
pub const ZERO_COPY_BYTES: usize = 8 << 10;
/// Bytes of an exposed message that one arrival shows, so that other links get a turn in between.
pub(super) const PIECE_BYTES: usize = 256 << 10;
/// Longest message that is copied when it is sent back from where it was received.
const ECHO_BYTES: usize = 4 << 20;

const _: () = assert!(PIECE_BYTES.is_multiple_of(FRAGMENT_GRAIN));

/// The arenas of both sides, and which parts of them were used last.
#[derive(Default)]
pub(super) struct ZeroCopy {
    own: Option<&'static Arena>,
    pub peer: PeerArena,
    /// Memory of this side that the peer read last.
    pub exposed: Range,
    /// Memory in which this side received last, if it has not been sent from since.
    pub received: Range,
}

/// Address of the first byte, and length in bytes.
type Range = (usize, usize);

pub(super) fn overlap(a: Range, b: Range) -> bool {
    a.0 < b.0 + b.1 && b.0 < a.0 + a.1
}

impl ZeroCopy {
    /// Zero copies out of the peer's arena, once it is known, and out of that of this process. Without the
    /// latter, which takes a descriptor, only the peer's messages are read in place.
    pub fn with_peer(peer: PeerArena) -> ZeroCopy {
        ZeroCopy { own: Arena::of_this_process().ok(), peer, ..ZeroCopy::default() }
    }

    #[cfg(any(test, feature = "fuzzing"))]
    pub fn new(own: &'static Arena, peer: crate::memory::Window) -> ZeroCopy {
        ZeroCopy { own: Some(own), peer: PeerArena::Known(peer), ..ZeroCopy::default() }
    }

    #[inline]
    pub fn offset_of(&self, data: *const u8, bytes: usize) -> Option<usize> {
        self.own?.offset_of(data, bytes)
    }

    /// The bytes that the peer exposes. Pointers from earlier calls are invalid afterwards.
    pub fn map(&mut self, offset: u64, bytes: u64) -> io::Result<*const u8> {
        let window = self.peer.window().ok_or_else(|| garbage("a zero copy from nowhere"))?;
        window.at(offset, bytes)
    }

    /// Whether a message is sent back from the memory in which it was received. With a zero copy, the peer
    /// would have to get its cache lines back for the next message, so a copy through bounce buffers costs
    /// less.
    pub fn is_echo(&self, data: *const u8, bytes: usize) -> bool {
        bytes <= ECHO_BYTES && overlap(self.received, (data.addr(), bytes))
    }

    /// Notes that the last `bytes` bytes of a message were sent by a copy. If nothing is received there
    /// before the next message is sent, that one is no echo.
    #[inline]
    pub fn note_copied(&mut self, data: *const u8, bytes: usize) {
        if overlap(self.received, (data.addr(), bytes)) {
            self.received = Range::default();
        }
    }
}

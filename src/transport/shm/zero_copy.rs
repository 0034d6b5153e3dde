//! Messages that are not copied at all: those in memory of `anyccl_mem_alloc`.
//!
//! Instead of its bytes, the sender puts a *loan* into a control line: where in its arena the message is, and how long.
//! The receiver has the arena mapped and reads, or reduces, the message where it is. What it has read it counts
//! in the same word as the bytes of an offer (`single_copy`), and the same rule holds: a loan buffers nothing.
//!
//! Both sides pass their arena's descriptor when they connect, so this works where reading another process's memory
//! is forbidden.

use std::io;

use crate::memory::{Arena, Window};
use crate::transport::{FRAGMENT_GRAIN, garbage};

/// Messages from this size on are lent. Below, waiting for the receiver costs more than the copy.
pub(super) const LOAN_BYTES: usize = 8 << 10;
/// What is shown of a loan at once: other links get their turn in between.
pub(super) const PIECE_BYTES: usize = 256 << 10;

const _: () = assert!(PIECE_BYTES.is_multiple_of(FRAGMENT_GRAIN));

/// Memory that can be lent: ours and the peer's.
#[derive(Default)]
pub(super) struct Arenas {
    own: Option<&'static Arena>,
    peer: Option<Window>,
}

impl Arenas {
    pub fn new(own: &'static Arena, peer: Window) -> Arenas {
        Arenas { own: Some(own), peer: Some(peer) }
    }

    /// Where in our arena the bytes are, if they can be lent; `can_map` says whether the peer has mapped it.
    #[inline]
    pub fn lendable(&self, data: *const u8, bytes: usize, can_map: impl FnOnce() -> bool) -> Option<usize> {
        self.own?.offset_of(data, bytes).filter(|_| can_map())
    }

    /// The bytes that the peer lends. Pointers from earlier calls are no longer valid.
    pub fn borrow(&mut self, offset: u64, bytes: u64) -> io::Result<*const u8> {
        let window = self.peer.as_mut().ok_or_else(|| garbage("a loan from nowhere"))?;
        window.at(offset, bytes)
    }
}

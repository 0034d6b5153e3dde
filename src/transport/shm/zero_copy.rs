//! Messages that are not copied on their way: those in memory of `anyccl_mem_alloc`.
//!
//! Instead of its bytes, the sender puts a *loan* into a control line: where in its arena the message is, and how long.
//! The receiver has the arena mapped and reads, or reduces, the message where it is. What it has read it counts
//! in the same word as the bytes of an offer (`cma`), and the same rule holds: a loan buffers nothing.
//!
//! Both sides pass their arena's descriptor when they connect, so this works where reading another process's memory
//! is forbidden.

use std::io;

use super::cma;
use super::layout;
use super::protocol::Ordering;
use super::{Header, Link, ShmLink};
use crate::memory::{Arena, Window};
use crate::sys::memory_copy::copy_from_shared;
use crate::transport::{FRAGMENT_GRAIN, garbage};

/// Messages from this size on are lent. Below, waiting for the receiver costs more than the copy.
pub const ZERO_COPY_BYTES: usize = 8 << 10;
/// What is shown of a loan at once: other links get their turn in between.
pub(super) const PIECE_BYTES: usize = 256 << 10;

/// Longest message that goes back through slots.
const GOES_BACK_BYTES: usize = 4 << 20;

const _: () = assert!(PIECE_BYTES.is_multiple_of(FRAGMENT_GRAIN));

/// Memory that can be lent: ours and the peer's.
#[derive(Default)]
pub(super) struct Arenas {
    own: Option<&'static Arena>,
    peer: Option<Window>,
    /// What the peer read last of our memory.
    lent: Range,
    /// Where was received last, if it has not been sent since.
    pub received: Range,
}

/// Address of the first byte, and length.
type Range = (usize, usize);

fn overlap(a: Range, b: Range) -> bool {
    a.0 < b.0 + b.1 && b.0 < a.0 + a.1
}

impl Arenas {
    pub fn new(own: &'static Arena, peer: Window) -> Arenas {
        Arenas { own: Some(own), peer: Some(peer), ..Arenas::default() }
    }

    #[inline]
    fn offset_of(&self, data: *const u8, bytes: usize) -> Option<usize> {
        self.own?.offset_of(data, bytes)
    }

    /// The bytes that the peer lends. Pointers from earlier calls are no longer valid.
    pub fn borrow(&mut self, offset: u64, bytes: u64) -> io::Result<*const u8> {
        let window = self.peer.as_mut().ok_or_else(|| garbage("a loan from nowhere"))?;
        window.at(offset, bytes)
    }
}

impl ShmLink {
    /// From now on memory can be lent: ours, of which the peer knows, and the peer's.
    pub(super) fn share(&mut self, arenas: Arenas) {
        self.arenas = arenas;
        self.word32(layout::can_map(self.side)).store(1, Ordering::Release);
    }

    /// Whether a message would be lent without a copy.
    #[inline]
    pub fn lends(&self, data: *const u8, bytes: usize) -> bool {
        self.offer.is_none() && self.lendable(data, bytes).is_some()
    }

    /// Where in our arena a message is, if the peer can read it there.
    #[inline]
    pub(super) fn lendable(&self, data: *const u8, bytes: usize) -> Option<usize> {
        let can_map = || self.word32(layout::can_map(1 - self.side)).load(Ordering::Acquire) == 1;
        self.arenas.offset_of(data, bytes).filter(|_| can_map() && !self.goes_back(data, bytes))
    }

    /// Whether a message goes back to where it came from, in the memory in which it came. The peer would have to take
    /// its lines back for the next one: copies through slots cost less.
    fn goes_back(&self, data: *const u8, bytes: usize) -> bool {
        bytes <= GOES_BACK_BYTES && overlap(self.arenas.received, (data.addr(), bytes))
    }

    /// The last `bytes` of a message leave through a slot. If nothing is received there before the next message leaves, that
    /// one does not go back.
    #[inline]
    pub(super) fn leaves(&mut self, data: *const u8, bytes: usize) {
        if overlap(self.arenas.received, (data.addr(), bytes)) {
            self.arenas.received = Range::default();
        }
    }

    /// Puts a loan into the slot at `line`, which is free, and hands it over.
    pub(super) fn lend(
        &mut self,
        line: usize,
        header: &Header,
        data: *const u8,
        bytes: usize,
        offset: usize,
    ) {
        let [offset, length] = cma::encode(offset as u64, bytes);
        self.word64(line + 32).store(offset, Ordering::Relaxed);
        self.word64(line + 40).store(length, Ordering::Relaxed);
        self.begin_offer(header, bytes);
        self.arenas.lent = (data.addr(), bytes);
        self.publish_word(line, header, layout::LOAN, false);
    }

    /// [`Link::take`] where the head is a loan.
    ///
    /// # Safety
    /// As `take`.
    pub(super) unsafe fn take_lent(
        &mut self,
        dst: *mut u8,
        bytes: usize,
        streamed: bool,
    ) -> io::Result<usize> {
        let arrival = self.arrival()?;
        let n = bytes.min(arrival.bytes);
        // Lines that a far peer has read are slow to take back. Whole pieces are copied in a way that does not
        // (by the C library), others had better go round them.
        let taken_back =
            n < PIECE_BYTES && self.distance.is_far() && overlap(self.arenas.lent, (dst.addr(), n));
        let streaming = streamed || taken_back;
        // SAFETY: the window has checked the loan against its mapping, which stays until the next one is borrowed;
        // the caller vouches for `dst`. The peer filled the memory before the turn that `head` has seen
        // (Acquire); if it still writes there, it can only spoil the bytes.
        unsafe { copy_from_shared(dst, arrival.data, n, streaming) };
        self.consume(n)?;
        Ok(n)
    }
}

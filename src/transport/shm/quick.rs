//! Small messages without detours: what [`Link`] does in five calls, in one or two, for whole messages that
//! fit into one slot.

use std::sync::atomic::Ordering;

use super::layout::{self, Extent, INLINE_BYTES, SLOT_BYTES};
use super::{AtomicU64, Header, Lending, Link, ShmLink};

/// What lies at the head of the ring.
pub enum Peek {
    /// Nothing yet.
    Nothing,
    /// The whole message that was asked for. It may be memory that a hostile peer still writes: read each byte
    /// once, form no reference.
    Here(*const u8),
    /// Something else: another call, another length, an offer, or a head that is half consumed.
    Unusual,
}

impl ShmLink {
    /// Sends a whole message; whether there was room.
    ///
    /// # Safety
    /// `data` is readable for `bytes` bytes, at most `SLOT_BYTES`.
    #[inline]
    pub unsafe fn post(&mut self, header: &Header, data: *const u8, bytes: usize) -> bool {
        debug_assert!(bytes <= SLOT_BYTES);
        // An error shows again where it is treated: the next use of the link the long way.
        // SAFETY: passed on from our caller.
        matches!(unsafe { self.send(header, data, bytes, Lending::Never) }, Ok(Some(_)))
    }

    /// Looks for a message of `bytes` bytes at the head of the ring.
    #[inline]
    pub fn peek(&mut self, header: &Header, bytes: usize) -> Peek {
        let slot = self.consumer.slot();
        let ring = self.ring(1 - self.side);
        let line = ring + layout::line(slot);
        if !self.consumer.is_filled(self.word32(line)) {
            return Peek::Nothing;
        }
        let extent = Extent::decode(self.word32(line + 4).load(Ordering::Relaxed));
        let Some(Extent { start, .. }) = extent.filter(|extent| extent.bytes == bytes) else {
            return Peek::Unusual;
        };
        let is_mine = self.word32(line + 8).load(Ordering::Relaxed) == header.context
            && self.word32(line + 12).load(Ordering::Relaxed) == header.sequence
            && self.word64(line + 16).load(Ordering::Relaxed) == header.call[0]
            && self.word64(line + 24).load(Ordering::Relaxed) == header.call[1];
        if !is_mine || self.head.is_some() || !self.has_probed {
            return Peek::Unusual;
        }
        Peek::Here(self.at(if bytes <= INLINE_BYTES { line + 32 } else { ring + layout::data(slot) + start }))
    }

    /// Drops the message that `peek` has found.
    #[inline]
    pub fn release(&mut self) {
        let ring = self.ring(1 - self.side);
        // SAFETY: as in `word64`; written out so that the borrow does not tie up `self.consumer`.
        let consumed = unsafe { AtomicU64::from_ptr(self.at(ring).cast()) };
        self.consumer.release(consumed);
        self.bell_due = true;
    }
}

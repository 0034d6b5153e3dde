//! The control line of a slot: a fragment's header, and its payload or where that is.
//!
//! Whatever is read here was written by the peer: each word is copied once, and checked by whoever uses it.

use std::mem::offset_of;

use super::protocol::{AtomicU32, AtomicU64, Ordering};
use crate::transport::{CANCELLED, Header};

/// Bytes of a bounce buffer, and of the largest fragment.
pub const FRAGMENT_BYTES: usize = 32 << 10;
/// Largest fragment of a message that is cut into half fragments.
pub const HALF_FRAGMENT_BYTES: usize = FRAGMENT_BYTES / 2;
/// Largest payload inside the control line.
pub const INLINE_BYTES: usize = 32;

/// A slot's control line: one fragment, or where it is.
#[repr(C)]
pub struct ControlLine {
    /// The lap in which the slot was filled last. All other words are the reader's once it is stored.
    pub turn: AtomicU32,
    extent: AtomicU32,
    context: AtomicU32,
    sequence: AtomicU32,
    call: [AtomicU64; 2],
    payload: [AtomicU64; INLINE_BYTES / size_of::<u64>()],
}

const _: () = assert!(offset_of!(ControlLine, call) == 16 && offset_of!(ControlLine, payload) == 32);

/// What a control line says of the payload, as the peer wrote it: copied once, not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The payload lies in the control line or in a bounce buffer.
    Copied(Extent),
    /// The payload lies in the sender's memory, and the kernel can copy it.
    PeerMemory,
    /// The payload lies in the sender's arena, which the receiver has mapped.
    ZeroCopy,
}

/// Length of a payload and the bounce buffer in which it lies, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// At most [`FRAGMENT_BYTES`].
    pub bytes: usize,
    /// Number of the bounce buffer; 0 for a payload inside the control line.
    pub buffer: u16,
}

/// In place of an extent: the line holds where in the sender's memory the message is.
const PEER_MEMORY: u32 = u32::MAX;
/// In place of an extent: the line holds where in the sender's arena the message is.
const ZERO_COPY: u32 = u32::MAX - 1;
/// Bits of an extent below the number of its buffer.
const BUFFER_SHIFT: u32 = 17;

impl Content {
    /// `None`: a peer wrote what does not fit.
    #[inline]
    const fn decode(word: u32) -> Option<Content> {
        match word {
            PEER_MEMORY => Some(Content::PeerMemory),
            ZERO_COPY => Some(Content::ZeroCopy),
            _ => match Extent::decode(word) {
                Some(extent) => Some(Content::Copied(extent)),
                None => None,
            },
        }
    }

    #[inline]
    const fn encode(self) -> u32 {
        match self {
            Content::Copied(extent) => extent.encode(),
            Content::PeerMemory => PEER_MEMORY,
            Content::ZeroCopy => ZERO_COPY,
        }
    }
}

impl Extent {
    #[inline]
    const fn encode(self) -> u32 {
        self.bytes as u32 | (self.buffer as u32) << BUFFER_SHIFT
    }

    /// `None`: longer than a fragment, like the marks of other contents.
    #[inline]
    const fn decode(word: u32) -> Option<Extent> {
        let bytes = (word & ((1 << BUFFER_SHIFT) - 1)) as usize;
        let buffer = (word >> BUFFER_SHIFT) as u16;
        if bytes <= FRAGMENT_BYTES { Some(Extent { bytes, buffer }) } else { None }
    }
}

impl ControlLine {
    /// The header of the fragment.
    #[inline]
    pub fn header(&self) -> Header {
        Header {
            context: self.context.load(Ordering::Relaxed),
            sequence: self.sequence.load(Ordering::Relaxed),
            call: [self.call[0].load(Ordering::Relaxed), self.call[1].load(Ordering::Relaxed)],
        }
    }

    /// Whether the header is this one.
    #[inline]
    pub fn has_header(&self, header: &Header) -> bool {
        self.context.load(Ordering::Relaxed) == header.context
            && self.sequence.load(Ordering::Relaxed) == header.sequence
            && self.call[0].load(Ordering::Relaxed) == header.call[0]
            && self.call[1].load(Ordering::Relaxed) == header.call[1]
    }

    /// What the line says of the payload. `None`: nothing that a correct peer writes.
    #[inline]
    pub fn content(&self) -> Option<Content> {
        Content::decode(self.extent.load(Ordering::Relaxed))
    }

    /// The extent of a payload that was copied; `None` for any other content.
    #[inline]
    pub fn extent(&self) -> Option<Extent> {
        Extent::decode(self.extent.load(Ordering::Relaxed))
    }

    /// Start of a payload inside the line.
    #[inline]
    pub fn inline_payload(&self) -> *mut u8 {
        self.payload.as_ptr().cast_mut().cast()
    }

    /// Number of slots that the sender of a bounce buffer has consumed of the other ring.
    #[inline]
    pub fn other_consumed(&self) -> u64 {
        self.payload[0].load(Ordering::Relaxed)
    }

    /// Bytes of the message from this fragment on, in a line with a bounce buffer and at least
    /// [`HALF_FRAGMENT_BYTES`].
    pub fn message_bytes(&self) -> usize {
        self.payload[1].load(Ordering::Relaxed) as usize
    }

    /// Where an exposed message is, and its length.
    pub fn location(&self) -> (u64, u64) {
        (self.payload[0].load(Ordering::Relaxed), self.payload[1].load(Ordering::Relaxed))
    }

    /// Writes the header and the content; the payload is written apart.
    #[inline]
    pub fn write(&self, header: &Header, content: Content) {
        self.extent.store(content.encode(), Ordering::Relaxed);
        self.context.store(header.context, Ordering::Relaxed);
        self.sequence.store(header.sequence, Ordering::Relaxed);
        self.call[0].store(header.call[0], Ordering::Relaxed);
        self.call[1].store(header.call[1], Ordering::Relaxed);
    }

    /// Writes what [`ControlLine::other_consumed`] gives.
    #[inline]
    pub fn write_other_consumed(&self, consumed: u64) {
        self.payload[0].store(consumed, Ordering::Relaxed);
    }

    /// Writes what [`ControlLine::message_bytes`] gives.
    #[inline]
    pub fn write_message_bytes(&self, bytes: usize) {
        self.payload[1].store(bytes as u64, Ordering::Relaxed);
    }

    /// Writes what [`ControlLine::location`] gives.
    pub fn write_location(&self, start: u64, bytes: usize) {
        self.payload[0].store(start, Ordering::Relaxed);
        self.payload[1].store(bytes as u64, Ordering::Relaxed);
    }

    /// Marks a fragment of this call as cancelled. A receiver that is reading it now was in time.
    pub fn cancel(&self, header: &Header) {
        let is_of_call = self.context.load(Ordering::Relaxed) == header.context
            && self.sequence.load(Ordering::Relaxed) == header.sequence;
        if is_of_call {
            self.context.store(header.context | CANCELLED, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extent_survives_and_one_longer_than_a_buffer_is_found_out() {
        for bytes in [0, 33, 100, FRAGMENT_BYTES - 1, FRAGMENT_BYTES] {
            for buffer in [0, 1, 127, 128] {
                let extent = Extent { bytes, buffer };
                assert_eq!(Extent::decode(extent.encode()), Some(extent));
                assert_eq!(Content::decode(extent.encode()), Some(Content::Copied(extent)));
            }
        }
        assert_eq!(Extent::decode(Extent { bytes: FRAGMENT_BYTES + 1, buffer: 0 }.encode()), None);
        for content in [Content::PeerMemory, Content::ZeroCopy] {
            assert_eq!(Content::decode(content.encode()), Some(content));
            assert_eq!(Extent::decode(content.encode()), None);
        }
    }
}

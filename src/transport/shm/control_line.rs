//! The control line of a slot: the header of a fragment, and its payload or the place of its payload.
//!
//! The peer wrote everything that is read here. Each word is copied once, and its user checks it.

use std::mem::offset_of;

use super::protocol::{AtomicU32, AtomicU64, Ordering};
use crate::transport::{CANCELLED, Header};

/// Bytes of a bounce buffer, and of the largest fragment.
pub const FRAGMENT_BYTES: usize = 32 << 10;
/// Largest fragment of a message that is cut into half fragments.
pub const HALF_FRAGMENT_BYTES: usize = FRAGMENT_BYTES / 2;
/// Largest payload inside the control line.
pub const INLINE_BYTES: usize = 32;

/// The control line of a slot. It holds one fragment, or says where the fragment is.
#[repr(C)]
pub struct ControlLine {
    /// The lap in which the slot was last filled. Storing it hands all other words to the reader.
    pub turn: AtomicU32,
    extent: AtomicU32,
    context: AtomicU32,
    sequence: AtomicU32,
    call: [AtomicU64; 2],
    payload: [AtomicU64; INLINE_BYTES / size_of::<u64>()],
}

const _: () = assert!(offset_of!(ControlLine, call) == 16 && offset_of!(ControlLine, payload) == 32);

/// What a control line says of its payload: one copy of what the peer wrote, unchecked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The payload lies in the control line or in a bounce buffer.
    Copied(Extent),
    /// The payload lies in the sender's memory, and the kernel can copy it.
    PeerMemory,
    /// The payload lies in the sender's arena, which the receiver has mapped.
    ZeroCopy,
}

/// The length of a payload and its bounce buffer, packed into one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// At most [`FRAGMENT_BYTES`].
    pub bytes: usize,
    /// Number of the bounce buffer; 0 for a payload inside the control line.
    pub buffer: u16,
}

/// A [`Content`] as it stands in a control line.
///
/// It is one word, so that it stays in a register. An [`Extent`] that goes through the stack is written in
/// parts and read whole, and such a load waits until every earlier store has reached the cache.
#[derive(Clone, Copy)]
pub struct ContentWord(u32);

impl From<Content> for ContentWord {
    #[inline(always)]
    fn from(content: Content) -> ContentWord {
        ContentWord(content.encode())
    }
}

/// Stands in place of an extent: the line tells where in the sender's memory the message is.
const PEER_MEMORY: u32 = u32::MAX;
/// Stands in place of an extent: the line tells where in the sender's arena the message is.
const ZERO_COPY: u32 = u32::MAX - 1;
/// Number of low bits of an extent that hold the length; the buffer number lies above.
const BUFFER_SHIFT: u32 = 17;

impl Content {
    /// `None`: no correct peer writes this word.
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

    #[inline(always)]
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

    /// `None`: the length is over that of a fragment, as it is in the marks of other contents.
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

    /// Whether the line has this header.
    #[inline]
    pub fn has_header(&self, header: &Header) -> bool {
        self.context.load(Ordering::Relaxed) == header.context
            && self.sequence.load(Ordering::Relaxed) == header.sequence
            && self.call[0].load(Ordering::Relaxed) == header.call[0]
            && self.call[1].load(Ordering::Relaxed) == header.call[1]
    }

    /// What the line says of the payload. `None`: no correct peer writes this.
    #[inline]
    pub fn content(&self) -> Option<Content> {
        Content::decode(self.extent.load(Ordering::Relaxed))
    }

    /// The extent of a payload that was copied. `None`: the content is of another kind.
    #[inline]
    pub fn extent(&self) -> Option<Extent> {
        Extent::decode(self.extent.load(Ordering::Relaxed))
    }

    /// Start of a payload that lies inside the line.
    #[inline]
    pub fn inline_payload(&self) -> *mut u8 {
        self.payload.as_ptr().cast_mut().cast()
    }

    /// Number of slots of the other ring that the sender of a bounce buffer has consumed.
    #[inline]
    pub fn other_consumed(&self) -> u64 {
        self.payload[0].load(Ordering::Relaxed)
    }

    /// Bytes of the message from this fragment on. Valid in a line with a bounce buffer of at least
    /// [`HALF_FRAGMENT_BYTES`].
    pub fn message_bytes(&self) -> usize {
        self.payload[1].load(Ordering::Relaxed) as usize
    }

    /// The place and the length of an exposed message.
    pub fn location(&self) -> (u64, u64) {
        (self.payload[0].load(Ordering::Relaxed), self.payload[1].load(Ordering::Relaxed))
    }

    /// Writes the header and the content. The payload is written separately.
    #[inline]
    pub fn write(&self, header: &Header, content: ContentWord) {
        self.extent.store(content.0, Ordering::Relaxed);
        self.context.store(header.context, Ordering::Relaxed);
        self.sequence.store(header.sequence, Ordering::Relaxed);
        self.call[0].store(header.call[0], Ordering::Relaxed);
        self.call[1].store(header.call[1], Ordering::Relaxed);
    }

    /// Writes the word that [`ControlLine::other_consumed`] reads.
    #[inline]
    pub fn write_other_consumed(&self, consumed: u64) {
        self.payload[0].store(consumed, Ordering::Relaxed);
    }

    /// Writes the word that [`ControlLine::message_bytes`] reads.
    #[inline]
    pub fn write_message_bytes(&self, bytes: usize) {
        self.payload[1].store(bytes as u64, Ordering::Relaxed);
    }

    /// Writes the words that [`ControlLine::location`] reads.
    pub fn write_location(&self, start: u64, bytes: usize) {
        self.payload[0].store(start, Ordering::Relaxed);
        self.payload[1].store(bytes as u64, Ordering::Relaxed);
    }

    /// Marks a fragment of this call as cancelled. A receiver that is already reading it was in time.
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

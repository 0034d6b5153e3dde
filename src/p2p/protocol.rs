//! What the two sides of a message tell each other, in the 16 bytes that every fragment's header has for a call.
//!
//! ```text
//! sender                                    receiver
//! Message(whole)   ──── all bytes ────▶                   up to WINDOW_BYTES
//! Message(window)  ── WINDOW_BYTES ───▶     holds them, or has them received at once
//!                  ◀─────── Go ────────     when a receive is there
//!                  ──── the rest ─────▶
//! Message(nothing) ──── no bytes ─────▶     the sender has no credit left
//!                  ◀─────── Go ────────
//!                  ──── all bytes ────▶
//! Message(synchronous, whole) ────────▶
//!                  ◀───── Matched ─────     when a receive is there
//!                  ◀───── Credit ──────     now and then: so much of what you sent has been received
//! ```
//!
//! The number in the header is that of the message, counted from each rank to each other, in all of these.

use super::matching::Tag;
use crate::base::{Call, CallKind, Datatype};

/// So much of a message leaves before its receiver has said anything. While these bytes are on their way, the receiver's
/// word comes back: a receive that was there first costs no time. Through sockets the word is slow, and a smaller window shows
/// (512 KiB: 58 us, and 85 with 256 KiB).
pub const WINDOW_BYTES: usize = 1 << 20;

/// What comes of a message before the receiver's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// All of it.
    Eager,
    /// [`WINDOW_BYTES`]; there are more.
    EagerWindow,
    /// The announcement alone.
    Rendezvous,
}

/// What a sender says of its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// Its name.
    pub tag: Tag,
    /// Type of its elements.
    pub datatype: Datatype,
    /// How many elements.
    pub count: u64,
    /// What comes before the receiver's word.
    pub protocol: Protocol,
    /// The sender waits for the receiver's word in any case.
    pub is_synchronous: bool,
}

impl Announcement {
    /// Bytes of the whole message; `None` where no memory could hold them.
    #[inline]
    pub fn bytes(&self) -> Option<usize> {
        let bytes = usize::try_from(self.count).ok()?.checked_mul(self.datatype.bytes())?;
        (bytes <= isize::MAX as usize).then_some(bytes)
    }

    /// Bytes that come before the receiver's word, of `bytes` in all.
    #[inline]
    pub fn eager_bytes(&self, bytes: usize) -> usize {
        match self.protocol {
            Protocol::Eager => bytes,
            Protocol::EagerWindow => WINDOW_BYTES,
            Protocol::Rendezvous => 0,
        }
    }

    /// Whether the sender waits for the receiver's word.
    #[inline]
    pub fn needs_reply(&self) -> bool {
        self.is_synchronous || self.protocol != Protocol::Eager
    }
}

/// One of the things in the picture above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolMessage {
    /// A fragment of this message.
    Data(Announcement),
    /// Send the rest, but not more than so many bytes of the message in all.
    ClearToSend {
        /// As far as the receiver has room.
        limit: u64,
    },
    /// A receive has met the message.
    Matched,
    /// So much credit is given back.
    Credit {
        /// As [`super::credit::cost`] counts.
        bytes: u64,
    },
}

const CLEAR_TO_SEND: u64 = 33;
const MATCHED: u64 = 34;
const CREDIT: u64 = 35;

/// In a byte that no collective uses.
const FLAGS_SHIFT: u32 = 24;
const SYNCHRONOUS: u64 = 4;

impl ProtocolMessage {
    /// The 16 bytes that travel.
    #[inline]
    pub fn pack(self) -> [u64; 2] {
        match self {
            ProtocolMessage::Data(Announcement { tag, datatype, count, protocol, is_synchronous }) => {
                let root = tag.cast_unsigned();
                let [head, count] = Call { kind: CallKind::Transfer, datatype, op: None, root, count }.pack();
                let flags = protocol as u64 | if is_synchronous { SYNCHRONOUS } else { 0 };
                [head | flags << FLAGS_SHIFT, count]
            }
            ProtocolMessage::ClearToSend { limit } => [CLEAR_TO_SEND, limit],
            ProtocolMessage::Matched => [MATCHED, 0],
            ProtocolMessage::Credit { bytes } => [CREDIT, bytes],
        }
    }

    /// Reads what a peer packed. `None` where it means nothing: the bytes are foreign.
    #[inline]
    pub fn unpack(words: [u64; 2]) -> Option<ProtocolMessage> {
        match words[0] {
            CLEAR_TO_SEND => return Some(ProtocolMessage::ClearToSend { limit: words[1] }),
            MATCHED => return Some(ProtocolMessage::Matched),
            CREDIT => return Some(ProtocolMessage::Credit { bytes: words[1] }),
            _ => {}
        }
        let Call { kind: CallKind::Transfer, datatype, op: None, root, count } = Call::unpack(words)? else {
            return None;
        };
        let flags = words[0] >> FLAGS_SHIFT & 0xff;
        let protocol = match flags & !SYNCHRONOUS {
            0 => Protocol::Eager,
            1 => Protocol::EagerWindow,
            2 => Protocol::Rendezvous,
            _ => return None,
        };
        let is_synchronous = flags & SYNCHRONOUS != 0;
        Some(ProtocolMessage::Data(Announcement {
            tag: root.cast_signed(),
            datatype,
            count,
            protocol,
            is_synchronous,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protocol_message_survives_packing() {
        for protocol in [Protocol::Eager, Protocol::EagerWindow, Protocol::Rendezvous] {
            for (tag, is_synchronous) in [(0, false), (-1, true), (Tag::MAX, true), (Tag::MIN + 1, false)] {
                let count = u64::MAX - 7;
                let datatype = Datatype::Float64;
                let announcement =
                    ProtocolMessage::Data(Announcement { tag, datatype, count, protocol, is_synchronous });
                assert_eq!(ProtocolMessage::unpack(announcement.pack()), Some(announcement));
            }
        }
        for message in [
            ProtocolMessage::ClearToSend { limit: u64::MAX },
            ProtocolMessage::Matched,
            ProtocolMessage::Credit { bytes: 3 },
        ] {
            assert_eq!(ProtocolMessage::unpack(message.pack()), Some(message));
        }
    }

    #[test]
    fn meaningless_bytes_are_no_protocol_message() {
        let [head, count] = ProtocolMessage::Data(Announcement {
            tag: 1,
            datatype: Datatype::Byte,
            count: 1,
            protocol: Protocol::Eager,
            is_synchronous: false,
        })
        .pack();
        assert_eq!(ProtocolMessage::unpack([head | 3 << FLAGS_SHIFT, count]), None);
        assert_eq!(ProtocolMessage::unpack([head | 8 << FLAGS_SHIFT, count]), None);
        assert_eq!(ProtocolMessage::unpack([36, 0]), None);
        assert_eq!(ProtocolMessage::unpack([0, 0]), None);
    }
}

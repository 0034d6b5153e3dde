//! The protocol of messages: what the two sides tell each other, in the 16 bytes of a header that hold a
//! call.
//!
//! ```text
//! sender                                    receiver
//! Data, eager         ──── all bytes ────▶     up to WINDOW_BYTES
//! Data, eager window  ── WINDOW_BYTES ───▶     holds them, or has them received at once
//!                     ◀── ClearToSend ────     once a receive has matched
//!                     ──── the rest ─────▶
//! Data, rendezvous    ──── no bytes ─────▶     the sender has no credit left
//!                     ◀── ClearToSend ────     once a receive has matched
//!                     ──── all bytes ────▶
//! Data, eager, synchronous ──────────────▶
//!                     ◀──── Matched ──────     once a receive has matched
//! Data, reference     ── REFERENCE_BYTES ▶     the elements are where the receiver may read them itself
//!                     ◀──── Matched ──────     once it has read them
//!                     ◀── ClearToSend ────     or: once a receive has matched that cannot
//!                     ──── all bytes ────▶
//!
//!                     ◀──── Credit ───────     now and then, for messages that were received
//! ```
//!
//! In all of these, the sequence number in the header is that of the message. Messages are numbered
//! separately for each sender and receiver.

use super::matching::Tag;
use crate::base::{Call, CallKind, Datatype};

/// Bytes of a long message that are sent eagerly. While they are under way, the clear to send comes back. So
/// the handshake costs no time if the receive was posted first. Through sockets the handshake is slow, and a
/// smaller window costs time (docs/lab/constants.md).
pub const WINDOW_BYTES: usize = 1 << 20;

/// Bytes of a [`Reference`].
pub const REFERENCE_BYTES: usize = 64;

/// Says where the elements of a message are, for a receiver that can read them itself. Only the two sides
/// know what it means.
pub type Reference = [u8; REFERENCE_BYTES];

/// How much of a message is sent before the receiver replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// All bytes are sent at once.
    Eager,
    /// [`WINDOW_BYTES`] are sent at once; the rest waits for the clear to send.
    EagerWindow,
    /// Only the announcement is sent; all bytes wait for the clear to send.
    Rendezvous,
    /// A [`Reference`] is sent; bytes only if the receiver asks for them.
    Reference,
}

/// The sender's description of its message, in the header of each fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// Tag of the message.
    pub tag: Tag,
    /// Type of its elements.
    pub datatype: Datatype,
    /// Number of elements.
    pub count: u64,
    /// How much is sent before the receiver replies.
    pub protocol: Protocol,
    /// Whether the send ends only when a receive has matched the message. The sender then always waits for a
    /// reply.
    pub is_synchronous: bool,
}

impl Announcement {
    /// Bytes of the whole message. `None`: no memory could hold them.
    #[inline]
    pub fn bytes(&self) -> Option<usize> {
        let bytes = usize::try_from(self.count).ok()?.checked_mul(self.datatype.bytes())?;
        (bytes <= isize::MAX as usize).then_some(bytes)
    }

    /// Bytes of the elements that are sent before the receiver replies, of `bytes` bytes in all.
    #[inline]
    pub fn eager_bytes(&self, bytes: usize) -> usize {
        match self.protocol {
            Protocol::Eager => bytes,
            Protocol::EagerWindow => WINDOW_BYTES,
            Protocol::Rendezvous | Protocol::Reference => 0,
        }
    }

    /// Whether a [`Reference`] is sent first.
    #[inline]
    pub fn is_reference(&self) -> bool {
        self.protocol == Protocol::Reference
    }

    /// Whether the sender waits for the receiver's reply.
    #[inline]
    pub fn needs_reply(&self) -> bool {
        self.is_synchronous || self.protocol != Protocol::Eager
    }
}

/// One message of the protocol: an arrow in the picture above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolMessage {
    /// A fragment of the message with this announcement.
    Data(Announcement),
    /// Clear to send: the sender may send the rest, up to `limit` bytes of the message in all.
    ClearToSend {
        /// Bytes for which the receiver has room.
        limit: u64,
    },
    /// A receive has matched the message.
    Matched,
    /// Credit is returned.
    Credit {
        /// Amount, counted like [`super::credit::cost`].
        bytes: u64,
    },
}

const CLEAR_TO_SEND: u64 = 33;
const MATCHED: u64 = 34;
const CREDIT: u64 = 35;

/// Position of the flags, in a byte that [`Call::pack`] leaves zero.
const FLAGS_SHIFT: u32 = 24;
const SYNCHRONOUS: u64 = 4;

impl ProtocolMessage {
    /// Packs the message into the 16 bytes that travel.
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

    /// Unpacks what a peer packed. `None`: the bytes mean nothing; they are not trusted.
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
            3 => Protocol::Reference,
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
        let all = [Protocol::Eager, Protocol::EagerWindow, Protocol::Rendezvous, Protocol::Reference];
        for protocol in all {
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
        assert_eq!(ProtocolMessage::unpack([head | 16 << FLAGS_SHIFT, count]), None);
        assert_eq!(ProtocolMessage::unpack([head | 8 << FLAGS_SHIFT, count]), None);
        assert_eq!(ProtocolMessage::unpack([36, 0]), None);
        assert_eq!(ProtocolMessage::unpack([0, 0]), None);
    }
}

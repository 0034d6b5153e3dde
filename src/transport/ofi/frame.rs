//! Frames: the messages that ranks exchange over a fabric. Each has a head of 48 bytes, little endian, and is
//! sent under a tag that only the two ranks know.
//!
//! Frames with payload are numbered, and each says how many the other side's have been read. A frame without
//! payload only says that. What comes is not trusted: a frame that makes no sense ends the link.

use std::io;

use super::super::{Header, garbage};

/// Bytes of the head.
pub(super) const HEAD_BYTES: usize = 48;

const FRAGMENT: u32 = 0x414e_5946;
const CREDIT: u32 = 0x414e_5952;

/// What a frame says, apart from its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// Number of the sender's fragments, modulo 2^32, that it has been able to drop.
    pub read: u32,
    /// The fragment that the frame carries: its number and its header.
    pub fragment: Option<(u32, Header)>,
}

/// The head of a frame with so many bytes of payload.
pub(super) fn encode(frame: &Frame, payload: usize) -> [u8; HEAD_BYTES] {
    let mut bytes = [0; HEAD_BYTES];
    let magic = if frame.fragment.is_some() { FRAGMENT } else { CREDIT };
    bytes[0..4].copy_from_slice(&magic.to_le_bytes());
    bytes[4..8].copy_from_slice(&frame.read.to_le_bytes());
    bytes[8..12].copy_from_slice(&(payload as u32).to_le_bytes());
    if let Some((number, header)) = &frame.fragment {
        bytes[12..16].copy_from_slice(&number.to_le_bytes());
        bytes[16..20].copy_from_slice(&header.context.to_le_bytes());
        bytes[20..24].copy_from_slice(&header.sequence.to_le_bytes());
        bytes[24..32].copy_from_slice(&header.call[0].to_le_bytes());
        bytes[32..40].copy_from_slice(&header.call[1].to_le_bytes());
    }
    bytes
}

/// The frame whose bytes are these. Its payload is what follows the head.
pub(super) fn decode(bytes: &[u8]) -> io::Result<Frame> {
    let Some((head, payload)) = bytes.split_first_chunk::<HEAD_BYTES>() else {
        return Err(garbage("a frame without a head"));
    };
    let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| head[at + i]));
    let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| head[at + i]));
    let is_fragment = word(0) == FRAGMENT;
    let is_credit = word(0) == CREDIT && payload.is_empty();
    if !(is_fragment || is_credit) || word(8) as usize != payload.len() {
        return Err(garbage("a damaged head of a frame"));
    }
    let header = Header { context: word(16), sequence: word(20), call: [long(24), long(32)] };
    Ok(Frame { read: word(4), fragment: is_fragment.then(|| (word(12), header)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_survives_the_wire_and_no_other_length_is_taken_for_it() {
        let header = Header { context: 1, sequence: u32::MAX, call: [3 << 40, u64::MAX] };
        for (frame, payload) in [
            (Frame { read: 7, fragment: Some((u32::MAX, header)) }, 5),
            (Frame { read: 7, fragment: Some((0, header)) }, 0),
            (Frame { read: u32::MAX, fragment: None }, 0),
        ] {
            let mut bytes = encode(&frame, payload).to_vec();
            bytes.resize(HEAD_BYTES + payload, 1);
            assert_eq!(decode(&bytes).unwrap(), frame);
            bytes.push(1);
            assert!(decode(&bytes).is_err());
            assert!(decode(&bytes[..bytes.len() - 2]).is_err());
            assert!(decode(&[]).is_err());
            bytes[0] ^= 1;
            bytes.pop();
            assert_eq!(decode(&bytes).unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
    }
}

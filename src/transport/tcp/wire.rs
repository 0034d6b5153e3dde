//! The header of each fragment on a TCP connection.
//!
//! It has 32 bytes, little endian: a magic word, the number of payload bytes that follow, and the [`Header`].
//! Headers from the wire are not trusted: a wrong magic word or a too long fragment ends the connection.
//!
//! Between ranks with several connections, another magic word announces a fragment whose payload comes in
//! *stripes* over the other connections. The header of a stripe has its number in place of a call.

use std::io;

use super::super::{FRAGMENT_GRAIN, Header, garbage};

pub(super) const HEADER_BYTES: usize = 32;

/// Largest payload of one fragment. A message of another call waits behind at most one of these, and not
/// behind a whole large message. One system call offers a whole fragment, so smaller fragments are slower
/// within a host (docs/lab/constants.md).
pub(super) const FRAGMENT_BYTES: usize = 1 << 20;

/// Largest payload of one announcement.
pub(super) const STRIPED_BYTES: usize = 8 << 20;

const MAGIC: u32 = 0x414e_5943;
const ANNOUNCEMENT: u32 = 0x414e_5953;
/// Stands for a context in the header of a stripe. No context is as large.
const STRIPE: u32 = u32::MAX;

const _: () = assert!(FRAGMENT_BYTES.is_multiple_of(FRAGMENT_GRAIN));
const _: () = assert!(STRIPED_BYTES.is_multiple_of(FRAGMENT_GRAIN));

/// The header of a fragment with its payload behind it.
pub(super) fn encode(header: &Header, payload: usize) -> [u8; HEADER_BYTES] {
    encode_with(MAGIC, header, payload)
}

/// The header of a fragment whose payload comes in stripes.
pub(super) fn encode_announcement(header: &Header, payload: usize) -> [u8; HEADER_BYTES] {
    encode_with(ANNOUNCEMENT, header, payload)
}

/// The header of a stripe.
pub(super) fn encode_stripe(number: u32, payload: usize) -> [u8; HEADER_BYTES] {
    encode(&Header { context: STRIPE, sequence: number, call: [0; 2] }, payload)
}

fn encode_with(magic: u32, header: &Header, payload: usize) -> [u8; HEADER_BYTES] {
    let mut wire = [0; HEADER_BYTES];
    wire[0..4].copy_from_slice(&magic.to_le_bytes());
    wire[4..8].copy_from_slice(&(payload as u32).to_le_bytes());
    wire[8..12].copy_from_slice(&header.context.to_le_bytes());
    wire[12..16].copy_from_slice(&header.sequence.to_le_bytes());
    wire[16..24].copy_from_slice(&header.call[0].to_le_bytes());
    wire[24..32].copy_from_slice(&header.call[1].to_le_bytes());
    wire
}

/// The header, and the number of payload bytes that follow it.
pub(super) fn decode(wire: &[u8; HEADER_BYTES]) -> io::Result<(Header, usize)> {
    decode_with(MAGIC, FRAGMENT_BYTES, wire)
}

/// Whether this is the header of a fragment whose payload comes in stripes.
pub(super) fn is_announcement(wire: &[u8; HEADER_BYTES]) -> bool {
    wire[0..4] == ANNOUNCEMENT.to_le_bytes()
}

/// The header of an announcement, and the number of payload bytes that come in stripes.
pub(super) fn decode_announcement(wire: &[u8; HEADER_BYTES]) -> io::Result<(Header, usize)> {
    match decode_with(ANNOUNCEMENT, STRIPED_BYTES, wire)? {
        (_, 0) => Err(garbage("an announcement of nothing")),
        announced => Ok(announced),
    }
}

/// The number of a stripe with this header.
pub(super) fn stripe_number(header: &Header) -> io::Result<u32> {
    match header {
        Header { context: STRIPE, sequence, call: [0, 0] } => Ok(*sequence),
        _ => Err(garbage("a fragment where a stripe should be")),
    }
}

#[inline]
fn decode_with(magic: u32, most: usize, wire: &[u8; HEADER_BYTES]) -> io::Result<(Header, usize)> {
    let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| wire[at + i]));
    let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| wire[at + i]));
    let payload = word(4) as usize;
    if word(0) != magic || payload > most {
        return Err(garbage("a damaged TCP header"));
    }
    Ok((Header { context: word(8), sequence: word(12), call: [long(16), long(24)] }, payload))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_survives_the_wire() {
        let header = Header { context: 1, sequence: u32::MAX, call: [3 << 40, u64::MAX] };
        for payload in [0, 1, FRAGMENT_BYTES] {
            assert_eq!(decode(&encode(&header, payload)).unwrap(), (header, payload));
        }
    }

    #[test]
    fn announcements_and_stripes_survive_the_wire_and_are_no_fragments() {
        let header = Header { context: 1, sequence: 2, call: [3, 4] };
        for payload in [1, STRIPED_BYTES] {
            let wire = encode_announcement(&header, payload);
            assert!(is_announcement(&wire) && decode(&wire).is_err());
            assert_eq!(decode_announcement(&wire).unwrap(), (header, payload));
        }
        for payload in [0, STRIPED_BYTES + 1] {
            assert!(decode_announcement(&encode_announcement(&header, payload)).is_err());
        }
        let (stripe, payload) = decode(&encode_stripe(77, 5)).unwrap();
        assert_eq!((stripe_number(&stripe).unwrap(), payload), (77, 5));
        assert!(!is_announcement(&encode(&header, 1)) && stripe_number(&header).is_err());
    }

    #[test]
    fn a_wrong_magic_word_and_a_fragment_too_long_are_refused() {
        let header = Header { context: 1, sequence: 2, call: [3, 4] };
        for byte in 0..4 {
            let mut wire = encode(&header, 8);
            wire[byte] ^= 0x40;
            assert_eq!(decode(&wire).unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
        for payload in [FRAGMENT_BYTES + 1, u32::MAX as usize] {
            assert_eq!(decode(&encode(&header, payload)).unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
    }
}

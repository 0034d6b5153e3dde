//! The header of each fragment on a TCP connection.
//!
//! It has 32 bytes, little endian: a magic word, the number of payload bytes that follow, and the [`Header`].
//! Headers from the wire are not trusted: a wrong magic word or a too long fragment ends the connection.

use std::io;

use super::super::{FRAGMENT_GRAIN, Header, garbage};

pub(super) const HEADER_BYTES: usize = 32;

/// Largest payload of one fragment. A message of another call waits behind at most one of these, and not
/// behind a whole large message. One system call offers a whole fragment, so smaller fragments are slower
/// within a host (docs/lab/constants.md).
pub(super) const FRAGMENT_BYTES: usize = 1 << 20;

const MAGIC: u32 = 0x414e_5943;

const _: () = assert!(FRAGMENT_BYTES.is_multiple_of(FRAGMENT_GRAIN));

pub(super) fn encode(header: &Header, payload: usize) -> [u8; HEADER_BYTES] {
    let mut wire = [0; HEADER_BYTES];
    wire[0..4].copy_from_slice(&MAGIC.to_le_bytes());
    wire[4..8].copy_from_slice(&(payload as u32).to_le_bytes());
    wire[8..12].copy_from_slice(&header.context.to_le_bytes());
    wire[12..16].copy_from_slice(&header.sequence.to_le_bytes());
    wire[16..24].copy_from_slice(&header.call[0].to_le_bytes());
    wire[24..32].copy_from_slice(&header.call[1].to_le_bytes());
    wire
}

/// The header, and the number of payload bytes that follow it.
pub(super) fn decode(wire: &[u8; HEADER_BYTES]) -> io::Result<(Header, usize)> {
    let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| wire[at + i]));
    let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| wire[at + i]));
    let payload = word(4) as usize;
    if word(0) != MAGIC || payload > FRAGMENT_BYTES {
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

//! Lengths and values in bytes, written and read with bounds. What is read comes from another process and is
//! not trusted.

use sha2::{Digest, Sha256};

/// Length of a checksum.
pub(crate) const CHECKSUM_BYTES: usize = 8;

/// The checksum of a text or an id that people and other programs pass on: the first bytes of SHA-256.
pub(crate) fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    *Sha256::digest(bytes).first_chunk().expect("a hash is longer than a checksum")
}

/// Appends values, little-endian.
#[derive(Default)]
pub(crate) struct Writer(pub Vec<u8>);

impl Writer {
    /// One byte.
    pub fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    /// Two bytes.
    pub fn u16(&mut self, value: u16) {
        self.0.extend(value.to_le_bytes());
    }

    /// Four bytes.
    pub fn u32(&mut self, value: u32) {
        self.0.extend(value.to_le_bytes());
    }

    /// A length, then the bytes.
    pub fn bytes(&mut self, value: &[u8]) {
        self.u32(value.len() as u32);
        self.0.extend(value);
    }
}

/// Takes values from the front. `None`: the bytes end too early or are invalid.
pub(crate) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    /// One byte.
    pub fn u8(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    /// Two bytes.
    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    /// Four bytes.
    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// A length of at most `limit`, then the bytes.
    pub fn bytes(&mut self, limit: usize) -> Option<&'a [u8]> {
        let length = self.u32()? as usize;
        if length > limit {
            return None;
        }
        let (first, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(first)
    }

    /// UTF-8 of at most `limit` bytes.
    pub fn string(&mut self, limit: usize) -> Option<String> {
        self.bytes(limit).and_then(|bytes| std::str::from_utf8(bytes).ok()).map(str::to_owned)
    }

    /// Whether all bytes were taken.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

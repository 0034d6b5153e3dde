//! The 128 bytes that name a communicator to be.
//!
//! ```text
//! 0   magic "ACid"        4   layout version     5   number of addresses
//! 6   zero, zero          8   job secret (32)    40  addresses, best first (80)
//! 120 checksum: the first 8 bytes of SHA-256 of all before
//! ```
//!
//! The id is a secret: whoever has it can join.

use std::net::SocketAddr;

use super::address;
use super::key::JobKey;
use super::wire::{CHECKSUM_BYTES, Reader, Writer, checksum};
use crate::base::{Error, Result};

/// Length of an id in bytes, equal to that of NCCL's id.
pub const UNIQUE_ID_BYTES: usize = 128;

const MAGIC: [u8; 4] = *b"ACid";
const LAYOUT: u8 = 2;
const ADDRESSES_AT: usize = 40;
pub(crate) const CHECKSUM_AT: usize = UNIQUE_ID_BYTES - CHECKSUM_BYTES;

/// The 128 bytes that name a communicator to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct UniqueId(pub [u8; UNIQUE_ID_BYTES]);

impl UniqueId {
    /// Writes as many of `addresses` as there is room for. The last one, loopback, is always written.
    pub(crate) fn encode(key: &JobKey, addresses: &[SocketAddr]) -> UniqueId {
        let mut room = CHECKSUM_AT - ADDRESSES_AT;
        let (last, others) = addresses.split_last().map_or((None, addresses), |(l, o)| (Some(l), o));
        room -= last.map_or(0, address::encoded_bytes);
        let mut chosen: Vec<&SocketAddr> = Vec::new();
        for candidate in others {
            if let Some(left) = room.checked_sub(address::encoded_bytes(candidate)) {
                room = left;
                chosen.push(candidate);
            }
        }
        chosen.extend(last);
        let mut w = Writer::default();
        w.0.extend(MAGIC);
        w.0.extend([LAYOUT, chosen.len() as u8, 0, 0]);
        w.0.extend(key.0);
        chosen.iter().for_each(|a| address::write(&mut w, a));
        w.0.resize(CHECKSUM_AT, 0);
        let sum = checksum(&w.0);
        w.0.extend(sum);
        let mut id = [0; UNIQUE_ID_BYTES];
        id.copy_from_slice(&w.0);
        UniqueId(id)
    }

    pub(crate) fn decode(&self) -> Result<(JobKey, Vec<SocketAddr>)> {
        if self.0.iter().all(|byte| *byte == 0) {
            return Err(invalid("it is all zero: pass on the id that one rank got from anyccl_unique_id"));
        }
        if self.0[..4] != MAGIC {
            return Err(invalid("it was not made by anyccl; every rank needs the same library"));
        }
        if checksum(&self.0[..CHECKSUM_AT]) != self.0[CHECKSUM_AT..] {
            return Err(invalid("its checksum is wrong: it was damaged on its way; pass on all 128 bytes"));
        }
        if self.0[4] != LAYOUT {
            return Err(invalid("it was made by another version of anyccl; every rank needs the same"));
        }
        let mut r = Reader(&self.0[8..CHECKSUM_AT]);
        let key = r.array().map(JobKey);
        let addresses: Option<Vec<_>> = (0..self.0[5]).map(|_| address::read(&mut r)).collect();
        match (key, addresses) {
            (Some(key), Some(addresses)) if !addresses.is_empty() => Ok((key, addresses)),
            _ => Err(invalid("its addresses cannot be understood")),
        }
    }
}

fn invalid(why: &str) -> Error {
    Error::InvalidArgument { what: "unique id", got: why.into() }
}

//! The beacon: job key and address of rank 0's store, published where the other ranks can read it.
//!
//! One value is written, and each rank reads one value, however slow the place is. Everything else goes
//! through our own store. The beacon is a text of hexadecimal digits, because some places take only text:
//!
//! ```text
//! "ACbn"  version 1  key (32)  number of addresses  addresses  checksum (8: SHA-256 of all before)
//! ```

use std::net::SocketAddr;

use crate::base::Result;
use crate::bootstrap::job::address::{self, ADDRESSES};
use crate::bootstrap::job::key::{self, JobKey, hex};
use crate::bootstrap::job::wire::{CHECKSUM_BYTES, Reader, Writer, checksum};

const MAGIC: [u8; 4] = *b"ACbn";
const VERSION: u8 = 1;

/// Job key, and addresses of rank 0's store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Beacon {
    /// The job's secret.
    pub key: JobKey,
    /// Where the store of rank 0 may be, best first.
    pub addresses: Vec<SocketAddr>,
}

impl Beacon {
    /// The beacon as text.
    pub fn to_text(&self) -> String {
        let mut w = Writer::default();
        w.0.extend(MAGIC);
        w.u8(VERSION);
        w.0.extend(self.key.0);
        let addresses = &self.addresses[..self.addresses.len().min(ADDRESSES)];
        w.u8(addresses.len() as u8);
        addresses.iter().for_each(|a| address::write(&mut w, a));
        let sum = checksum(&w.0);
        w.0.extend(sum);
        hex(&w.0)
    }

    /// Reads the text. `None`: it is something else, or damaged.
    pub fn parse(text: &[u8]) -> Option<Beacon> {
        let bytes = key::unhex(text)?;
        let (body, sum) = bytes.split_at_checked(bytes.len().checked_sub(CHECKSUM_BYTES)?)?;
        if checksum(body) != sum {
            return None;
        }
        let mut r = Reader(body);
        if r.array()? != MAGIC || r.u8()? != VERSION {
            return None;
        }
        let key = JobKey(r.array()?);
        let count = usize::from(r.u8()?);
        let addresses =
            (0..count.min(ADDRESSES)).map(|_| address::read(&mut r)).collect::<Option<Vec<_>>>()?;
        (r.is_empty() && !addresses.is_empty()).then_some(Beacon { key, addresses })
    }
}

/// A channel by which rank 0 publishes the beacon and the other ranks read it.
pub(crate) trait BeaconChannel {
    /// Publishes the text for all ranks.
    fn publish(&mut self, text: &str) -> Result<()>;
    /// Waits for the text. May be called again to wait for a text that replaces an old one.
    fn read(&mut self) -> Result<Vec<u8>>;
    /// Name of the channel, for messages.
    fn name(&self) -> String;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Beacon {
        let addresses = ["10.0.0.1:40113", "[2001:db8::1]:5"].map(|a| a.parse().unwrap()).to_vec();
        Beacon { key: JobKey([9; 32]), addresses }
    }

    #[test]
    fn a_beacon_is_read_as_written_and_nothing_else_is() {
        let text = sample().to_text();
        assert_eq!(Beacon::parse(text.as_bytes()), Some(sample()));
        for shorter in 0..text.len() {
            assert_eq!(Beacon::parse(&text.as_bytes()[..shorter]), None, "{shorter}");
        }
        for at in 0..text.len() {
            let mut damaged = text.clone().into_bytes();
            damaged[at] ^= 1;
            assert_eq!(Beacon::parse(&damaged), None, "{at}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = (Beacon::parse(&bytes), Beacon::parse(hex(&bytes).as_bytes()));
        }
    }
}

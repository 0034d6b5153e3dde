//! What the sender of a message tells its receiver: where the elements are.
//!
//! The record names memory by tokens: as for a collective, no address is sent to another process
//! ([`super::buffers`]).

use super::buffers::{BufferRecord, MappedSide};
use super::ipc_cache::OfferBits;
use crate::comm::call::operator::Scalar;
use crate::p2p::{REFERENCE_BYTES, Reference};

/// Where the elements of a message are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageRecord {
    /// Number in the list of the process. 0: the sender is in another process.
    pub number: u64,
    /// Where the elements are in what the receiver has mapped.
    pub side: MappedSide,
    /// The offer of what is mapped.
    pub offer: OfferBits,
}

impl MessageRecord {
    const WORDS: usize = 5;

    /// The record, as it is sent.
    pub fn to_reference(self) -> Reference {
        let words: [u64; MessageRecord::WORDS] =
            [self.number, self.side.token, self.side.offset, self.offer.index, self.offer.word];
        let mut bytes = [0; REFERENCE_BYTES];
        let places = bytes.iter_mut().zip(words.iter().flat_map(|word| word.to_le_bytes()));
        places.for_each(|(to, from)| *to = from);
        bytes
    }

    /// What a collective would send for these elements, as its input.
    pub fn as_buffers(&self) -> BufferRecord {
        BufferRecord {
            number: self.number,
            slot: MappedSide::default(),
            offer: self.offer,
            has_map_request: false,
            all_mapped: true,
            scalar: [0; Scalar::BYTES],
        }
    }

    /// Reads what another rank has sent.
    pub fn from_reference(bytes: &Reference) -> MessageRecord {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[8 * at + i]));
        MessageRecord {
            number: word(0),
            side: MappedSide { token: word(1), offset: word(2) },
            offer: OfferBits { index: word(3), word: word(4) },
        }
    }
}

const _: () = assert!(MessageRecord::WORDS * size_of::<u64>() <= REFERENCE_BYTES);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_survives_the_reference() {
        let record = MessageRecord {
            number: 1,
            side: MappedSide { token: 2, offset: u64::MAX },
            offer: OfferBits { index: 4, word: 5 },
        };
        assert_eq!(MessageRecord::from_reference(&record.to_reference()), record);
    }
}

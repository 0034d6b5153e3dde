//! The count of a collective on a list of buffers, on which its ranks must agree.
//!
//! Each message of such a call states the list to which it belongs. Ranks with different lists notice the
//! difference at the first message.

use std::fmt;

use super::mix::mix;

/// The count of one message of a list, in 64 bits. It holds the elements of the message, the number of
/// buffers in the whole list, and a hash of their lengths and datatypes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListCount {
    /// Number of buffers of the list; 255 stands for all larger numbers, which the hash tells apart.
    pub buffers: u8,
    /// Hash of all lengths and datatypes, 22 bits long.
    pub lengths: u32,
    /// Number of elements of this message.
    pub elements: u64,
}

impl ListCount {
    const ELEMENTS_BITS: u32 = 34;
    const LENGTHS_BITS: u32 = 22;
    const ABOUT_BITS: u32 = 7;
    /// Upper limit of the elements of one message.
    pub const MOST_ELEMENTS: u64 = (1 << ListCount::ELEMENTS_BITS) - 1;

    /// The count of a list with these lengths and datatypes, in order. The first message has no elements yet.
    pub fn of(buffers: impl Iterator<Item = (u64, u8)>) -> ListCount {
        let (mut number, mut hash) = (0usize, 0u64);
        for (length, datatype) in buffers {
            number += 1;
            hash = mix(mix(hash ^ length) ^ u64::from(datatype));
        }
        let lengths = (hash >> (u64::BITS - ListCount::LENGTHS_BITS)) as u32;
        ListCount { buffers: number.min(255) as u8, lengths, elements: 0 }
    }

    /// The count of a message about some collectives of the list, fewer than 128, with these numbers of
    /// elements. In the place of its elements it has the number of collectives, and a hash.
    pub fn about(self, lengths: impl ExactSizeIterator<Item = u64>) -> ListCount {
        let number = lengths.len() as u64;
        debug_assert!(number < 1 << ListCount::ABOUT_BITS);
        let hash = lengths.fold(number, |hash, length| mix(hash ^ length));
        let bits = ListCount::ELEMENTS_BITS - ListCount::ABOUT_BITS;
        ListCount { elements: hash >> (u64::BITS - bits) << ListCount::ABOUT_BITS | number, ..self }
    }

    /// How many collectives a message is about.
    pub fn collectives(self) -> u64 {
        self.elements & ((1 << ListCount::ABOUT_BITS) - 1)
    }

    /// The count in its packed form. `elements` is at most [`ListCount::MOST_ELEMENTS`].
    pub fn to_bits(self) -> u64 {
        debug_assert!(self.elements <= ListCount::MOST_ELEMENTS);
        let shifted = u64::from(self.buffers) << ListCount::LENGTHS_BITS | u64::from(self.lengths);
        shifted << ListCount::ELEMENTS_BITS | self.elements
    }

    /// Reads the packed form. All bit patterns are valid.
    pub fn from_bits(bits: u64) -> ListCount {
        let lengths = bits >> ListCount::ELEMENTS_BITS & ((1 << ListCount::LENGTHS_BITS) - 1);
        ListCount {
            buffers: (bits >> (ListCount::ELEMENTS_BITS + ListCount::LENGTHS_BITS)) as u8,
            lengths: lengths as u32,
            elements: bits & ListCount::MOST_ELEMENTS,
        }
    }
}

/// The form of error messages: `3 buffers with lengths #2c01ff, 600 elements in this message`. Without
/// elements, it is the name of the list alone.
impl fmt::Display for ListCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ListCount { buffers, lengths, elements }, many) =
            (self, ["", "+"][usize::from(self.buffers == 255)]);
        write!(f, "{buffers}{many} buffers with lengths #{lengths:06x}")?;
        if *elements > 0 { write!(f, ", {elements} elements in this message") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lengths: &[u64]) -> ListCount {
        ListCount::of(lengths.iter().map(|length| (*length, 9)))
    }

    #[test]
    fn a_count_survives_packing() {
        let count = ListCount { elements: ListCount::MOST_ELEMENTS, ..of(&[1, 2, 3]) };
        assert_eq!(ListCount::from_bits(count.to_bits()), count);
        assert_eq!(ListCount::from_bits(u64::MAX).to_bits(), u64::MAX);
    }

    #[test]
    fn messages_about_other_collectives_of_a_list_have_other_counts() {
        let about = |lengths: &[u64]| of(&[1, 2, 3]).about(lengths.iter().copied());
        assert_eq!((about(&[1, 2]).collectives(), about(&[7; 64]).collectives()), (2, 64));
        assert_ne!(about(&[1, 2]), about(&[2, 1]));
        assert_eq!(ListCount::from_bits(about(&[u64::MAX; 127]).to_bits()), about(&[u64::MAX; 127]));
    }

    #[test]
    fn lists_that_differ_in_lengths_order_number_or_datatypes_are_told_apart() {
        let lists =
            [of(&[]), of(&[0]), of(&[6]), of(&[1, 2, 3]), of(&[3, 2, 1]), of(&[1, 5]), of(&[1, 2, 3, 0])];
        let other_type = ListCount::of([(6, 8)].into_iter());
        let mut all: Vec<u64> = lists.into_iter().chain([other_type]).map(ListCount::to_bits).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 8);
        assert_ne!(of(&[1; 300]), of(&[1; 301]));
    }
}

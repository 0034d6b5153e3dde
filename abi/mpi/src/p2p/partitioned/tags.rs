//! Tags of the messages that make up partitioned messages.

use parking_lot::Mutex;

use crate::error::{Class, Error, Result};

/// Number of tags for parts.
pub(super) const PARTS: u64 = 0x0f00_0000;
/// Tags of parts are below this one.
const FIRST_PART: i32 = -0x3100_0000;
/// Bits of the program's tag in the tag of a description: all but the highest.
const DESCRIPTION_BITS: i32 = 0x3fff_ffff;

/// The tag of the description of a message with this tag.
pub(super) fn of_description(tag: i32) -> i32 {
    -0x4000_0000 - (tag & DESCRIPTION_BITS)
}

/// The tag of a part, by its number.
pub(super) fn of_part(number: u64) -> i32 {
    FIRST_PART - number as i32
}

/// The numbers in use.
struct Numbers {
    /// Where the next search begins.
    next: u64,
    /// First number and length of each range in use, in order.
    ranges: Vec<(u64, u64)>,
}

static NUMBERS: Mutex<Numbers> = Mutex::new(Numbers { next: 0, ranges: Vec::new() });

/// Numbers of the parts of one message that this process sends. They are free again when this is dropped.
///
/// A later message may get the same numbers. Messages with equal tags do not overtake each other, so its
/// parts do not meet receives of this one.
pub(super) struct PartNumbers {
    pub first: u64,
    len: u64,
}

impl PartNumbers {
    /// Takes `len` numbers, beginning after those that were taken last.
    pub fn take(len: u64) -> Result<PartNumbers> {
        let first = NUMBERS.lock().take(len);
        let first = first.ok_or_else(|| {
            Error::new(Class::OTHER, format!("{len} more partitions; a process can have {PARTS} in use"))
        })?;
        Ok(PartNumbers { first, len })
    }
}

impl Drop for PartNumbers {
    fn drop(&mut self) {
        let mut numbers = NUMBERS.lock();
        if let Some(at) = numbers.ranges.iter().position(|range| *range == (self.first, self.len)) {
            numbers.ranges.remove(at);
        }
    }
}

impl Numbers {
    fn take(&mut self, len: u64) -> Option<u64> {
        let len_or_one = len.max(1);
        let first = self.find(self.next, len_or_one).or_else(|| self.find(0, len_or_one))?;
        self.next = first + len_or_one;
        let at = self.ranges.partition_point(|(start, _)| *start < first);
        self.ranges.insert(at, (first, len));
        Some(first)
    }

    /// The first free range of this length from `from` on.
    fn find(&self, from: u64, len: u64) -> Option<u64> {
        let mut first = from;
        for (start, taken) in &self.ranges {
            if first + len <= *start {
                break;
            }
            first = first.max(start + taken);
        }
        (first + len <= PARTS).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_use_are_not_taken_again_when_the_search_begins_anew() {
        let mut numbers = Numbers { next: PARTS - 3, ranges: vec![(1, 4)] };
        assert_eq!(numbers.take(2), Some(PARTS - 3));
        assert_eq!(numbers.take(2), Some(5));
        assert_eq!(numbers.take(PARTS), None);
        assert_eq!(numbers.find(0, 1), Some(0));
    }

    #[test]
    fn tags_of_parts_and_of_descriptions_differ() {
        assert!(of_part(PARTS - 1) > of_description(0));
        assert_eq!((of_part(0), of_description(i32::MAX)), (FIRST_PART, -i32::MAX));
    }
}

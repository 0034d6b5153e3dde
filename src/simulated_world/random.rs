//! Numbers that depend on a seed only.

use std::ops::Range;

use crate::base::mix;

/// A stream of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream with this name among those of a seed. Streams do not depend on each other.
    pub fn new(seed: u64, stream: u64) -> Random {
        Random(mix(seed ^ mix(stream)))
    }

    /// A stream for a part of what this one is for.
    pub fn part(&self, number: u64) -> Random {
        Random(mix(self.0 ^ mix(!number)))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number of a range that is not empty.
    pub fn within(&mut self, range: Range<u64>) -> u64 {
        range.start + self.next() % (range.end - range.start)
    }

    /// `true` once in so many times.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.next().is_multiple_of(times)
    }

    /// One of a list that is not empty.
    pub fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.within(0..list.len() as u64) as usize]
    }
}

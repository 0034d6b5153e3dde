//! Ranges of memory that the program has registered, with the number of registrations of each.

use std::collections::BTreeMap;

/// The registered ranges of a process.
#[derive(Debug, Default)]
pub(super) struct Registrations {
    /// Number of registrations, by address of the first byte and length.
    times: BTreeMap<(usize, usize), usize>,
}

impl Registrations {
    pub fn add(&mut self, start: usize, bytes: usize) {
        *self.times.entry((start, bytes)).or_default() += 1;
    }

    /// Removes one registration of exactly this range. Returns whether there was one.
    pub fn remove(&mut self, start: usize, bytes: usize) -> bool {
        let Some(times) = self.times.get_mut(&(start, bytes)) else { return false };
        *times -= 1;
        if *times == 0 {
            self.times.remove(&(start, bytes));
        }
        true
    }

    /// The first registered range that begins within these bytes.
    pub fn first_in(&self, start: usize, bytes: usize) -> Option<(usize, usize)> {
        self.times.range((start, 0)..(start + bytes, 0)).next().map(|(range, _)| *range)
    }
}

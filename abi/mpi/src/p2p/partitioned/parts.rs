//! The parts of a message that are under way, and their turns.

use std::collections::TryReserveError;

/// Number of parts in a row that have not ended, after which a turn is over. A message may have a million.
const MOST_UNENDED: usize = 64;

/// Parts that are under way.
pub(super) struct Parts<T> {
    list: Vec<T>,
    /// Place at which the next turn begins.
    next: usize,
}

impl<T> Parts<T> {
    pub fn new() -> Parts<T> {
        Parts { list: Vec::new(), next: 0 }
    }

    /// Reserves memory for `more` parts.
    pub fn try_reserve(&mut self, more: usize) -> Result<(), TryReserveError> {
        self.list.try_reserve(more)
    }

    pub fn push(&mut self, part: T) {
        self.list.push(part);
    }

    pub fn clear(&mut self) {
        self.list.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Gives some parts a turn, and removes those that have ended.
    pub fn poll(&mut self, mut has_ended: impl FnMut(&mut T) -> bool) {
        let mut unended = 0;
        while unended < MOST_UNENDED.min(self.list.len()) {
            if self.next >= self.list.len() {
                self.next = 0;
            }
            if has_ended(&mut self.list[self.next]) {
                self.list.swap_remove(self.next);
                unended = 0;
            } else {
                self.next += 1;
                unended += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_has_a_turn_within_a_few_calls_and_is_removed_when_it_has_ended() {
        let mut parts = Parts::new();
        (0..1000).for_each(|part| parts.push(part));
        let mut turns = [0; 1000];
        for _ in 0..2 * 1000usize.div_ceil(MOST_UNENDED) {
            parts.poll(|part| {
                turns[*part] += 1;
                *part % 500 == 0
            });
        }
        assert!(turns.iter().all(|turns| *turns > 0));
        assert_eq!((turns[500], parts.list.len()), (1, 998));
        // All at once, if they end.
        parts.poll(|_| true);
        assert!(parts.is_empty());
        parts.poll(|_| unreachable!());
    }
}

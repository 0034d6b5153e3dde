//! The store mode: whether bytes for a far peer are stored through the caches or past them.
//!
//! Storing into lines that a far peer has read is slow on some machines and fast on others. So each link
//! times some of its larger copies to a far peer. If stores are slow, the time of the copy shows it, because
//! the processor can hold only a limited number of stores that wait for their line. Most copies are not
//! timed: taking the time keeps the processor from starting on what comes next. Figures:
//! docs/lab/constants.md.

use super::hysteresis::Hysteresis;
use crate::sys::cycles;

/// Shortest copy that is timed; a shorter one tells little.
const TIMED_FROM: usize = 4 << 10;
/// Cycles of the time stamp counter per KiB above which a copy is slow. This is about 5 GB/s.
const CYCLES_PER_KIB: u64 = 512;
/// Number of copies of which one is timed, and therefore goes through the caches.
const ROUND: u8 = 16;
/// Number of copies of which one is timed while stores are believed to be slow.
const ROUND_WHERE_SLOW: u8 = 64;

/// What the copies of one link have shown so far.
#[derive(Debug, Default)]
pub struct StoreMode {
    is_slow: Hysteresis<3, 4>,
    round: u8,
}

impl StoreMode {
    /// Copies `bytes` bytes to a far peer. The argument of `copy` tells whether to store past the caches.
    #[inline]
    pub fn copy(&mut self, bytes: usize, copy: impl FnOnce(bool)) {
        if bytes < TIMED_FROM || !self.is_timed() {
            return copy(self.is_slow.is_yes());
        }
        let ((), took) = cycles::of(|| copy(false));
        self.note(bytes, took);
    }

    #[inline]
    fn is_timed(&mut self) -> bool {
        self.round += 1;
        let is_over = self.round >= if self.is_slow.is_yes() { ROUND_WHERE_SLOW } else { ROUND };
        if is_over {
            self.round = 0;
        }
        is_over
    }

    #[inline]
    fn note(&mut self, bytes: usize, took: u64) {
        self.is_slow.note(took > bytes as u64 * CYCLES_PER_KIB / 1024);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: usize = 16 << 10;
    const SLOW_FROM: usize = 3;

    /// Makes a copy; returns whether it goes past the caches.
    fn goes_past(stores: &mut StoreMode, bytes: usize) -> bool {
        let mut answer = None;
        stores.copy(bytes, |past| answer = Some(past));
        answer.unwrap()
    }

    #[test]
    fn copies_go_past_the_caches_after_several_slow_ones_and_no_longer_after_several_fast_ones() {
        let mut stores = StoreMode::default();
        assert!(!goes_past(&mut stores, BYTES));
        for _ in 0..SLOW_FROM {
            assert!(!goes_past(&mut stores, 100));
            stores.note(BYTES, BYTES as u64);
        }
        assert!(goes_past(&mut stores, BYTES) && goes_past(&mut stores, 100));
        stores.note(BYTES, BYTES as u64 / 10);
        assert!(!goes_past(&mut stores, BYTES));
    }

    #[test]
    fn where_stores_are_slow_a_few_large_copies_find_out_whether_they_still_are() {
        let mut stores = StoreMode { is_slow: Hysteresis::certain(), round: 0 };
        assert!((0..1000).all(|_| goes_past(&mut stores, 100)));
        // A copy that copies nothing is fast, and two of them change the answer.
        let through: Vec<u8> = (1..=200).filter(|_| !goes_past(&mut stores, BYTES)).collect();
        let (first, second) = (ROUND_WHERE_SLOW, 2 * ROUND_WHERE_SLOW);
        assert_eq!(through, std::iter::once(first).chain(second..=200).collect::<Vec<_>>());
    }
}

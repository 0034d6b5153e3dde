//! Cache placement of the two ranks: whether their cores share a cache, found by timing loads.
//!
//! A cache line passes quickly between cores that share a cache. Between others, such as those of two core
//! complexes of one chip, it takes about four times as long. Stores into lines that a far peer has read can
//! also be slow (`store_mode`). The scheduler or a hypervisor may move ranks at any time, so each link keeps
//! watching. The producer reads a word of the consumer now and then anyway, and times that load.
//!
//! The answer only decides how bytes are stored, so ranks need not agree on it.

use super::super::protocol::{AtomicU64, Ordering};
use super::hysteresis::Hysteresis;
use crate::sys::cycles;

/// Cycles from which a load counts as one from a far core. It lies between the two groups of times that were
/// measured (docs/lab/constants.md).
const FAR_CYCLES: u64 = 220;

/// The samples of one link, condensed.
#[derive(Debug, Default)]
pub struct CacheDistance {
    is_far: Hysteresis<2, 3>,
    /// Value of the word when it was sampled last.
    last: u64,
}

impl CacheDistance {
    /// Reads a word that only the peer writes. If the word has changed, its cache line came from the peer's
    /// core, and the time of the load counts.
    #[inline]
    pub fn sample(&mut self, word: &AtomicU64) {
        let (value, took) = cycles::of(|| word.load(Ordering::Acquire));
        if value != self.last {
            self.last = value;
            self.note(took);
        }
    }

    /// Like [`CacheDistance::sample`], for another such word, which held `before` when it was last read.
    #[inline]
    pub fn sample_after(&mut self, word: &AtomicU64, before: u64) {
        let (value, took) = cycles::of(|| word.load(Ordering::Acquire));
        if value != before {
            self.note(took);
        }
    }

    #[inline]
    fn note(&mut self, took: u64) {
        self.is_far.note(took >= FAR_CYCLES);
    }

    /// Whether the peer's core shares no cache with this one.
    #[inline]
    pub fn is_far(&self) -> bool {
        self.is_far.is_yes()
    }

    /// Value of the word when it was last sampled.
    #[cfg(test)]
    pub fn last(&self) -> u64 {
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_load_does_not_make_a_peer_far_nor_one_fast_load_near() {
        let mut distance = CacheDistance::default();
        distance.note(10_000);
        assert!(!distance.is_far());
        distance.note(600);
        assert!(distance.is_far());
        distance.note(600);
        distance.note(100);
        assert!(distance.is_far());
        distance.note(100);
        assert!(!distance.is_far());
    }

    #[test]
    fn an_unchanged_word_does_not_count_as_a_sample() {
        let (mut distance, word) = (CacheDistance::default(), AtomicU64::new(5));
        distance.sample(&word);
        distance.note(10_000);
        distance.note(10_000);
        for _ in 0..10 {
            distance.sample(&word);
        }
        assert!(distance.is_far());
        for value in 6..10 {
            word.store(value, Ordering::Relaxed);
            distance.sample(&word);
        }
        assert!(!distance.is_far());
    }
}

//! Distance of the two processors, in time: whether their cores share a cache.
//!
//! Cores that share a cache pass a line on in some tens of nanoseconds. Others, such as those of two core
//! complexes of one chip, need four times as long, and then stores into lines that the peer has read can be
//! slow (`store_mode`). The scheduler or a hypervisor may move ranks from one case to the other at any time,
//! so each link watches: the producer has to read a word of the consumer's now and then anyway, and takes the
//! time.
//!
//! The answer only decides how bytes are stored. No rank needs to agree with another about it.

use super::super::protocol::{AtomicU64, Ordering};
use super::hysteresis::Hysteresis;
use crate::sys::cycles;

/// Cycles from which a load counts as one from a far core. Measured: below 160 from a core with a shared
/// cache, 240 to 400 from another.
const FAR_CYCLES: u64 = 220;

/// What the samples of one link say.
#[derive(Debug, Default)]
pub struct CacheDistance {
    is_far: Hysteresis<2, 3>,
    /// Value of the word when it was sampled last.
    last: u64,
}

impl CacheDistance {
    /// Reads a word that only the peer writes, and takes the time if it has changed: then its line came from
    /// there.
    #[inline]
    pub fn sample(&mut self, word: &AtomicU64) {
        let (value, took) = cycles::of(|| word.load(Ordering::Acquire));
        if value != self.last {
            self.last = value;
            self.note(took);
        }
    }

    /// Like [`CacheDistance::sample`], but for another such word, which held `before` when it was read last.
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

    /// Value of the word when it was sampled last.
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
    fn a_word_that_has_not_changed_tells_nothing() {
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

//! How bytes are stored for a far peer: through the caches, or past them where stores into lines that it has
//! read are slow.
//!
//! Between cores that share no cache that depends on the machine. On one Zen 4 server, `rep movsb` into such
//! lines went at 2 GB/s, a quarter of the speed of stores past the caches; on another it brings them to the
//! peer earlier than those do (64 KiB one way: 3.9 against 4.6 us). So each link takes the time of some of
//! its larger copies to a far peer. Where they are slow, the sender's own time shows it: the processor holds
//! only so many stores that wait for their line. Most copies are not timed, because taking the time keeps the
//! processor from beginning with what comes next.

use super::hysteresis::Hysteresis;
use crate::sys::cycles;

/// Shortest copy that is timed: fewer bytes say little.
const TIMED_FROM: usize = 4 << 10;
/// Cycles of the time stamp counter per KiB above which a copy is slow: some 5 GB/s.
const CYCLES_PER_KIB: u64 = 512;
/// Copies of which one is timed, and goes through the caches for that.
const ROUND: u8 = 16;
/// Copies of which one is timed where it is likely to be slow.
const ROUND_WHERE_SLOW: u8 = 64;

/// What the copies of one link have shown.
#[derive(Debug, Default)]
pub struct StoreMode {
    is_slow: Hysteresis<3, 4>,
    round: u8,
}

impl StoreMode {
    /// Copies `bytes` bytes to a far peer: `copy` is told whether to go past the caches.
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

    /// Whether the next copy goes past the caches.
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
        // A copy that copies nothing is fast: two of them are enough.
        let through: Vec<u8> = (1..=200).filter(|_| !goes_past(&mut stores, BYTES)).collect();
        let (first, second) = (ROUND_WHERE_SLOW, 2 * ROUND_WHERE_SLOW);
        assert_eq!(through, std::iter::once(first).chain(second..=200).collect::<Vec<_>>());
    }
}

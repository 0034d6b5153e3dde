//! The store mode: whether bytes for a far peer are stored through the caches or past them.
//!
//! Storing into lines that a far peer has read is slow on some machines, unless this core's caches still hold
//! them. They do if messages are short. A long one pushes them out. So each link chooses for short and for
//! long messages, by the times of its own copies: if stores are slow, the time shows it, because the
//! processor can hold only a limited number of stores that wait for their line.
//!
//! While stores go through the caches, some of the copies are timed. Slow ones end that. From then on, copies
//! go past the caches, and a single one through them tells nothing: it is slow even where a series is fast.
//! So now and then a trial makes a series of copies through the caches, and times the last of them. A trial
//! may cost much, so each that fails doubles the number of copies to the next one.
//!
//! Most copies are not timed: taking the time keeps the processor from starting on what comes next. Figures:
//! docs/lab/constants.md.

use crate::sys::cycles;

/// Shortest copy that is timed; a shorter one tells little.
const TIMED_FROM: usize = 4 << 10;
/// Bytes of a message from which it counts as long.
const LONG_FROM: usize = 512 << 10;
/// Cycles of the time stamp counter per KiB above which a copy is slow. This is about 5 GB/s.
const CYCLES_PER_KIB: u64 = 512;
/// Number of copies through the caches of which one is timed. After a slow one, the next ones are timed, too.
const ROUND: u16 = 16;
/// Number of slow copies that end the stores through the caches. Each fast one makes up for a slow one.
const MOST_SLOW: u8 = 2;
/// Copies of a trial that are not timed. They renew the lines of all bounce buffers that are in use.
const WARM_UP: u16 = 32;
/// Copies of a trial that are timed.
const TIMED: u16 = 8;
/// Copies past the caches before the first trial and, at most, before a later one.
const FIRST_WAIT: u16 = 512;
const LONGEST_WAIT: u16 = 32 << 10;

/// The store modes of one link.
#[derive(Debug, Default)]
pub struct StoreModes {
    short: StoreMode,
    long: StoreMode,
    /// Bytes that remain of the long message of which a fragment was copied last.
    left_of_long: usize,
}

impl StoreModes {
    /// Copies the next `bytes` bytes of a message to a far peer. `left` bytes of the message were not copied
    /// before, these included. The argument of `copy` tells whether to store past the caches.
    #[inline]
    pub fn copy(&mut self, left: usize, bytes: usize, copy: impl FnOnce(bool)) {
        let is_long = left >= LONG_FROM || left == self.left_of_long;
        self.left_of_long = if is_long { left.saturating_sub(bytes) } else { 0 };
        let mode = if is_long { &mut self.long } else { &mut self.short };
        mode.copy(bytes, copy);
    }
}

/// What the copies of messages of one kind have shown so far.
#[derive(Debug)]
struct StoreMode {
    stores: Stores,
    /// Copies since `stores` changed, or since a copy was timed.
    copies: u16,
    /// Slow copies, less the fast ones.
    slow: u8,
    /// Copies past the caches before the next trial.
    wait: u16,
}

/// How stores go now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stores {
    Through,
    Past,
    /// Through the caches, for a trial.
    Trial,
}

impl Default for StoreMode {
    fn default() -> StoreMode {
        StoreMode { stores: Stores::Through, copies: 0, slow: 0, wait: FIRST_WAIT }
    }
}

impl StoreMode {
    #[inline]
    fn copy(&mut self, bytes: usize, copy: impl FnOnce(bool)) {
        if bytes < TIMED_FROM || !self.is_timed() {
            return copy(self.stores == Stores::Past);
        }
        let ((), took) = cycles::of(|| copy(false));
        self.note(bytes, took);
    }

    /// Counts a copy that is long enough to be timed. Returns whether it is timed, and therefore goes through
    /// the caches.
    #[inline]
    fn is_timed(&mut self) -> bool {
        self.copies += 1;
        match self.stores {
            Stores::Through => self.copies >= ROUND || self.slow > 0,
            Stores::Trial => self.copies > WARM_UP,
            Stores::Past => {
                if self.copies >= self.wait {
                    self.change(Stores::Trial);
                }
                false
            }
        }
    }

    fn note(&mut self, bytes: usize, took: u64) {
        let is_slow = took > bytes as u64 * CYCLES_PER_KIB / 1024;
        self.slow = if is_slow { self.slow + 1 } else { self.slow.saturating_sub(1) };
        if self.slow >= MOST_SLOW {
            if self.stores == Stores::Trial {
                self.wait = self.wait.saturating_mul(2).min(LONGEST_WAIT);
            }
            self.change(Stores::Past);
        } else if self.stores == Stores::Through {
            self.copies = 0;
        } else if self.copies == WARM_UP + TIMED {
            self.wait = FIRST_WAIT;
            self.change(Stores::Through);
        }
    }

    fn change(&mut self, stores: Stores) {
        (self.stores, self.copies, self.slow) = (stores, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: usize = 16 << 10;
    const FAST: u64 = BYTES as u64 / 10;
    const SLOW: u64 = BYTES as u64;

    /// Makes `copies` copies, each of which takes `took` cycles if it goes through the caches and is timed.
    /// Returns the number that went past them.
    fn past(mode: &mut StoreMode, copies: usize, took: u64) -> usize {
        let of_one = |_| {
            if mode.is_timed() {
                mode.note(BYTES, took);
                return 0;
            }
            usize::from(mode.stores == Stores::Past)
        };
        (0..copies).map(of_one).sum()
    }

    #[test]
    fn copies_go_past_the_caches_after_two_slow_ones_and_a_fast_one_makes_up_for_a_slow_one() {
        let mut mode = StoreMode::default();
        assert_eq!(past(&mut mode, 1000, FAST), 0);
        for _ in 0..3 {
            mode.note(BYTES, SLOW);
            assert_eq!((past(&mut mode, 1, FAST), mode.slow), (0, 0), "the next one is timed");
        }
        let until_timed = ROUND as usize + 1;
        assert_eq!(past(&mut mode, until_timed + 100, SLOW), 100);
    }

    #[test]
    fn a_trial_that_succeeds_ends_the_stores_past_the_caches() {
        let mut mode = StoreMode { stores: Stores::Past, ..StoreMode::default() };
        let copies = FIRST_WAIT + WARM_UP + TIMED;
        assert_eq!(past(&mut mode, copies as usize, FAST), FIRST_WAIT as usize - 1);
        assert_eq!((mode.stores, mode.wait), (Stores::Through, FIRST_WAIT));
        assert_eq!(past(&mut mode, 1000, FAST), 0);
    }

    #[test]
    fn a_trial_that_fails_doubles_the_number_of_copies_to_the_next_one() {
        let mut mode = StoreMode { stores: Stores::Past, ..StoreMode::default() };
        let mut wait = FIRST_WAIT;
        for _ in 0..20 {
            let through = (WARM_UP + 2) as usize;
            let copies = wait as usize + through;
            assert_eq!(past(&mut mode, copies, SLOW), copies - through - 1);
            assert_eq!(mode.stores, Stores::Past);
            wait = wait.saturating_mul(2).min(LONGEST_WAIT);
            assert_eq!(mode.wait, wait);
        }
        assert_eq!(wait, LONGEST_WAIT);
    }

    #[test]
    fn long_messages_decide_nothing_for_short_ones_and_are_long_to_their_last_fragment() {
        let mut modes = StoreModes::default();
        modes.long.stores = Stores::Past;
        let goes_past = |modes: &mut StoreModes, left| {
            let mut answer = None;
            modes.copy(left, BYTES, |past| answer = Some(past));
            answer.unwrap()
        };
        assert!((0..LONG_FROM).step_by(BYTES).all(|done| goes_past(&mut modes, LONG_FROM - done)));
        assert!(!goes_past(&mut modes, BYTES), "a message of its own");
        assert!(!goes_past(&mut modes, LONG_FROM - 1));
    }
}

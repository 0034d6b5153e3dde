//! Random delays and choices, all from one seed.
//!
//! A source of delays is in a pace that changes after some delays. In the *quick* pace there are none, so
//! that a stream overtakes the host. In the *mixed* pace a quarter are zero, most are uniform up to the usual
//! bound, and one in 64 is up to twenty times as long. In the *slow* pace all are up to four times as long. A
//! delay is a sleep, so that a busy machine is not made busier.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::settings::settings;

/// The seed that a test has set; none for that of the settings.
static SEED: Mutex<Option<u64>> = Mutex::new(None);
/// Number of the next source.
static CALLERS: AtomicU64 = AtomicU64::new(1);

/// Replaces the seed for sources from now on.
pub fn set_seed(seed: u64) {
    *SEED.lock() = Some(seed);
    CALLERS.store(1, Ordering::Relaxed);
}

/// How long the delays of a source are at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    Quick,
    Mixed,
    Slow,
}

/// A source of random numbers (xorshift) and of delays.
#[derive(Debug)]
pub struct Random {
    state: u64,
    pace: Pace,
    /// Delays that are left in this pace.
    left: u64,
}

impl Random {
    /// A source of its own for each caller.
    pub fn fresh() -> Random {
        let caller = CALLERS.fetch_add(1, Ordering::Relaxed);
        let seed = SEED.lock().unwrap_or(settings().seed);
        Random::seeded(seed ^ caller << 32)
    }

    /// A source that begins with `seed`.
    pub fn seeded(seed: u64) -> Random {
        let state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut random = Random { state, pace: Pace::Mixed, left: 0 };
        random.number();
        random.number();
        random
    }

    /// A number of 48 random bits.
    pub fn number(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.number() % bound.max(1)
    }

    /// The length of a delay.
    fn delay(&mut self, usual: Duration) -> Duration {
        if self.left == 0 {
            self.left = 1 + self.below(48);
            self.pace = match self.below(6) {
                0 | 1 => Pace::Quick,
                2..=4 => Pace::Mixed,
                _ => Pace::Slow,
            };
        }
        self.left -= 1;
        let usual = usual.as_nanos() as u64;
        let nanoseconds = match (self.pace, self.below(64)) {
            (Pace::Quick, _) => 0,
            (Pace::Slow, _) => self.below(4 * usual),
            (Pace::Mixed, 0) => self.below(20 * usual),
            (Pace::Mixed, 1..=16) => 0,
            (Pace::Mixed, 17..=31) => self.below(usual / 8),
            (Pace::Mixed, _) => self.below(usual),
        };
        Duration::from_nanos(nanoseconds)
    }

    /// Sleeps for a random time.
    pub fn pause(&mut self) {
        let usual = settings().delay;
        if usual.is_zero() {
            return;
        }
        let delay = self.delay(usual);
        if !delay.is_zero() {
            std::thread::sleep(delay);
        }
    }
}

/// Random numbers of this thread; nothing while the thread ends.
fn of_thread<T>(act: impl FnOnce(&mut Random) -> T) -> Option<T> {
    thread_local! {
        static RANDOM: RefCell<Random> = RefCell::new(Random::fresh());
    }
    RANDOM.try_with(|random| act(&mut random.borrow_mut())).ok()
}

/// Lets one of 32 calls of the driver take longer, so that threads of the host meet in other orders, too.
pub fn pause_host() {
    let usual = settings().delay;
    let delay = of_thread(|random| if random.below(32) == 0 { random.delay(usual) } else { Duration::ZERO });
    if let Some(delay) = delay
        && !delay.is_zero()
    {
        std::thread::sleep(delay);
    }
}

/// Whether this is the one of `number` calls that takes the other way; never without delays.
pub fn choose_one_of(number: u64) -> bool {
    !settings().delay.is_zero() && of_thread(|random| random.below(number) == 0).unwrap_or(false)
}

/// Naps between two looks at a value: 20 microseconds at first, later half a millisecond.
#[derive(Debug)]
pub struct Naps(Duration);

impl Naps {
    /// Short naps at first.
    pub fn short() -> Naps {
        Naps(Duration::from_micros(20))
    }

    /// Sleeps once.
    pub fn nap(&mut self) {
        std::thread::sleep(self.0);
        self.0 = (self.0 * 5 / 4).min(Duration::from_micros(500));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_gives_one_sequence() {
        let take = |seed| {
            let mut random = Random::seeded(seed);
            (0..8).map(|_| random.number()).collect::<Vec<_>>()
        };
        assert_eq!(take(7), take(7));
        assert_ne!(take(7), take(8));
    }

    #[test]
    fn delays_are_short_mostly_and_long_sometimes() {
        let usual = Duration::from_micros(100);
        let mut random = Random::seeded(1);
        let delays: Vec<Duration> = (0..4096).map(|_| random.delay(usual)).collect();
        assert!(delays.iter().filter(|delay| **delay > usual).count() > 16);
        assert!(delays.iter().filter(|delay| delay.is_zero()).count() > 512);
        assert!(delays.iter().all(|delay| *delay < 20 * usual));
    }
}

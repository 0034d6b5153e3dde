//! Random delays and choices, all from one seed.
//!
//! Half of the delays are uniform up to the usual bound, a quarter are zero, and one in 64 is up to twenty
//! times as long. A delay is a sleep, so that a busy machine is not made busier.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::settings::settings;

/// A source of random numbers (xorshift).
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// A source of its own for each caller.
    pub fn fresh() -> Random {
        static CALLERS: AtomicU64 = AtomicU64::new(1);
        let caller = CALLERS.fetch_add(1, Ordering::Relaxed);
        Random::seeded(settings().seed ^ caller << 32)
    }

    /// A source that begins with `seed`.
    pub fn seeded(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        random.number();
        random.number();
        random
    }

    /// A number of 48 random bits.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.number() % bound.max(1)
    }

    /// The length of a delay.
    fn delay(&mut self, usual: Duration) -> Duration {
        let usual = usual.as_nanos() as u64;
        let nanoseconds = match self.below(64) {
            0 => self.below(20 * usual),
            1..=16 => 0,
            17..=31 => self.below(usual / 8),
            _ => self.below(usual),
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

/// Lets one of 32 calls of the driver take longer, so that threads of the host meet in other orders, too.
pub fn pause_host() {
    thread_local! {
        static RANDOM: RefCell<Random> = RefCell::new(Random::fresh());
    }
    let usual = settings().delay;
    // A thread that ends has no random numbers left.
    let pause = RANDOM.try_with(|random| {
        let mut random = random.borrow_mut();
        (random.below(32) == 0).then(|| random.delay(usual))
    });
    if let Ok(Some(delay)) = pause
        && !delay.is_zero()
    {
        std::thread::sleep(delay);
    }
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

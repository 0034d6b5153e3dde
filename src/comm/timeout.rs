//! The timeout of the waits of one communicator, which may change while the communicator is in use.
//!
//! Each call reads it once, when it begins, and keeps that value.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Stands for no limit. No other limit has this many milliseconds.
const NEVER: u64 = u64::MAX;

/// Longest time without progress of a call.
pub(super) struct Timeout {
    /// The limit in milliseconds, or [`NEVER`].
    ms: AtomicU64,
}

impl Timeout {
    pub fn new(limit: Option<Duration>) -> Timeout {
        Timeout { ms: AtomicU64::new(to_ms(limit)) }
    }

    #[inline]
    pub fn get(&self) -> Option<Duration> {
        // Relaxed: the limit guards no other memory.
        let ms = self.ms.load(Ordering::Relaxed);
        (ms != NEVER).then(|| Duration::from_millis(ms))
    }

    pub fn set(&self, limit: Option<Duration>) {
        self.ms.store(to_ms(limit), Ordering::Relaxed);
    }
}

fn to_ms(limit: Option<Duration>) -> u64 {
    // Zero means no limit, as in a configuration. A limit below a millisecond has already passed; it does not
    // mean "no limit".
    limit
        .filter(|time| !time.is_zero())
        .map_or(NEVER, |time| u64::try_from(time.as_millis()).unwrap_or(NEVER - 1).clamp(1, NEVER - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_and_none_mean_no_limit_and_every_other_value_is_kept() {
        for never in [None, Some(Duration::ZERO)] {
            assert_eq!(Timeout::new(never).get(), None);
        }
        let timeout = Timeout::new(Some(Duration::from_secs(2)));
        assert_eq!(timeout.get(), Some(Duration::from_secs(2)));
        timeout.set(Some(Duration::from_micros(3)));
        assert_eq!(timeout.get(), Some(Duration::from_millis(1)));
        timeout.set(None);
        assert_eq!(timeout.get(), None);
    }
}

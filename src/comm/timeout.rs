//! The deadline of the waits of one communicator, which may change while it is in use.
//!
//! Each call reads it once, when it begins; what has begun keeps the one it has.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// "For ever": no other limit has this many milliseconds.
const NEVER: u64 = u64::MAX;

/// Longest time without progress of a call.
pub(super) struct Timeout {
    /// Milliseconds, or [`NEVER`].
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
    // Zero waits for ever, as in a configuration. A limit below a millisecond is one that has passed, not
    // none.
    limit
        .filter(|time| !time.is_zero())
        .map_or(NEVER, |time| u64::try_from(time.as_millis()).unwrap_or(NEVER - 1).clamp(1, NEVER - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_and_none_mean_for_ever_and_all_else_is_kept() {
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

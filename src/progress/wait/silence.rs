//! How long a call has not moved, as far as its thread could see.
//!
//! A process may be stopped, or its machine may stand still, while the clock goes on. A thread that slept
//! then wakes up much later than it wanted to. It seems to have waited for long, although the other ranks may
//! have stood still, too. So that time is left out.

use std::time::{Duration, Instant};

use crate::sys::clock;

/// Least time by which a sleeper must be late for a standstill. A busy machine delays threads by less.
const STANDSTILL: Duration = Duration::from_secs(1);

/// See the module head.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silence {
    /// First look after the call last moved, and later by all standstills since.
    since: Option<Instant>,
}

impl Silence {
    /// A silence that begins at `since`.
    pub fn since(since: Option<Instant>) -> Silence {
        Silence { since }
    }

    /// When it began. `None`: nobody has looked yet.
    pub fn beginning(&self) -> Option<Instant> {
        self.since
    }

    /// How long it lasts, by a look at `now`. It begins with the first look.
    pub fn at(&mut self, now: Instant) -> Duration {
        now.saturating_duration_since(*self.since.get_or_insert(now))
    }

    /// Leaves out the time by which the thread woke up too late, if it was a standstill.
    pub fn leave_out(&mut self, late: Duration) {
        if late >= STANDSTILL
            && let Some(since) = &mut self.since
        {
            *since += late;
        }
    }
}

/// By how much a thread is late that has just woken up, and wanted to sleep until that time at most.
pub(super) fn late_by(until: Option<Instant>) -> Duration {
    // A test that turns the clock wants all of the time to count.
    until.filter(|_| !clock::is_turned()).map_or(Duration::ZERO, clock::since)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_standstill_is_left_out_and_other_delays_count() {
        let begin = clock::now();
        let mut silence = Silence::default();
        silence.leave_out(9 * SECOND);
        assert_eq!(silence.at(begin), Duration::ZERO);
        assert_eq!(silence.at(begin + 8 * SECOND), 8 * SECOND);
        silence.leave_out(SECOND / 2);
        assert_eq!(silence.at(begin + 9 * SECOND), 9 * SECOND);
        silence.leave_out(40 * SECOND);
        assert_eq!(silence.at(begin + 50 * SECOND), 10 * SECOND);
    }

    #[test]
    fn a_thread_that_was_to_sleep_for_ever_is_never_late() {
        assert_eq!(late_by(None), Duration::ZERO);
        assert_eq!(late_by(Some(clock::now() + 60 * SECOND)), Duration::ZERO);
        assert!(clock::now().checked_sub(SECOND).is_none_or(|past| late_by(Some(past)) >= SECOND));
    }
}

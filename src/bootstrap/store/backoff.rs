//! Pauses between attempts. Each pause is twice as long as the one before.

use crate::sys::clock;
use std::time::{Duration, Instant};

/// Pause before the next attempt. It doubles from `FIRST` to `LAST`: short while the other ranks are
/// starting, long in a long wait.
pub(crate) struct Backoff(Duration);

impl Backoff {
    const FIRST: Duration = Duration::from_millis(5);
    const LAST: Duration = Duration::from_millis(200);

    /// The shortest pause.
    pub fn new() -> Backoff {
        Backoff(Backoff::FIRST)
    }

    /// The next pause.
    pub fn next(&mut self) -> Duration {
        let pause = self.0;
        self.0 = (pause * 2).min(Backoff::LAST);
        pause
    }

    /// Sleeps for the next pause, but not beyond `deadline`. `false`: the deadline has come.
    pub fn sleep(&mut self, deadline: Instant) -> bool {
        let left = clock::left(deadline);
        if left.is_zero() {
            return false;
        }
        clock::sleep(self.next().min(left));
        true
    }
}

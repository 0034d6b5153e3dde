//! Waits for something that may come later: pauses between attempts, each twice as long as the one before. A
//! long wait is logged once.

use std::fmt::Display;
use std::time::{Duration, Instant};

use crate::log_line;
use crate::sys::clock;

/// A wait of this length is logged, and a condition that looked hopeless for this long is taken for certain.
pub(crate) const LONG: Duration = Duration::from_secs(5);

/// Longest remaining time that is worth logging; a longer one means "for ever".
const COUNTED: Duration = Duration::from_secs(30 * 86_400);

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

/// One wait: tries again with growing pauses until its deadline.
pub(crate) struct Waiting {
    start: Instant,
    deadline: Instant,
    backoff: Backoff,
    is_said: bool,
}

impl Waiting {
    /// A wait that starts now.
    pub fn new(deadline: Instant) -> Waiting {
        Waiting { start: clock::now(), deadline, backoff: Backoff::new(), is_said: false }
    }

    /// How long the wait has lasted.
    pub fn waited(&self) -> Duration {
        clock::since(self.start)
    }

    /// Whether the wait has lasted long enough to be logged.
    pub fn is_long(&self) -> bool {
        self.waited() >= LONG
    }

    /// Pauses before the next try. `false`: the deadline has come. A long wait is logged once: `who` waits,
    /// for `what`, and `why` it is not there.
    pub fn pause(&mut self, who: &str, what: &dyn Display, why: &dyn Display) -> bool {
        if self.is_long() && !std::mem::replace(&mut self.is_said, true) {
            log_line!(Warn, "{who}: {}", sentence(self.waited(), what, why, Some(self.deadline)));
        }
        self.backoff.sleep(self.deadline)
    }
}

/// Text such as "waiting 5 s for WHAT: WHY; up to 295 s more".
pub(crate) fn sentence(
    waited: Duration,
    what: &dyn Display,
    why: &dyn Display,
    deadline: Option<Instant>,
) -> String {
    let left = deadline.map(clock::left);
    let more = left
        .filter(|left| *left < COUNTED)
        .map_or(String::new(), |left| format!("; up to {} s more", left.as_secs_f64().ceil()));
    format!("waiting {} s for {what}: {why}{more}", waited.as_secs())
}

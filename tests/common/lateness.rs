//! Limits on the time until an error is known, on a machine that is busy with other work.
//!
//! The kernel counts for each thread how long it could run and did not, because others had the processor. A
//! [`Stopwatch`] subtracts from the time that has passed what the ranks concerned and the test have waited
//! so. An error passes through several threads, one after the other. So their waits are summed: other load
//! cannot have delayed the error by more. A rank that is in time is never called late, and none is tried
//! twice. On a quiet machine next to nothing is subtracted.
//!
//! A thread that has ended has no count any more. It may have waited, too, because a rank needs a processor
//! to die. It is taken to have waited as long as any other thread of its process. A rank that reports lives
//! until it is judged.
//!
//! A kernel without these counts (CONFIG_SCHED_INFO) cannot tell. There, limits are [`WIDER`] times as long.

use std::collections::HashMap;
use std::fmt::Display;
use std::time::{Duration, Instant};

use super::proc_fs::processor_waits;

/// How much longer limits are where the kernel does not count waits.
const WIDER: u32 = 10;

/// The time since an event, and who may have been kept from noticing it.
pub struct Stopwatch {
    /// When the event was.
    pub at: Instant,
    /// Processes and the waits of their threads at that time.
    waits: Vec<(u32, HashMap<u32, Duration>)>,
}

impl Stopwatch {
    /// Starts the watch right before an event that concerns these processes. The test is always concerned.
    pub fn start(processes: impl IntoIterator<Item = u32>) -> Stopwatch {
        let own = std::process::id();
        let waits = processes.into_iter().chain([own]).map(|process| (process, processor_waits(process)));
        Stopwatch { waits: waits.collect(), at: Instant::now() }
    }

    /// How long the threads have waited for a processor since the start. `None`: the kernel does not count.
    fn waited(&self) -> Option<Duration> {
        // This thread has run for a while, so the kernel has a count for it, if it counts at all.
        if processor_waits(std::process::id()).is_empty() {
            return None;
        }
        Some(self.waits.iter().map(|(process, before)| waited(before, &processor_waits(*process))).sum())
    }

    /// The time from `since` to `when`, without waits for a processor.
    pub fn late(&self, since: Instant, when: Instant) -> Duration {
        when.saturating_duration_since(since).saturating_sub(self.waited().unwrap_or_default())
    }

    /// Checks that `who` was told of the event, at `when`, within `limit`.
    pub fn check(&self, limit: Duration, when: Instant, who: impl Display) {
        let late = self.late(self.at, when);
        let passed = when.saturating_duration_since(self.at);
        let limit = self.allowed(limit);
        assert!(late < limit, "{who} learnt it after {late:?}, not {limit:?} ({passed:?} with waits)");
    }

    /// A limit, as wide as the kernel makes necessary.
    pub fn allowed(&self, limit: Duration) -> Duration {
        if self.waited().is_some() { limit } else { limit * WIDER }
    }
}

/// How long the threads of a process have waited between two readings of their counts.
fn waited(before: &HashMap<u32, Duration>, after: &HashMap<u32, Duration>) -> Duration {
    let since = |(thread, now): (&u32, &Duration)| {
        now.saturating_sub(before.get(thread).copied().unwrap_or_default())
    };
    let longest = after.iter().map(since).max().unwrap_or_default();
    let ended = before.keys().filter(|thread| !after.contains_key(thread)).count();
    after.iter().map(since).sum::<Duration>() + longest * ended as u32
}

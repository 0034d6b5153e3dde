//! Waiting for operations while others, in stages, need turns.

use std::time::{Duration, Instant};

use anyccl_engine::comm as engine;
use anyccl_engine::sys::clock;

use super::active::Active;
use crate::error::{Error, Result};
use crate::status::Status;

/// Time of polling before a thread sleeps between two polls. A time and not a number of polls: where other
/// processes want the core, each yield gives them milliseconds, and who has slept comes back sooner.
const POLLING: Duration = Duration::from_millis(1);
/// Length of such a sleep.
const NAP: Duration = Duration::from_micros(50);

/// The pauses of a thread when nothing has moved.
#[derive(Default)]
pub(super) struct Patience {
    /// When it first paused.
    since: Option<Instant>,
}

impl Patience {
    /// Yields the core, or sleeps if it has polled for long.
    pub(super) fn rest(&mut self) {
        let since = *self.since.get_or_insert_with(clock::now);
        if clock::since(since) < POLLING { std::thread::yield_now() } else { std::thread::sleep(NAP) }
    }
}

impl Active {
    /// Waits for the end of the operation.
    pub fn wait(&mut self) -> Result<Status> {
        match self {
            Active::Engine(running) => match running.request.wait() {
                Ok(()) => Ok(running.status()),
                Err(error) => Err(Error::from(error).among_peers_from(running.first_peer)),
            },
            _ => wait(self),
        }
    }
}

/// Waits for one operation.
fn wait(active: &mut Active) -> Result<Status> {
    let mut patience = Patience::default();
    loop {
        if let Some(outcome) = active.poll() {
            return outcome;
        }
        match active.current() {
            // While it waits, the engine gives other stages their turns.
            Some(current) => engine::wait_for_any(std::iter::once(current)),
            None => {
                super::progress_staged();
                patience.rest();
            }
        }
    }
}

/// Waits until one of several operations has completed. It stays in the list; its `poll` returns the outcome.
pub(super) fn wait_for_any(
    actives: &mut [&mut Active],
    mut has_ended: impl FnMut(&mut [&mut Active]) -> bool,
) {
    let mut patience = Patience::default();
    while !has_ended(actives) {
        if actives.iter().all(|active| active.current().is_some()) {
            engine::wait_for_any(actives.iter().filter_map(|active| active.current()));
        } else {
            super::progress_staged();
            patience.rest();
        }
    }
}

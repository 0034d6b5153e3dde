//! Waiting for operations while others, in stages, need turns.

use std::time::Duration;

use anyccl_engine::comm as engine;

use super::active::Active;
use crate::error::{Error, Result};
use crate::status::Status;

/// Number of polls before a thread sleeps between two polls.
const LOOKS_BEFORE_NAP: u32 = 2000;
/// Length of such a sleep.
const NAP: Duration = Duration::from_micros(50);

/// The pauses of a thread when nothing has moved.
#[derive(Default)]
pub(super) struct Patience {
    looks: u32,
}

impl Patience {
    /// Yields the core, or sleeps after many polls.
    pub(super) fn rest(&mut self) {
        self.looks += 1;
        if self.looks < LOOKS_BEFORE_NAP { std::thread::yield_now() } else { std::thread::sleep(NAP) }
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

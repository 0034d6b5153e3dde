//! The end of the other engines of a communicator: in good order, or after a failure.

use std::time::{Duration, Instant};

use super::engine::AttachedEngine;
use crate::base::{Error, Result};
use crate::comm::communicator::Communicator;
use crate::sys::clock;

/// Time between two looks at calls that have not ended.
const NAP: Duration = Duration::from_micros(100);

impl Communicator {
    /// The other engines that this communicator has.
    pub(in crate::comm) fn foreign_engines(&self) -> impl Iterator<Item = &AttachedEngine> {
        self.foreign.as_deref().into_iter().chain(self.made_device_engine())
    }

    /// Ends the calls of other engines, after a failure. A call that ends sees the failure.
    pub(in crate::comm) fn stop_foreign_engines(&self) {
        self.foreign_engines().for_each(AttachedEngine::stop);
    }

    /// Waits for the calls that other engines still make for this rank. An error: a call has lasted too long,
    /// or the communicator has failed meanwhile.
    pub(in crate::comm) fn drain_foreign_engines(&self) -> Result<()> {
        if self.foreign_engines().next().is_none() {
            return Ok(());
        }
        if self.has_failed() {
            self.note_ended_streams();
            return Ok(());
        }
        let since = clock::now();
        while self.foreign_engines().any(AttachedEngine::is_at_work) {
            self.driver.try_move_on();
            self.look_at_foreign_calls(since).map_err(|error| self.foreign_failed(error))?;
            if let Some(failure) = self.driver.lock().report_failure(self.id) {
                return Err(failure);
            }
            clock::sleep(NAP);
        }
        Ok(())
    }

    fn look_at_foreign_calls(&self, since: Instant) -> Result<()> {
        if let Some(foreign) = self.made_device_engine() {
            foreign.watch.look(foreign)?;
        }
        let waited = clock::since(since);
        let is_late = self.timeout.get().is_some_and(|limit| waited >= limit);
        match self.foreign_engines().find(|foreign| is_late && !foreign.comm.is_idle()) {
            Some(foreign) => {
                let engine = foreign.name.name();
                let detail =
                    format!("started calls have not ended in {engine}, and the communicator is left");
                Err(Error::Timeout { waited, detail })
            }
            None => Ok(()),
        }
    }

    /// Closes the other engines, in good order and if the communicator has not failed. Otherwise ends their
    /// calls; the engines then stay open until the process ends.
    pub(in crate::comm) fn close_foreign_engines(&self, in_good_order: bool) {
        if in_good_order && self.foreign_engines().next().is_some() && !self.has_failed() {
            self.foreign_engines().for_each(AttachedEngine::close);
        } else {
            self.stop_foreign_engines();
        }
    }

    pub(super) fn has_failed(&self) -> bool {
        self.driver.lock().failure(self.id).is_some()
    }

    /// Lets the end of this communicator, which has failed, return the failure if it has ended calls on
    /// streams.
    pub(super) fn note_ended_streams(&self) {
        if self.foreign_engines().any(|foreign| foreign.watch.has_enqueued()) {
            self.driver.lock().note_ended_streams(self.id);
        }
    }
}

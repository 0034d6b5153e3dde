//! Calls on memory of devices that another engine makes, under a watch.

use std::sync::Arc;
use std::time::Duration;

use super::engine::AttachedEngine;
use super::watch::{Entry, Places};
use crate::backend::{Started, StreamPosition, UniformCall};
use crate::base::{Call, Error, Result};
use crate::comm::communicator::Communicator;
use crate::comm::request::Request;
use crate::progress::CommId;
use crate::progress::wait::Driver;

impl Communicator {
    /// Runs a call until it has ended or, if it has a stream, is enqueued. Returns the position behind it in
    /// its stream. A call on a stream that records a graph becomes a part of the graph; it has no position,
    /// and nobody watches it.
    ///
    /// # Safety
    /// See [`crate::backend::ForeignComm::run`].
    pub(super) unsafe fn run_watched(
        &self,
        foreign: &AttachedEngine,
        call: Call,
        uniform: &UniformCall,
    ) -> Result<Option<Arc<dyn StreamPosition>>> {
        // SAFETY: passed on from our caller.
        let run = || unsafe { foreign.comm.run(uniform) };
        let run = || foreign.co_progress.run_blocking(&self.driver, run);
        let outcome = match uniform.stream {
            Some(stream) if foreign.comm.is_recording(stream)? => run().map(|()| None),
            Some(stream) => {
                let entry = foreign.watch.enter(self.device.communicator()?, call, self.timeout.get())?;
                let before = foreign.comm.position(stream)?;
                run().and_then(|()| {
                    let behind = foreign.comm.position(stream)?;
                    entry.note_enqueued(Places { before, behind: Arc::clone(&behind) });
                    Ok(Some(behind))
                })
            }
            None => {
                let _entry = foreign.watch.enter(self.device.communicator()?, call, self.timeout.get())?;
                run().map(|()| None)
            }
        };
        outcome.map_err(|error| self.foreign_failed(error))
    }

    /// Starts a call.
    ///
    /// # Safety
    /// See [`crate::backend::ForeignComm::start`].
    pub(super) unsafe fn start_watched(
        &self,
        foreign: &AttachedEngine,
        call: Call,
        uniform: &UniformCall,
    ) -> Result<Request> {
        let timeout = self.timeout.get();
        let Some(stream) = uniform.stream else {
            let entry = foreign.watch.enter(self.device.communicator()?, call, None)?;
            // SAFETY: passed on from our caller.
            let started = unsafe { foreign.comm.start(uniform) };
            let started = started.map_err(|error| self.foreign_failed(error))?;
            return Ok(self.foreign_request(foreign, Box::new(Watched { started, entry, timeout })));
        };
        if foreign.comm.is_recording(stream)? {
            return Err(Error::InvalidUsage(format!(
                "{call} with a request, on a stream that records a graph; make the blocking call, which becomes a part of the \
                 graph"
            )));
        }
        // SAFETY: passed on from our caller.
        let behind = unsafe { self.run_watched(foreign, call, uniform) }?;
        let passing = Passing { behind, driver: Arc::clone(&self.driver), comm: self.id };
        Ok(self.foreign_request(foreign, Box::new(passing)))
    }
}

/// A call that the engine runs in a thread of ours. Its time begins when a thread waits for it.
struct Watched {
    started: Box<dyn Started>,
    entry: Entry,
    timeout: Option<Duration>,
}

impl Started for Watched {
    fn note_wait(&mut self) {
        self.entry.begin(self.timeout);
    }

    fn test(&mut self) -> Result<bool> {
        self.started.test()
    }
}

/// A call that has ended when its stream has passed a position.
struct Passing {
    behind: Option<Arc<dyn StreamPosition>>,
    driver: Arc<Driver>,
    comm: CommId,
}

impl Started for Passing {
    fn test(&mut self) -> Result<bool> {
        if let Some(behind) = &self.behind
            && !behind.has_passed()?
        {
            return Ok(false);
        }
        // The stream also passes calls that were aborted.
        self.driver.lock().failure(self.comm).map_or(Ok(true), |failure| Err(failure.clone()))
    }
}

//! Calls on memory of devices that another engine makes, under a watch.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::engine::AttachedEngine;
use super::watch::{Entry, Places, timed_out};
use crate::backend::{BackendName, Started, StreamPosition, UniformCall};
use crate::base::{Call, Error, Result};
use crate::comm::communicator::Communicator;
use crate::comm::request::Request;
use crate::progress::CommId;
use crate::progress::wait::Driver;
use crate::sys::clock;

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
        let enter = || foreign.watch.enter(self.device.communicator()?, call, self.timeout.get());
        let enqueue = |stream| {
            if foreign.comm.is_recording(stream)? {
                return run().map(|()| None);
            }
            let entry = enter()?;
            let before = foreign.comm.position(stream)?;
            run()?;
            let behind = foreign.comm.position(stream)?;
            entry.note_enqueued(Places { before, behind: Arc::clone(&behind) });
            Ok(Some(behind))
        };
        let outcome = match uniform.stream {
            Some(stream) => enqueue(stream),
            None => enter().and_then(|_entry| run().map(|()| None)),
        };
        // Also where this rank has begun nothing: the other ranks are in the call.
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
        let Some(stream) = uniform.stream else {
            let start = || {
                let entry = foreign.watch.enter(self.device.communicator()?, call, None)?;
                // SAFETY: passed on from our caller.
                let started = unsafe { foreign.comm.start(uniform) }?;
                let (engine, limit) = (foreign.name, self.timeout.get());
                Ok(Watched { started, _entry: entry, call, engine, limit, since: Cell::default() })
            };
            let watched = start().map_err(|error| self.foreign_failed(error))?;
            return Ok(self.foreign_request(foreign, Box::new(watched)));
        };
        if foreign.comm.is_recording(stream).map_err(|error| self.foreign_failed(error))? {
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
    _entry: Entry,
    call: Call,
    engine: BackendName,
    limit: Option<Duration>,
    /// When a thread first waited.
    since: Cell<Option<Instant>>,
}

impl Started for Watched {
    fn note_wait(&self) {
        self.since.set(self.since.get().or_else(|| Some(clock::now())));
    }

    fn test(&mut self) -> Result<bool> {
        if self.started.test()? {
            return Ok(true);
        }
        let (Some(since), Some(limit)) = (self.since.get(), self.limit) else { return Ok(false) };
        timed_out(self.call, self.engine, since, limit).map_or(Ok(false), Err)
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

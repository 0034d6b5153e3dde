//! Calls on memory of devices that another engine makes, under a watch.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::usage::Usage;
use super::watch::{Entry, Places, timed_out};
use crate::backend::{BackendName, Started, StreamPosition, UniformCall};
use crate::base::{Call, Error, Result};
use crate::comm::request::Request;
use crate::progress::CommId;
use crate::progress::wait::Driver;
use crate::sys::clock;

impl Usage<'_> {
    /// Runs a call until it has ended or, if it has a stream, is enqueued. Returns the position behind it in
    /// its stream. A call on a stream that records a graph becomes a part of the graph; it has no position,
    /// and nobody watches it.
    ///
    /// # Safety
    /// See [`crate::backend::ForeignComm::run`].
    pub unsafe fn run_watched(
        self,
        call: Call,
        uniform: &UniformCall,
    ) -> Result<Option<Arc<dyn StreamPosition>>> {
        let Usage { comm, foreign } = self;
        // SAFETY: passed on from our caller.
        let run = || unsafe { foreign.comm.run(uniform) };
        let run = || foreign.co_progress.run_blocking(&comm.driver, run);
        let enter = || {
            let communicator = comm.devices.queue.communicator()?.clone();
            foreign.watch.enter(communicator, call, comm.timeout.get())
        };
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
        outcome.map_err(|error| self.failed(error))
    }

    /// Starts a call.
    ///
    /// # Safety
    /// See [`crate::backend::ForeignComm::start`].
    pub unsafe fn start_watched(self, call: Call, uniform: &UniformCall) -> Result<Request> {
        let Usage { comm, foreign } = self;
        let Some(stream) = uniform.stream else {
            let start = || {
                let entry = foreign.watch.enter(comm.devices.queue.communicator()?.clone(), call, None)?;
                // SAFETY: passed on from our caller.
                let started = unsafe { foreign.comm.start(uniform) }?;
                let (engine, limit) = (foreign.name, comm.timeout.get());
                Ok(Watched { started, _entry: entry, call, engine, limit, since: Cell::default() })
            };
            let watched = start().map_err(|error| self.failed(error))?;
            return Ok(self.request(Box::new(watched)));
        };
        if foreign.comm.is_recording(stream).map_err(|error| self.failed(error))? {
            return Err(Error::InvalidUsage(format!(
                "{call} with a request, on a stream that records a graph; make the blocking call, which becomes a part of the \
                 graph"
            )));
        }
        // SAFETY: passed on from our caller.
        let behind = unsafe { self.run_watched(call, uniform) }?;
        let passing = Passing { behind, driver: Arc::clone(&comm.driver), comm: comm.id };
        Ok(self.request(Box::new(passing)))
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

//! A watch over the calls that another engine makes on memory of devices.
//!
//! Such an engine knows no deadline, and learns late or never that a rank is lost. Its calls wait on a
//! device, where no thread of ours sees them. So each call is watched until its stream has passed it. While
//! there is a call, a thread looks every few milliseconds:
//!
//! 1. It makes progress in the builtin engine, which notices lost ranks, and aborts by other ranks.
//! 2. If a call has lasted longer than the timeout, or the engine reports an error, the communicator fails on
//!    all ranks.
//! 3. If the communicator has failed, the other engine is told to abort. That ends the calls which are stuck.
//!
//! The time of a call begins when its stream has come to it. A started call without a stream is watched for
//! lost ranks only; its time begins when a thread waits for it, and its request looks at the clock. A call
//! costs two events and a lock.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::host::EngineHost;
use crate::backend::{BackendName, ForeignComm, StreamPosition};
use crate::base::{Call, Error, Result};
use crate::sys::clock;
use crate::sys::thread;

/// Time between two looks.
const TURN: Duration = Duration::from_millis(5);

/// The calls of one communicator in one engine.
#[derive(Default)]
pub(in crate::comm) struct Watch {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    calls: Vec<WatchedCall>,
    /// Number of calls so far.
    last: u64,
    has_thread: bool,
    is_closed: bool,
}

struct WatchedCall {
    number: u64,
    call: Call,
    timeout: Option<Duration>,
    /// When the call began. Unset until its stream has come to it.
    since: Option<Instant>,
    /// Where the call is in its stream. Unset while a thread is in the engine.
    places: Option<Places>,
}

/// The positions before and behind a call in its stream.
pub(super) struct Places {
    pub before: Arc<dyn StreamPosition>,
    pub behind: Arc<dyn StreamPosition>,
}

/// A call that is in the engine, or about to be. Dropping this ends the watch over it, unless it was
/// enqueued.
pub(super) struct Entry {
    shared: Arc<Shared>,
    number: u64,
}

impl Watch {
    /// Watches a call from now on. The first one starts the thread.
    pub(super) fn enter(
        &self,
        communicator: Weak<dyn EngineHost>,
        call: Call,
        timeout: Option<Duration>,
    ) -> Result<Entry> {
        let mut state = self.shared.state.lock();
        if !state.has_thread {
            let shared = Arc::clone(&self.shared);
            thread::spawn_quiet("anyccl-watch", move || shared.watch(&communicator))
                .map_err(|error| Error::system("cannot start the thread that watches device calls", error))?;
            state.has_thread = true;
        }
        state.last += 1;
        let number = state.last;
        state.calls.push(WatchedCall { number, call, timeout, since: Some(clock::now()), places: None });
        self.shared.changed.notify_all();
        Ok(Entry { shared: Arc::clone(&self.shared), number })
    }

    /// Whether streams have not passed all calls that were put into them.
    pub(super) fn has_enqueued(&self) -> bool {
        self.shared.has_enqueued()
    }

    /// Looks at the calls in the calling thread. An error is one of the communicator.
    pub(super) fn look(&self, engine: BackendName, foreign: &dyn ForeignComm) -> Result<()> {
        self.shared.look(engine, foreign)
    }

    /// Ends the watch: the engine's communicator is about to be closed.
    pub(super) fn end(&self) {
        self.shared.state.lock().is_closed = true;
        self.shared.changed.notify_all();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.end();
    }
}

impl Entry {
    /// Notes that the engine has put the call into its stream.
    pub fn note_enqueued(self, places: Places) {
        let mut state = self.shared.state.lock();
        if let Some(call) = state.calls.iter_mut().find(|call| call.number == self.number) {
            (call.since, call.places) = (None, Some(places));
        }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        state.calls.retain(|call| call.number != self.number || call.places.is_some());
    }
}

impl WatchedCall {
    /// Whether the stream has passed the call. Begins its time if the stream has come to it.
    fn has_passed(&mut self) -> Result<bool> {
        let Some(places) = &self.places else { return Ok(false) };
        if places.behind.has_passed()? {
            return Ok(true);
        }
        if self.since.is_none() && places.before.has_passed()? {
            self.since = Some(clock::now());
        }
        Ok(false)
    }

    /// The error of a call that has lasted too long.
    fn timed_out(&self, engine: BackendName) -> Option<Error> {
        timed_out(self.call, engine, self.since?, self.timeout?)
    }
}

/// The error of a call of an engine that has lasted longer than `limit`, if it has.
pub(super) fn timed_out(call: Call, engine: BackendName, since: Instant, limit: Duration) -> Option<Error> {
    let waited = clock::since(since);
    let detail = || {
        format!(
            "{call} has not ended in {}, which does not tell the ranks that are missing; ANYCCL_BACKEND=cuda:builtin \
             names them",
            engine.name()
        )
    };
    (waited >= limit).then(|| Error::Timeout { waited, detail: detail() })
}

impl Shared {
    /// Body of the thread.
    fn watch(&self, communicator: &Weak<dyn EngineHost>) {
        while self.wait_for_call() {
            let Some(communicator) = communicator.upgrade() else { return };
            communicator.try_move_on();
            let Some((engine, foreign)) = communicator.engine_of_devices() else { return };
            let found = self.look(engine, foreign);
            if self.state.lock().is_closed {
                // The error, if there is one, comes from the end of the engine's communicator.
                return;
            }
            if let Err(error) = found {
                communicator.fail(error);
            }
            if communicator.has_failed() {
                if self.has_enqueued() {
                    communicator.note_ended_streams();
                }
                // What the calls still wait for ends now. Nobody begins another one.
                communicator.stop_engines();
                self.state.lock().calls.clear();
            }
        }
    }

    /// Waits until there is a call to look at. `false`: there will be none.
    fn wait_for_call(&self) -> bool {
        let mut state = self.state.lock();
        if !state.calls.is_empty() && !state.is_closed {
            self.changed.wait_for(&mut state, TURN);
        }
        while state.calls.is_empty() && !state.is_closed {
            self.changed.wait(&mut state);
        }
        !state.is_closed
    }

    fn has_enqueued(&self) -> bool {
        self.state.lock().calls.iter().any(|call| call.places.is_some())
    }

    /// Removes the calls that have passed. An error is one of the communicator.
    fn look(&self, engine: BackendName, foreign: &dyn ForeignComm) -> Result<()> {
        foreign.check()?;
        let mut outcome = Ok(());
        self.state.lock().calls.retain_mut(|call| match call.has_passed() {
            Ok(has_passed) => {
                if let Some(error) = call.timed_out(engine).filter(|_| !has_passed && outcome.is_ok()) {
                    outcome = Err(error);
                }
                !has_passed
            }
            Err(error) => {
                outcome = Err(error);
                false
            }
        });
        outcome
    }
}

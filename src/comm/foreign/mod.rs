//! Calls that another engine serves.
//!
//! A table says which calls these are. It depends only on the engine, so all ranks send a call the same way.
//! The builtin engine serves the rest. These are calls that the engine does not have and that cannot be
//! composed, lists of buffers, persistent calls with a layout, and calls with a function of the program. This
//! holds for memory of the processor. A call in memory of a device goes to the engine that serves such
//! memory, or is refused: no other engine can access it.

pub(super) mod co_progress;
mod composed;
mod ending;
pub(super) mod engine;
mod on_device;
pub(super) mod started_call;
mod unequal;
mod watch;

use std::sync::Arc;

use self::engine::AttachedEngine;
use self::started_call::ForeignCall;
use super::call::operation::Operation;
use super::communicator::Communicator;
use super::request::Request;
use crate::backend::{BackendName, MemoryKind, Started, Support, UniformCall};
use crate::base::{Call, CallKind, Collective, Error, Result};

impl Communicator {
    /// The engine that serves a collective call, and how: natively or composed of other calls. Local, and
    /// equal on all ranks.
    pub fn support(&self, call: &Call) -> (BackendName, Support) {
        let CallKind::Collective(collective) = call.kind else {
            return (BackendName::Builtin, Support::Native);
        };
        let foreign = self.foreign.as_ref().map(|f| (f.name, f.support(collective, call.datatype, call.op)));
        match foreign {
            None | Some((_, Support::Builtin)) => (BackendName::Builtin, Support::Native),
            Some(served) => served,
        }
    }

    /// How the engine for memory of devices serves a collective call with one count.
    pub(super) fn device_support(&self, call: &Call) -> Support {
        let CallKind::Collective(collective) = call.kind else { return Support::Builtin };
        match self.on_device.get() {
            Some(Ok(foreign)) if !collective.has_layout() => {
                foreign.support(collective, call.datatype, call.op)
            }
            _ => Support::Builtin,
        }
    }

    /// Runs a call by another engine. `None`: the builtin engine must serve it, and nothing was done.
    ///
    /// # Safety
    /// See [`Communicator::run`].
    #[inline]
    pub(super) unsafe fn run_foreign(&self, operation: &Operation) -> Option<Result<()>> {
        let (foreign, call, support) = match self.foreign_call(operation)? {
            Ok(found) => found,
            Err(error) => return Some(Err(error)),
        };
        if call.count == 0 && call.collective != Collective::Barrier {
            return Some(Ok(()));
        }
        Some(match support {
            Support::Native if call.memory == MemoryKind::Cuda => {
                // SAFETY: passed on from our caller; the call was checked.
                unsafe { self.run_watched(foreign, operation.call, &call) }.map(drop)
            }
            Support::Native => foreign
                .co_progress
                // SAFETY: passed on from our caller; the call was checked.
                .run_blocking(&self.driver, || unsafe { foreign.comm.run(&call) })
                .map_err(|error| self.foreign_failed(error)),
            Support::Composed(recipe) => {
                // SAFETY: as above.
                unsafe { self.start_composed(foreign, recipe, &call) }.and_then(|mut request| request.wait())
            }
            Support::Builtin => return None,
        })
    }

    /// Starts a call by another engine. `None` as for [`Communicator::run_foreign`].
    ///
    /// # Safety
    /// See [`Communicator::start`].
    #[inline]
    pub(super) unsafe fn start_foreign(&self, operation: &Operation) -> Option<Result<Request>> {
        let (foreign, call, support) = match self.foreign_call(operation)? {
            Ok(found) => found,
            Err(error) => return Some(Err(error)),
        };
        if call.count == 0 && call.collective != Collective::Barrier {
            return Some(Ok(self.foreign_request(foreign, Box::new(Vec::new()))));
        }
        Some(match support {
            Support::Native if call.memory == MemoryKind::Cuda => {
                // SAFETY: passed on from our caller; the call was checked.
                unsafe { self.start_watched(foreign, operation.call, &call) }
            }
            Support::Native => {
                // SAFETY: passed on from our caller; the call was checked.
                let started = unsafe { foreign.comm.start(&call) };
                started
                    .map(|started| self.foreign_request(foreign, started))
                    .map_err(|error| self.foreign_failed(error))
            }
            // SAFETY: as above.
            Support::Composed(recipe) => unsafe { self.start_composed(foreign, recipe, &call) },
            Support::Builtin => return None,
        })
    }

    /// The engine, and the checked call in its form. `None`: the builtin engine must serve the call.
    #[inline]
    fn foreign_call(&self, operation: &Operation) -> Option<Result<(&AttachedEngine, UniformCall, Support)>> {
        let Call { kind, datatype, op, root, count } = operation.call;
        let CallKind::Collective(collective) = kind else { return None };
        if collective.has_layout() {
            return None;
        }
        let is_on_device = match self.is_on_device(collective, operation) {
            Ok(answer) => answer,
            // The other ranks may be in the call of an engine that nobody has asked for.
            Err(error) if self.has_chosen_device_engine() => return Some(Err(self.foreign_failed(error))),
            Err(error) => return Some(Err(error)),
        };
        let foreign = if is_on_device { self.device_engine() } else { self.foreign.as_deref() };
        let support = foreign.map_or(Support::Builtin, |foreign| foreign.support(collective, datatype, op));
        let Some(foreign) = foreign.filter(|_| support != Support::Builtin) else {
            return is_on_device.then(|| Err(self.unserved(operation)));
        };
        if let Err(error) = self.check_foreign().and_then(|()| operation.check(self.size())) {
            return Some(Err(error));
        }
        let call = UniformCall {
            collective,
            datatype,
            op,
            root,
            count: count as usize,
            send: operation.send,
            recv: operation.recv,
            in_place: operation.is_in_place(self.rank),
            memory: foreign.memory,
            stream: self.device.stream().filter(|_| is_on_device && support == Support::Native),
        };
        if support == Support::Native && !foreign.comm.fits(&call) {
            return is_on_device.then(|| Err(self.unserved(operation)));
        }
        Some(Ok((foreign, call, support)))
    }

    /// Whether the buffers that this rank uses are in memory of a device. It is an error if only one of them
    /// is.
    #[inline]
    fn is_on_device(&self, collective: Collective, operation: &Operation) -> Result<bool> {
        if !self.kinds.may_differ() {
            return Ok(false);
        }
        let Call { root, count, .. } = operation.call;
        let (size, count) = (self.size() as usize, count as usize);
        let reads = collective.input_elements(size, self.rank, root, count) > 0;
        let writes = collective.output_elements(size, self.rank, root, count) > 0;
        let kind = |address| self.kinds.of(address) == MemoryKind::Cuda;
        let send = reads.then(|| kind(operation.send.addr()));
        let recv = writes.then(|| kind(operation.recv.addr()));
        match (send, recv) {
            (Some(send), Some(recv)) if send != recv => {
                let of = |on_device| if on_device { "of a GPU" } else { "of the host" };
                let got = format!(
                    "memory {}, and recv memory {}; both must be of one kind for nccl",
                    of(send),
                    of(recv)
                );
                Err(Error::InvalidArgument { what: "send", got })
            }
            (send, recv) => Ok(send.or(recv).unwrap_or(false)),
        }
    }

    #[cold]
    fn unserved(&self, operation: &Operation) -> Error {
        let why = match self.on_device.get() {
            Some(Ok(foreign)) => format!("{} does not support it", foreign.name.name()),
            Some(Err(error)) => format!("no engine serves it: {error}"),
            None => "no engine serves it".into(),
        };
        let call = operation.call;
        Error::Unsupported(format!("{call} in memory of a GPU: {why}; copy it to the host"))
    }

    /// Refuses a call with buffers that the processor cannot access.
    #[inline]
    pub(super) fn check_host(&self, operation: &Operation) -> Result<()> {
        let CallKind::Collective(collective) = operation.call.kind else { return Ok(()) };
        if !self.kinds.may_differ() {
            return Ok(());
        }
        let Call { root, count, .. } = operation.call;
        let (size, count) = (self.size() as usize, count as usize);
        let reads = collective.input_elements(size, self.rank, root, count);
        let writes = collective.output_elements(size, self.rank, root, count);
        self.kinds.check_host(operation.send.addr(), reads, "send")?;
        self.kinds.check_host(operation.recv.addr(), writes, "recv")
    }

    /// Refuses a call if the communicator has failed in whatever engine.
    #[inline]
    fn check_foreign(&self) -> Result<()> {
        if self.driver.has_failures() { self.check_failure() } else { Ok(()) }
    }

    #[cold]
    fn check_failure(&self) -> Result<()> {
        let failure = self.driver.lock().report_failure(self.id);
        failure.map_or(Ok(()), |failure| {
            self.stop_foreign_engines();
            Err(failure)
        })
    }

    /// Fails the communicator on all ranks, because an engine has failed. Returns why: the engine may only
    /// follow a failure that came first.
    #[cold]
    fn foreign_failed(&self, error: Error) -> Error {
        let first = self.driver.lock().report_failure(self.id);
        match (&first, &error) {
            (Some(_), _) => self.stop_foreign_engines(),
            (None, Error::Timeout { .. }) => self.fail(error.clone()),
            (None, _) => self.abort(&error.to_string()),
        }
        first.unwrap_or(error)
    }

    fn foreign_request(&self, foreign: &AttachedEngine, started: Box<dyn Started>) -> Request {
        let communicator = self.device.communicator().cloned().unwrap_or_default();
        let call = ForeignCall::new(started, communicator, Arc::clone(&foreign.co_progress));
        Request::foreign(Arc::clone(&self.driver), call)
    }
}

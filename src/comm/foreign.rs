//! Calls that go to the engine of somebody else.
//!
//! Which calls these are, a table says that depends on the engine only: so all ranks send a call the same way. What is left over
//! goes the usual way: what the engine cannot do and nobody can compose, lists of buffers, persistent calls with a layout, and
//! calls with a function of the program.

mod composed;
mod unequal;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::beside::SideBySide;
use super::communicator::Communicator;
use super::operation::Operation;
use super::request::Request;
use crate::backend::{
    BackendName, ForeignComm, ForeignEngine, MemoryKind, Started, Support, Table, UniformCall,
};
use crate::base::{Call, CallKind, Collective, Datatype, Error, ReduceOp, Result};

/// An engine of somebody else that serves one kind of memory.
pub(super) struct Foreign {
    pub name: BackendName,
    pub engine: Arc<dyn ForeignEngine>,
    pub comm: Arc<dyn ForeignComm>,
    pub memory: MemoryKind,
    pub beside: Arc<SideBySide>,
    table: Table,
    has_failed: AtomicBool,
}

impl Foreign {
    pub fn new(
        name: BackendName,
        engine: Arc<dyn ForeignEngine>,
        comm: Arc<dyn ForeignComm>,
        memory: MemoryKind,
        beside: Arc<SideBySide>,
    ) -> Foreign {
        let table = Table::new(&*engine, memory);
        Foreign { name, engine, comm, memory, beside, table, has_failed: AtomicBool::new(false) }
    }

    /// How it serves a call. An operator that the program has made is none of its own.
    #[inline]
    fn support(&self, collective: Collective, datatype: Datatype, op: Option<ReduceOp>) -> Support {
        if op.is_some_and(|op| op as usize >= ReduceOp::ALL.len()) {
            return Support::Builtin;
        }
        self.table.of(collective, datatype, op)
    }

    /// Nothing is to be begun any more: the communicator has failed, or is being aborted.
    pub fn stop(&self) {
        self.has_failed.store(true, Ordering::Release);
        self.comm.abort();
    }

    /// Leaves in good order, if it was in good order.
    pub fn close(&self) {
        if !self.has_failed.load(Ordering::Acquire) {
            self.comm.close();
        }
    }
}

impl Communicator {
    /// How a collective call is served: by whom, and whether by a call of its own. Local; equal on all ranks.
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

    /// Runs a call by another engine; `None`: it is not one for it, and nothing was done.
    ///
    /// # Safety
    /// As [`Communicator::run`].
    #[inline]
    pub(super) unsafe fn run_foreign(&self, operation: &Operation) -> Option<Result<()>> {
        let foreign = self.foreign.as_deref()?;
        let (call, support) = match self.foreign_call(foreign, operation)? {
            Ok(found) => found,
            Err(error) => return Some(Err(error)),
        };
        if call.count == 0 && call.collective != Collective::Barrier {
            return Some(Ok(()));
        }
        Some(match support {
            Support::Native => foreign
                .beside
                // SAFETY: passed on from our caller; the call was checked.
                .during(&self.driver, || unsafe { foreign.comm.run(&call) })
                .map_err(|error| self.foreign_failed(error)),
            Support::Composed(recipe) => {
                // SAFETY: as above.
                unsafe { self.start_composed(foreign, recipe, &call) }.and_then(|mut request| request.wait())
            }
            Support::Builtin => return None,
        })
    }

    /// Starts a call by another engine; `None` as for [`Communicator::run_foreign`].
    ///
    /// # Safety
    /// As [`Communicator::start`].
    #[inline]
    pub(super) unsafe fn start_foreign(&self, operation: &Operation) -> Option<Result<Request>> {
        let foreign = self.foreign.as_deref()?;
        let (call, support) = match self.foreign_call(foreign, operation)? {
            Ok(found) => found,
            Err(error) => return Some(Err(error)),
        };
        if call.count == 0 && call.collective != Collective::Barrier {
            return Some(Ok(self.foreign_request(foreign, Box::new(Vec::new()))));
        }
        Some(match support {
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

    /// The call as the engine takes it, checked; `None`: not one for it.
    #[inline]
    fn foreign_call(
        &self,
        foreign: &Foreign,
        operation: &Operation,
    ) -> Option<Result<(UniformCall, Support)>> {
        let Call { kind, datatype, op, root, count } = operation.call;
        let CallKind::Collective(collective) = kind else { return None };
        if collective.has_layout() {
            return None;
        }
        let support = foreign.support(collective, datatype, op);
        if support == Support::Builtin {
            return None;
        }
        if let Err(error) = self.check_foreign(foreign).and_then(|()| operation.check(self.size())) {
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
        };
        (support != Support::Native || foreign.comm.fits(&call)).then_some(Ok((call, support)))
    }

    #[inline]
    fn check_foreign(&self, foreign: &Foreign) -> Result<()> {
        if !foreign.has_failed.load(Ordering::Acquire) {
            return Ok(());
        }
        let failure = self.driver.lock().failure(self.group).cloned();
        Err(failure.unwrap_or_else(|| Error::Aborted(format!("\"{}\" has failed", self.name))))
    }

    /// A failure of the engine is one of the communicator: all ranks are told.
    #[cold]
    fn foreign_failed(&self, error: Error) -> Error {
        if let Some(foreign) = &self.foreign {
            foreign.stop();
        }
        self.driver.abort(self.group, &format!("rank {}: {error}", self.rank));
        error
    }

    fn foreign_request(&self, foreign: &Foreign, started: Box<dyn Started>) -> Request {
        Request::foreign(Arc::clone(&self.driver), self.group, started, Arc::clone(&foreign.beside))
    }
}

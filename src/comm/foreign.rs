//! Calls that go to the engine of somebody else.
//!
//! Which calls these are, a table says that depends on the engine only: so all ranks send a call the same way. What is left over
//! goes the usual way: what the engine cannot do and nobody can compose, lists of buffers, persistent calls with a layout, and
//! calls with a function of the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::beside::SideBySide;
use super::communicator::Communicator;
use super::operation::Operation;
use super::request::Request;
use super::unequal::{Places, Unequal};
use crate::algo;
use crate::backend::compose::Recipe;
use crate::backend::compose::of_collectives::{ReduceBroadcast, ReduceScatterAllGather};
use crate::backend::compose::performance::{Arithmetic, Performance, Place};
use crate::backend::packing::{Packed, Scattered, Source, Target};
use crate::backend::{
    BackendName, ForeignComm, ForeignEngine, MemoryKind, Started, Support, Table, UniformCall,
};
use crate::base::{Call, CallKind, Collective, Datatype, Error, ReduceOp, Result};
use crate::plan::{BlockLayout, PlanRequest};
use crate::progress::Division;
use crate::reduce::Reducer;

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

    /// # Safety
    /// As [`Communicator::start`].
    unsafe fn start_composed(
        &self,
        foreign: &Foreign,
        recipe: Recipe,
        call: &UniformCall,
    ) -> Result<Request> {
        let comm = Arc::clone(&foreign.comm);
        let started: Box<dyn Started> = match recipe {
            Recipe::ReduceBroadcast => {
                // SAFETY: passed on from our caller.
                Box::new(unsafe { ReduceBroadcast::start(comm, call) }.map_err(|e| self.foreign_failed(e))?)
            }
            Recipe::ReduceScatterAllGather => {
                // SAFETY: as above; only composed for memory of the processor.
                let started = unsafe { ReduceScatterAllGather::start(comm, call, self.rank, self.size()) };
                Box::new(started.map_err(|error| self.foreign_failed(error))?)
            }
            Recipe::Messages(algorithm) => {
                let operation = Operation {
                    call: Call {
                        kind: CallKind::Collective(call.collective),
                        datatype: call.datatype,
                        op: call.op,
                        root: call.root,
                        count: call.count as u64,
                    },
                    send: call.send,
                    recv: call.recv,
                };
                let kernels = operation.kernels(self.rank, self.size())?;
                let request = PlanRequest {
                    count: call.count,
                    in_place: call.in_place,
                    ..self.plan_request(call.collective, call.datatype, call.root)
                };
                let arithmetic = arithmetic(kernels.reduce, kernels.divide);
                let (input, output) = (Place::at(call.send.cast_mut()), Place::at(call.recv));
                // SAFETY: the plan of the call, in the buffers of the call.
                Box::new(unsafe { self.performance(comm, algorithm, &request, input, output, arithmetic) })
            }
        };
        Ok(self.foreign_request(foreign, started))
    }

    /// # Safety
    /// As for [`Performance::new`].
    unsafe fn performance(
        &self,
        comm: Arc<dyn ForeignComm>,
        algorithm: &'static str,
        request: &PlanRequest,
        input: Place,
        output: Place,
        arithmetic: Arithmetic,
    ) -> Performance {
        let algorithm = algo::find(request.collective, algorithm).expect("a test has looked for each");
        let plan = (algorithm.build)(request);
        // SAFETY: passed on from our caller.
        unsafe { Performance::new(comm, plan, request.element_bytes, input, output, arithmetic) }
    }

    fn plan_request(&self, collective: Collective, datatype: Datatype, root: u32) -> PlanRequest<'_> {
        PlanRequest {
            collective,
            size: self.size(),
            rank: self.rank,
            root,
            count: 0,
            element_bytes: datatype.bytes(),
            in_place: false,
            chunk_bytes: usize::MAX,
            topology: &self.topology,
            layout: BlockLayout::NONE,
        }
    }

    /// Starts a call with a layout by another engine; `None`: it is not one for it, and nothing was done.
    ///
    /// # Safety
    /// As [`Communicator::start_unequal`].
    pub(super) unsafe fn start_foreign_unequal(&self, operation: &Unequal) -> Option<Result<Request>> {
        let foreign = self.foreign.as_deref()?;
        let support = foreign.support(operation.collective, operation.datatype, operation.op);
        // SAFETY: passed on from our caller.
        (support != Support::Builtin).then(|| unsafe { self.unequal_by(foreign, support, operation, true) })
    }

    /// Runs it.
    ///
    /// # Safety
    /// As [`Communicator::run_unequal`].
    pub(super) unsafe fn run_foreign_unequal(&self, operation: &Unequal) -> Option<Result<()>> {
        let foreign = self.foreign.as_deref()?;
        let support = foreign.support(operation.collective, operation.datatype, operation.op);
        if support == Support::Builtin {
            return None;
        }
        // SAFETY: passed on from our caller.
        Some(
            unsafe { self.unequal_by(foreign, support, operation, false) }
                .and_then(|mut request| request.wait()),
        )
    }

    /// Runs or starts a call with a layout.
    ///
    /// # Safety
    /// As [`Communicator::start_unequal`].
    unsafe fn unequal_by(
        &self,
        foreign: &Foreign,
        support: Support,
        operation: &Unequal,
        only_start: bool,
    ) -> Result<Request> {
        self.check_foreign(foreign)?;
        let placed = operation.place(self.rank, self.size())?;
        let Unequal { collective, datatype, op, root, layout, places } = *operation;
        if let Support::Composed(Recipe::Messages(algorithm)) = support {
            let kernels = operation.kernels(self.size(), &placed.placement)?;
            let (input, output) = match places {
                Places::Buffers { send, recv } => (Place::at(send.cast_mut()), Place::at(recv)),
                Places::Lists { sends, recvs } => {
                    let sends: Vec<*mut u8> = sends.iter().map(|start| start.cast_mut()).collect();
                    (Place::of_blocks(layout.input, &sends), Place::of_blocks(layout.output, recvs))
                }
            };
            let request = PlanRequest {
                count: operation.mean_count(),
                in_place: placed.placement.in_place,
                layout,
                ..self.plan_request(collective, datatype, root)
            };
            let comm = Arc::clone(&foreign.comm);
            let arithmetic = Arithmetic { divide: None, ..arithmetic(kernels.reduce, None) };
            // SAFETY: the plan of the call, where the call has its blocks.
            let performance =
                unsafe { self.performance(comm, algorithm, &request, input, output, arithmetic) };
            let averaged = Averaged::new(performance, kernels.divide, operation);
            return Ok(self.foreign_request(foreign, Box::new(averaged)));
        }
        let scattered = Scattered {
            collective,
            datatype,
            op,
            root,
            inputs: layout.input,
            outputs: layout.output,
            send: match places {
                Places::Buffers { send, .. } => Source::Buffer(send),
                Places::Lists { sends, .. } => Source::List(sends),
            },
            recv: match places {
                Places::Buffers { recv, .. } => Target::Buffer(recv),
                Places::Lists { recvs, .. } => Target::List(recvs),
            },
            overlaps: placed.placement.overlaps(),
        };
        // SAFETY: checked by `place`, and our caller's promise.
        let mut packed = unsafe { Packed::new(&scattered) };
        let call = packed.call(foreign.memory);
        if only_start {
            // SAFETY: as above; what is started keeps the memory that it was packed into.
            let started = unsafe { foreign.comm.start_unequal(&call) };
            let started = started.map_err(|error| self.foreign_failed(error))?;
            return Ok(self.foreign_request(foreign, Box::new(Unpacking { started, packed })));
        }
        // SAFETY: as above.
        let run = || unsafe { foreign.comm.run_unequal(&call) };
        foreign.beside.during(&self.driver, run).map_err(|error| self.foreign_failed(error))?;
        // SAFETY: the call has ended well.
        unsafe { packed.unpack() };
        Ok(self.foreign_request(foreign, Box::new(Vec::new())))
    }
}

fn arithmetic(reduce: Option<Reducer>, divide: Option<Division>) -> Arithmetic {
    let reduce = reduce.map(|reducer| match reducer {
        Reducer::Kernel(kernel) => kernel,
        Reducer::Callback(_) => unreachable!("functions of the program are the builtin engine's"),
    });
    Arithmetic { reduce, divide: divide.map(|division| (division.divide, division.elements, division.by)) }
}

/// A call whose blocks are put in their places at its end.
struct Unpacking {
    started: Box<dyn Started>,
    packed: Packed,
}

impl Started for Unpacking {
    fn test(&mut self) -> Result<bool> {
        let has_ended = self.started.test()?;
        if has_ended {
            // SAFETY: the call has ended well, and its places are left alone until its request says so.
            unsafe { self.packed.unpack() };
        }
        Ok(has_ended)
    }
}

/// A plan with a layout, and the division that ends an average, where its only block of output is.
struct Averaged {
    performance: Performance,
    divide: Option<(Division, *mut u8)>,
}

// SAFETY: the pointer is the caller's output, promised to be left alone until the end.
unsafe impl Send for Averaged {}

impl Averaged {
    fn new(performance: Performance, divide: Option<Division>, operation: &Unequal) -> Averaged {
        let start = || match (operation.places, operation.layout.output.first()) {
            (Places::Lists { recvs, .. }, _) => recvs[0],
            (Places::Buffers { recv, .. }, Some(block)) => {
                recv.wrapping_add(block.offset * operation.datatype.bytes())
            }
            (Places::Buffers { recv, .. }, None) => recv,
        };
        Averaged { performance, divide: divide.map(|division| (division, start())) }
    }
}

impl Started for Averaged {
    fn test(&mut self) -> Result<bool> {
        let has_ended = self.performance.test()?;
        if has_ended
            && let Some((Division { divide, elements, by, .. }, data)) = self.divide.take()
            && elements > 0
        {
            // SAFETY: the block of the output, complete.
            unsafe { divide(data, elements, by) };
        }
        Ok(has_ended)
    }
}

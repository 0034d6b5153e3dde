//! Calls with a layout that another engine serves: either packed into one buffer in each direction, or
//! carried out by messages in place.

use std::sync::Arc;

use super::composed::arithmetic;
use super::engine::AttachedEngine;
use crate::backend::compose::Recipe;
use crate::backend::compose::performance::{Arithmetic, BufferMap, Performance};
use crate::backend::packing::{Packed, Scattered, ScatteredInput, ScatteredOutput};
use crate::backend::{Started, Support};
use crate::base::Result;
use crate::comm::call::placement::Placed;
use crate::comm::{Communicator, Places, Request, Unequal};
use crate::executor::Division;
use crate::plan::PlanRequest;

impl Communicator {
    /// Starts a call with a layout by another engine. `None`: the builtin engine must serve it, and nothing
    /// was done.
    ///
    /// # Safety
    /// See [`Communicator::start_unequal`].
    pub(in crate::comm) unsafe fn start_foreign_unequal(
        &self,
        operation: &Unequal,
    ) -> Option<Result<Request>> {
        let foreign = self.foreign.as_deref()?;
        let support = foreign.support(operation.collective, operation.datatype, operation.op);
        // SAFETY: passed on from our caller.
        (support != Support::Builtin)
            .then(|| unsafe { self.serve_unequal(foreign, support, operation, true) })
    }

    /// Runs a call with a layout by another engine. `None` as for [`Communicator::start_foreign_unequal`].
    ///
    /// # Safety
    /// See [`Communicator::run_unequal`].
    pub(in crate::comm) unsafe fn run_foreign_unequal(&self, operation: &Unequal) -> Option<Result<()>> {
        let foreign = self.foreign.as_deref()?;
        let support = foreign.support(operation.collective, operation.datatype, operation.op);
        if support == Support::Builtin {
            return None;
        }
        // SAFETY: passed on from our caller.
        Some(
            unsafe { self.serve_unequal(foreign, support, operation, false) }
                .and_then(|mut request| request.wait()),
        )
    }

    /// Runs or starts a call with a layout.
    ///
    /// # Safety
    /// See [`Communicator::start_unequal`].
    unsafe fn serve_unequal(
        &self,
        foreign: &AttachedEngine,
        support: Support,
        operation: &Unequal,
        only_start: bool,
    ) -> Result<Request> {
        self.check_foreign()?;
        let placed = Placed::of(operation, operation.datatype.bytes(), self.rank, self.size())?;
        let Unequal { collective, datatype, op, root, layout, places } = *operation;
        if let Support::Composed(Recipe::Messages(algorithm)) = support {
            // SAFETY: passed on from our caller; the call was placed.
            return unsafe { self.unequal_over_messages(foreign, algorithm, operation, &placed) };
        }
        let scattered = Scattered {
            collective,
            datatype,
            op,
            root,
            inputs: layout.input,
            outputs: layout.output,
            send: match places {
                Places::Buffers { send, .. } => ScatteredInput::Buffer(send),
                Places::Lists { sends, .. } => ScatteredInput::List(sends),
            },
            recv: match places {
                Places::Buffers { recv, .. } => ScatteredOutput::Buffer(recv),
                Places::Lists { recvs, .. } => ScatteredOutput::List(recvs),
            },
            overlaps: placed.placement.overlaps(),
        };
        // SAFETY: checked by `Placed::of`, and our caller's promise.
        let mut packed = unsafe { Packed::new(&scattered) }?;
        let call = packed.call(foreign.memory);
        if only_start {
            // SAFETY: as above; the started call keeps the memory into which it was packed.
            let started = unsafe { foreign.comm.start_unequal(&call) };
            let started = started.map_err(|error| self.foreign_failed(error))?;
            return Ok(self.foreign_request(foreign, Box::new(Unpacking { started, packed })));
        }
        // SAFETY: as above.
        let run = || unsafe { foreign.comm.run_unequal(&call) };
        foreign.co_progress.run_blocking(&self.driver, run).map_err(|error| self.foreign_failed(error))?;
        // SAFETY: the call has ended without an error.
        unsafe { packed.unpack() };
        Ok(self.foreign_request(foreign, Box::new(Vec::new())))
    }

    /// Starts a call with a layout as one of the library's plans over the engine's messages, in place.
    ///
    /// # Safety
    /// See [`Communicator::start_unequal`]; `placed` belongs to this call.
    unsafe fn unequal_over_messages(
        &self,
        foreign: &AttachedEngine,
        algorithm: &'static str,
        operation: &Unequal,
        placed: &Placed,
    ) -> Result<Request> {
        let Unequal { collective, datatype, root, layout, places, .. } = *operation;
        let kernels = placed.placement.kernels(operation, self.size())?;
        let (input, output) = match places {
            Places::Buffers { send, recv } => (BufferMap::at(send.cast_mut()), BufferMap::at(recv)),
            Places::Lists { sends, recvs } => {
                let sends: Vec<*mut u8> = sends.iter().map(|start| start.cast_mut()).collect();
                (BufferMap::of_blocks(layout.input, &sends), BufferMap::of_blocks(layout.output, recvs))
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
        // SAFETY: this is the plan of the call, and the maps say where its blocks are.
        let performance = unsafe { self.performance(comm, algorithm, &request, input, output, arithmetic) }?;
        let averaged = Averaged::new(performance, kernels.divide, operation);
        Ok(self.foreign_request(foreign, Box::new(averaged)))
    }
}

/// A call whose blocks are copied to their places at its end.
struct Unpacking {
    started: Box<dyn Started>,
    packed: Packed,
}

impl Started for Unpacking {
    fn test(&mut self) -> Result<bool> {
        let has_ended = self.started.test()?;
        if has_ended {
            // SAFETY: the call has ended without an error, and no one touches its places until its request
            // has ended.
            unsafe { self.packed.unpack() };
        }
        Ok(has_ended)
    }
}

/// A plan with a layout, and the division that ends an average, in its only block of output.
struct Averaged {
    performance: Performance,
    divide: Option<(Division, *mut u8)>,
}

// SAFETY: the pointer is the caller's output, which no one else touches until the end, as it has promised.
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
            // SAFETY: this is the block of the output, which is complete.
            unsafe { divide(data, elements, by) };
        }
        Ok(has_ended)
    }
}

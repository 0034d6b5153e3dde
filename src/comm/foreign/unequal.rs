//! Calls with a layout that another engine serves: either packed into one buffer in each direction, or
//! carried out by messages in place.

use super::composed::arithmetic;
use super::usage::{Usage, check};
use crate::backend::compose::Recipe;
use crate::backend::compose::performance::{Arithmetic, BufferMap, Performance};
use crate::backend::packing::{Packed, Scattered, ScatteredInput, ScatteredOutput};
use crate::backend::{Started, Support};
use crate::base::Result;
use crate::comm::call::placement::Placed;
use crate::comm::{Communicator, Places, Request, Unequal};
use crate::executor::Division;
use crate::plan::PlanRequest;

/// Runs a call with a layout by another engine. `None`: the builtin engine must serve it, and nothing was
/// done.
///
/// # Safety
/// See [`Communicator::run`].
pub(super) unsafe fn run(comm: &Communicator, operation: &Unequal) -> Option<Result<()>> {
    let (usage, support) = served_by(comm, operation)?;
    // SAFETY: passed on from our caller.
    Some(unsafe { usage.serve_unequal(support, operation, false) }.and_then(|mut request| request.wait()))
}

/// Starts a call with a layout by another engine. `None` as for [`run`].
///
/// # Safety
/// See [`Communicator::start`].
pub(super) unsafe fn start(comm: &Communicator, operation: &Unequal) -> Option<Result<Request>> {
    let (usage, support) = served_by(comm, operation)?;
    // SAFETY: passed on from our caller.
    Some(unsafe { usage.serve_unequal(support, operation, true) })
}

/// The engine that serves the call, and how. `None`: it is the builtin one.
fn served_by<'a>(comm: &'a Communicator, operation: &Unequal) -> Option<(Usage<'a>, Support)> {
    let foreign = comm.engines.on_host.as_deref()?;
    let support = foreign.support(operation.collective, operation.datatype, operation.op);
    (support != Support::Builtin).then_some((Usage { comm, foreign }, support))
}

impl Usage<'_> {
    /// Runs or starts a call with a layout.
    ///
    /// # Safety
    /// See [`Communicator::start`].
    unsafe fn serve_unequal(
        self,
        support: Support,
        operation: &Unequal,
        only_start: bool,
    ) -> Result<Request> {
        let Usage { comm, foreign } = self;
        operation.check_host(&comm.devices.kinds)?;
        check(comm)?;
        let placed = Placed::of(operation, operation.datatype.bytes(), comm.rank, comm.size())?;
        let Unequal { collective, datatype, op, root, layout, places } = *operation;
        if let Support::Composed(Recipe::Messages(algorithm)) = support {
            // SAFETY: passed on from our caller; the call was placed.
            return unsafe { self.unequal_over_messages(algorithm, operation, &placed) };
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
            let started = started.map_err(|error| self.failed(error))?;
            return Ok(self.request(Box::new(Unpacking { started, packed })));
        }
        // SAFETY: as above.
        let run = || unsafe { foreign.comm.run_unequal(&call) };
        foreign.co_progress.run_blocking(&comm.driver, run).map_err(|error| self.failed(error))?;
        // SAFETY: the call has ended without an error.
        unsafe { packed.unpack() };
        Ok(self.request(Box::new(Vec::new())))
    }

    /// Starts a call with a layout as one of the library's plans over the engine's messages, in place.
    ///
    /// # Safety
    /// See [`Communicator::start`]; `placed` belongs to this call.
    unsafe fn unequal_over_messages(
        self,
        algorithm: &'static str,
        operation: &Unequal,
        placed: &Placed,
    ) -> Result<Request> {
        let Unequal { collective, datatype, root, layout, places, .. } = *operation;
        let kernels = placed.placement.kernels(operation, self.comm.size())?;
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
        let arithmetic = Arithmetic { divide: None, ..arithmetic(kernels.reduce, None) };
        // SAFETY: this is the plan of the call, and the maps say where its blocks are.
        let performance = unsafe { self.performance(algorithm, &request, input, output, arithmetic) }?;
        let averaged = Averaged::new(performance, kernels.divide, operation);
        Ok(self.request(Box::new(averaged)))
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

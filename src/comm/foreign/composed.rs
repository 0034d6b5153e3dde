//! Calls that are composed of several calls of another engine. [`crate::backend::compose`] explains each way.

use std::sync::Arc;

use super::usage::Usage;
use crate::algo;
use crate::backend::compose::Recipe;
use crate::backend::compose::of_collectives::{ReduceBroadcast, ReduceScatterAllGather};
use crate::backend::compose::performance::{Arithmetic, BufferMap, Performance};
use crate::backend::{Started, UniformCall};
use crate::base::{Call, CallKind, Collective, Datatype, Result};
use crate::comm::{Operation, Request};
use crate::executor::Division;
use crate::plan::{BlockLayout, PlanRequest};
use crate::reduce::Reducer;

impl Usage<'_> {
    /// # Safety
    /// See [`Communicator::start`].
    pub unsafe fn start_composed(self, recipe: Recipe, call: &UniformCall) -> Result<Request> {
        let (rank, size) = (self.comm.rank, self.comm.size());
        let comm = Arc::clone(&self.foreign.comm);
        let started: Box<dyn Started> = match recipe {
            Recipe::ReduceBroadcast => {
                // SAFETY: passed on from our caller.
                Box::new(unsafe { ReduceBroadcast::start(comm, call, rank) }.map_err(|e| self.failed(e))?)
            }
            Recipe::ReduceScatterAllGather => {
                // SAFETY: as above; this recipe is used only for memory of the processor.
                let started = unsafe { ReduceScatterAllGather::start(comm, call, rank, size) };
                Box::new(started.map_err(|error| self.failed(error))?)
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
                let kernels = operation.kernels(rank, size)?;
                let request = PlanRequest {
                    count: call.count,
                    in_place: call.in_place,
                    ..self.plan_request(call.collective, call.datatype, call.root)
                };
                let arithmetic = arithmetic(kernels.reduce, kernels.divide);
                let (input, output) = (BufferMap::at(call.send.cast_mut()), BufferMap::at(call.recv));
                // SAFETY: this is the plan of the call, in the buffers of the call.
                Box::new(unsafe { self.performance(algorithm, &request, input, output, arithmetic) }?)
            }
        };
        Ok(self.request(started))
    }

    /// # Safety
    /// See [`Performance::new`].
    pub unsafe fn performance(
        self,
        algorithm: &'static str,
        request: &PlanRequest,
        input: BufferMap,
        output: BufferMap,
        arithmetic: Arithmetic,
    ) -> Result<Performance> {
        let algorithm = algo::find(request.collective, algorithm).expect("a test has looked for each");
        let plan = (algorithm.build)(request);
        // SAFETY: passed on from our caller.
        unsafe {
            Performance::new(
                Arc::clone(&self.foreign.comm),
                plan,
                request.element_bytes,
                input,
                output,
                arithmetic,
            )
        }
    }

    pub fn plan_request(&self, collective: Collective, datatype: Datatype, root: u32) -> PlanRequest<'_> {
        PlanRequest {
            collective,
            size: self.comm.size(),
            rank: self.comm.rank,
            root,
            count: 0,
            element_bytes: datatype.bytes(),
            in_place: false,
            chunk_bytes: usize::MAX,
            topology: &self.comm.topology,
            layout: BlockLayout::NONE,
        }
    }
}

/// The arithmetic of a plan that uses no function of the program.
pub(super) fn arithmetic(reduce: Option<Reducer>, divide: Option<Division>) -> Arithmetic {
    let reduce = reduce.map(|reducer| match reducer {
        Reducer::Kernel(kernel) => kernel.plain,
        Reducer::Callback(_) => unreachable!("functions of the program are the builtin engine's"),
    });
    Arithmetic { reduce, divide: divide.map(|division| (division.divide, division.elements, division.by)) }
}

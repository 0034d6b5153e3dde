//! Running and starting collectives with unequal blocks.

use std::sync::Arc;

use super::call::operator::Operator;
use super::call::placement::Placed;
use super::call::spec::CallSpec;
use super::call::unequal::{Places, Unequal};
use super::communicator::Communicator;
use super::request::Request;
use crate::base::{Datatype, Error, Result};
use crate::executor::{Buffers, Prepared};
use crate::plan::{Block, extent};
use crate::sys::zeroed::zeroed;

impl Communicator {
    /// Runs a call with a layout to its end.
    ///
    /// # Safety
    /// The blocks are valid for what the collective reads and writes, for the whole call.
    pub unsafe fn run_unequal(&self, operation: &Unequal) -> Result<()> {
        // SAFETY: passed on from our caller.
        if let Some(outcome) = unsafe { self.run_on_device(&CallSpec::Unequal(operation, None)) } {
            return outcome;
        }
        self.check_usable()?;
        operation.check_host(&self.kinds)?;
        // SAFETY: passed on from our caller.
        if let Some(outcome) = unsafe { self.run_foreign_unequal(operation) } {
            return outcome;
        }
        let (prepared, buffers) = self.plan_cache.get_unequal(operation, None, self.rank, &self.topology)?;
        // SAFETY: the plan touches only the blocks, for which the caller vouches.
        unsafe { self.driver.run_once(self.id, prepared, buffers, self.timeout.get()) }
    }

    /// Like [`Communicator::run_unequal`]. `operator` is set if the program has made the operator.
    ///
    /// # Safety
    /// See [`Communicator::run_unequal`].
    pub unsafe fn run_unequal_with_operator(
        &self,
        operation: &Unequal,
        operator: Option<&Arc<Operator>>,
    ) -> Result<()> {
        match operator {
            // SAFETY: passed on from our caller.
            None => unsafe { self.run_unequal(operation) },
            Some(_) => {
                // SAFETY: passed on from our caller.
                let on_device = unsafe { self.run_on_device(&CallSpec::Unequal(operation, operator)) };
                on_device.unwrap_or_else(|| {
                    // SAFETY: passed on from our caller.
                    unsafe { self.start_unequal_with_operator(operation, operator) }?.wait()
                })
            }
        }
    }

    /// Starts a call with a layout. The layout itself is not needed after the return.
    ///
    /// # Safety
    /// See [`Communicator::run_unequal`]; the promise holds until the request is complete.
    pub unsafe fn start_unequal(&self, operation: &Unequal) -> Result<Request> {
        // SAFETY: passed on from our caller.
        unsafe { self.start_unequal_with_operator(operation, None) }
    }

    /// Like [`Communicator::start_unequal`]. `operator` is set if the program has made the operator.
    ///
    /// # Safety
    /// See [`Communicator::start_unequal`].
    pub unsafe fn start_unequal_with_operator(
        &self,
        operation: &Unequal,
        operator: Option<&Arc<Operator>>,
    ) -> Result<Request> {
        // SAFETY: passed on from our caller.
        if let Some(started) = unsafe { self.start_on_device(&CallSpec::Unequal(operation, operator)) } {
            return started;
        }
        self.check_usable()?;
        operation.check_host(&self.kinds)?;
        if operator.is_none()
            // SAFETY: passed on from our caller.
            && let Some(started) = unsafe { self.start_foreign_unequal(operation) }
        {
            return started;
        }
        // SAFETY: passed on from our caller.
        let mut ready = unsafe { self.prepare_unequal(operation, operator) }?;
        // SAFETY: as above; dropping a request waits for it, so it does not outlive the blocks unnoticed.
        let request = unsafe { self.start_prepared_unequal(&mut ready) }?;
        Ok(request.keeping(ready.scaling.map_or(Vec::new(), |scaling| scaling.memory)))
    }

    /// Checks a call with a layout and finds its program. Local.
    ///
    /// # Safety
    /// The blocks lie where the call says, from each start to the end of that run.
    pub(super) unsafe fn prepare_unequal(
        &self,
        operation: &Unequal,
        operator: Option<&Arc<Operator>>,
    ) -> Result<PreparedUnequal> {
        self.check_usable()?;
        operation.check_host(&self.kinds)?;
        let callback = match operator {
            None => None,
            Some(operator) => {
                operator.check(&operation.whole_call())?;
                operator.callback_on(operation.datatype)
            }
        };
        let get = |operation| self.plan_cache.get_unequal(operation, callback, self.rank, &self.topology);
        let Some(operator) = operator.filter(|operator| operator.scales()) else {
            let (prepared, buffers) = get(operation)?;
            return Ok(PreparedUnequal { prepared, buffers, scaling: None });
        };
        Placed::of(operation, operation.datatype.bytes(), self.rank, self.size())?;
        let Places::Buffers { send, recv } = operation.places else {
            return Err(Error::Internal(format!("{} of a list of blocks", operation.collective.name())));
        };
        let blocks = operation.layout.input.to_vec();
        let bytes = extent(&blocks) * operation.datatype.bytes();
        let memory = zeroed(bytes).map_err(|error| Error::no_memory(bytes, "the scaled input", error))?;
        let mut scaling = Scaling {
            operator: Arc::clone(operator),
            saturates: self.plan_cache.saturates(),
            datatype: operation.datatype,
            send,
            blocks,
            memory,
        };
        let places = Places::Buffers { send: scaling.memory.as_mut_ptr().cast_const(), recv };
        let (prepared, buffers) = get(&Unequal { places, ..*operation })?;
        Ok(PreparedUnequal { prepared, buffers, scaling: Some(scaling) })
    }

    /// Starts a prepared call.
    ///
    /// # Safety
    /// The promise of [`Communicator::prepare_unequal`] holds. The previous run has ended. `ready` outlives
    /// this run, or the request keeps its memory.
    pub(super) unsafe fn start_prepared_unequal(&self, ready: &mut PreparedUnequal) -> Result<Request> {
        if let Some(scaling) = &mut ready.scaling {
            // SAFETY: the blocks are readable by the caller's promise, and no one else uses the memory
            // between runs.
            unsafe { scaling.scale() };
        }
        // SAFETY: passed on from our caller.
        let ticket = unsafe { self.driver.start_once(self.id, Arc::clone(&ready.prepared), ready.buffers) }?;
        Ok(Request::new(self.driver.clone(), ticket, self.timeout.get()))
    }
}

/// A call with a layout that can be started several times.
pub(super) struct PreparedUnequal {
    prepared: Arc<Prepared>,
    buffers: Buffers,
    scaling: Option<Scaling>,
}

/// The scaled input of a premultiplied sum. Its blocks keep their offsets, in memory of the library.
struct Scaling {
    operator: Arc<Operator>,
    saturates: bool,
    datatype: Datatype,
    send: *const u8,
    blocks: Vec<Block>,
    memory: Vec<u8>,
}

impl Scaling {
    /// # Safety
    /// The blocks are readable at `send`, and no one else uses `memory`.
    unsafe fn scale(&mut self) {
        for block in self.blocks.iter().filter(|block| block.len > 0) {
            let at = block.offset * self.datatype.bytes();
            let to = self.memory[at..].as_mut_ptr();
            // SAFETY: the caller vouches for the block; `memory` has as much room and does not overlap it.
            unsafe { self.operator.scale(to, self.send.wrapping_add(at), block.len, self.saturates) };
        }
    }
}

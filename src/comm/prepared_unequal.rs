//! A collective with a layout that the builtin engine can start several times.

use std::sync::Arc;

use super::call::operator::Operator;
use super::call::placement::Placed;
use super::call::unequal::{Places, Unequal};
use super::communicator::Communicator;
use super::request::Request;
use crate::base::{Call, Datatype, Error, Result};
use crate::executor::{Buffers, Prepared};
use crate::plan::{Block, extent};
use crate::sys::zeroed::zeroed;

/// A call with a layout that can be started several times.
pub(super) struct PreparedUnequal {
    prepared: Arc<Prepared>,
    buffers: Buffers,
    scaling: Option<Scaling>,
}

impl PreparedUnequal {
    /// Checks a call with a layout and finds its plan. Local.
    ///
    /// # Safety
    /// The blocks lie where the call says, from each start to the end of that run.
    pub unsafe fn new(
        comm: &Communicator,
        operation: &Unequal,
        operator: Option<&Arc<Operator>>,
    ) -> Result<PreparedUnequal> {
        operation.check_host(&comm.devices.kinds)?;
        let callback = match operator {
            None => None,
            Some(operator) => {
                operator.check(&operation.whole_call())?;
                operator.callback_on(operation.datatype)
            }
        };
        let get = |operation| comm.plan_cache.get_unequal(operation, callback, comm.rank, &comm.topology);
        let Some(operator) = operator.filter(|operator| operator.scales()) else {
            let (prepared, buffers) = get(operation)?;
            return Ok(PreparedUnequal { prepared, buffers, scaling: None });
        };
        Placed::of(operation, operation.datatype.bytes(), comm.rank, comm.size())?;
        let Places::Buffers { send, recv } = operation.places else {
            return Err(Error::Internal(format!("{} of a list of blocks", operation.collective.name())));
        };
        let blocks = operation.layout.input.to_vec();
        let bytes = extent(&blocks) * operation.datatype.bytes();
        let memory = zeroed(bytes).map_err(|error| Error::no_memory(bytes, "the scaled input", error))?;
        let mut scaling = Scaling {
            operator: Arc::clone(operator),
            saturates: comm.plan_cache.saturates(),
            datatype: operation.datatype,
            send,
            blocks,
            memory,
        };
        let places = Places::Buffers { send: scaling.memory.as_mut_ptr().cast_const(), recv };
        let (prepared, buffers) = get(&Unequal { places, ..*operation })?;
        Ok(PreparedUnequal { prepared, buffers, scaling: Some(scaling) })
    }

    /// The call as the other ranks see it.
    pub fn call(&self) -> &Call {
        &self.prepared.call
    }

    /// Starts the call.
    ///
    /// # Safety
    /// The promise of [`PreparedUnequal::new`] holds. The previous run has ended. `self` outlives this run,
    /// or the request keeps its memory.
    pub unsafe fn start(&mut self, comm: &Communicator) -> Result<Request> {
        if let Some(scaling) = &mut self.scaling {
            // SAFETY: the blocks are readable by the caller's promise, and no one else uses the memory
            // between runs.
            unsafe { scaling.scale() };
        }
        // SAFETY: passed on from our caller.
        let ticket = unsafe { comm.driver.start_once(comm.id, Arc::clone(&self.prepared), self.buffers) }?;
        Ok(comm.request(ticket))
    }

    /// The memory of the library that a run uses.
    pub fn into_memory(self) -> Vec<u8> {
        self.scaling.map_or(Vec::new(), |scaling| scaling.memory)
    }
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

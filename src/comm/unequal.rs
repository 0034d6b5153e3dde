//! Calls whose blocks differ in length: counts and displacements in two buffers, or a pointer per block.
//!
//! What must hold before anything is sent is checked in [`super::placement`].
//!
//! Plans are built per layout, because counts change from call to call; those of the latest layouts are kept
//! ([`super::known_layouts`]).

use std::sync::Arc;

use crate::base::{Call, CallKind, Collective, Datatype, Error, Rank, ReduceOp, Result, mix};
use crate::comm::Communicator;
use crate::executor::{Buffers, Prepared};
use crate::plan::{Block, BlockLayout, extent};

use super::operation::Kernels;
use super::operator::Operator;
use super::placement::Placement;
use super::request::Request;

/// One call of a collective with a layout.
#[derive(Clone, Copy, Debug)]
pub struct Unequal<'a> {
    /// Which: one that has a layout.
    pub collective: Collective,
    /// Element type.
    pub datatype: Datatype,
    /// Operator, where the collective reduces.
    pub op: Option<ReduceOp>,
    /// Root, where it has one; else 0.
    pub root: Rank,
    /// The blocks, as [`BlockLayout`] lists them for the collective. Offsets count from the start of a buffer; in lists
    /// of pointers, blocks lie one after the other.
    pub layout: BlockLayout<'a>,
    /// Where the blocks are.
    pub places: Places<'a>,
}

/// Where the blocks of a call are.
#[derive(Clone, Copy, Debug)]
pub enum Places<'a> {
    /// In two buffers.
    Buffers {
        /// Start of the input.
        send: *const u8,
        /// Start of the output.
        recv: *mut u8,
    },
    /// Each by itself: a pointer per block of the layout.
    Lists {
        /// Of the input.
        sends: &'a [*const u8],
        /// Of the output.
        recvs: &'a [*mut u8],
    },
}

impl Communicator {
    /// Runs a call with a layout to its end.
    ///
    /// # Safety
    /// The blocks are valid for what the collective reads and writes, for the whole call.
    pub unsafe fn run_unequal(&self, operation: &Unequal) -> Result<()> {
        self.check_usable()?;
        operation.check_host(&self.kinds)?;
        // SAFETY: passed on from our caller.
        if let Some(outcome) = unsafe { self.run_foreign_unequal(operation) } {
            return outcome;
        }
        let (prepared, buffers) = self.programs.get_unequal(operation, None, self.rank, &self.topology)?;
        // SAFETY: the plan touches the blocks only, for which the caller vouches.
        unsafe { self.driver.run_once(self.group, prepared, buffers, self.timeout.get()) }
    }

    /// The same; `operator`: where the call's is not builtin.
    ///
    /// # Safety
    /// As [`Communicator::run_unequal`].
    pub unsafe fn run_unequal_by(&self, operation: &Unequal, operator: Option<&Arc<Operator>>) -> Result<()> {
        match operator {
            // SAFETY: passed on from our caller.
            None => unsafe { self.run_unequal(operation) },
            // SAFETY: passed on from our caller.
            Some(_) => unsafe { self.start_unequal_by(operation, operator) }?.wait(),
        }
    }

    /// Starts a call with a layout. The layout itself may go when this returns.
    ///
    /// # Safety
    /// As [`Communicator::run_unequal`], until the request is complete.
    pub unsafe fn start_unequal(&self, operation: &Unequal) -> Result<Request> {
        // SAFETY: passed on from our caller.
        unsafe { self.start_unequal_by(operation, None) }
    }

    /// The same; `operator`: where the call's is not builtin.
    ///
    /// # Safety
    /// As [`Communicator::start_unequal`].
    pub unsafe fn start_unequal_by(
        &self,
        operation: &Unequal,
        operator: Option<&Arc<Operator>>,
    ) -> Result<Request> {
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
        // SAFETY: as above; a request that is dropped waits, so the blocks are not outlived unnoticed.
        let request = unsafe { self.start_ready(&mut ready) }?;
        Ok(request.keeping(ready.scaling.map_or(Vec::new(), |scaling| scaling.memory)))
    }

    /// Checks a call with a layout and finds its program. Local.
    ///
    /// # Safety
    /// The blocks are where the call says, from each start to the end of that run.
    pub(super) unsafe fn prepare_unequal(
        &self,
        operation: &Unequal,
        operator: Option<&Arc<Operator>>,
    ) -> Result<Ready> {
        self.check_usable()?;
        operation.check_host(&self.kinds)?;
        let callback = match operator {
            None => None,
            Some(operator) => {
                operator.check(&operation.whole_call())?;
                operator.callback_on(operation.datatype)
            }
        };
        let get = |operation| self.programs.get_unequal(operation, callback, self.rank, &self.topology);
        let Some(operator) = operator.filter(|operator| operator.scales()) else {
            let (prepared, buffers) = get(operation)?;
            return Ok(Ready { prepared, buffers, scaling: None });
        };
        operation.place(self.rank, self.size())?;
        let Places::Buffers { send, recv } = operation.places else {
            return Err(Error::Internal(format!("{} of a list of blocks", operation.collective.name())));
        };
        let blocks = operation.layout.input.to_vec();
        let memory = vec![0; extent(&blocks) * operation.datatype.bytes()];
        let mut scaling = Scaling {
            operator: Arc::clone(operator),
            saturates: self.programs.saturates(),
            datatype: operation.datatype,
            send,
            blocks,
            memory,
        };
        let places = Places::Buffers { send: scaling.memory.as_mut_ptr().cast_const(), recv };
        let (prepared, buffers) = get(&Unequal { places, ..*operation })?;
        Ok(Ready { prepared, buffers, scaling: Some(scaling) })
    }

    /// Starts what was prepared.
    ///
    /// # Safety
    /// The promise of [`Communicator::prepare_unequal`]; the run before has ended, and `ready` outlives this one, or else
    /// the request keeps its memory.
    pub(super) unsafe fn start_ready(&self, ready: &mut Ready) -> Result<Request> {
        if let Some(scaling) = &mut ready.scaling {
            // SAFETY: the blocks are readable by the caller's promise, and nobody else uses the memory between runs.
            unsafe { scaling.scale() };
        }
        // SAFETY: passed on from our caller.
        let ticket =
            unsafe { self.driver.start_once(self.group, Arc::clone(&ready.prepared), ready.buffers) }?;
        Ok(Request::new(self.driver.clone(), ticket, self.timeout.get()))
    }
}

/// A call with a layout that can be started, more than once.
pub(super) struct Ready {
    prepared: Arc<Prepared>,
    buffers: Buffers,
    scaling: Option<Scaling>,
}

/// The input of a premultiplied sum, scaled: at the same places in memory of our own.
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
    /// The blocks are readable at `send`, and nobody else uses `memory`.
    unsafe fn scale(&mut self) {
        for block in self.blocks.iter().filter(|block| block.len > 0) {
            let at = block.offset * self.datatype.bytes();
            let to = self.memory[at..].as_mut_ptr();
            // SAFETY: the caller vouches for the block; as much room was made for it, apart from it.
            unsafe { self.operator.scale(to, self.send.wrapping_add(at), block.len, self.saturates) };
        }
    }
}

impl Unequal<'_> {
    /// What was called, as a whole.
    pub(super) fn whole_call(&self) -> Call {
        let Unequal { collective, datatype, op, root, .. } = *self;
        let count = match self.shared_counts() {
            Some(blocks) => {
                blocks.iter().fold(blocks.len() as u64, |hash, block| mix(hash ^ block.len as u64))
            }
            None => Call::WHOLE,
        };
        Call { kind: CallKind::Collective(collective), datatype, op, root, count }
    }

    /// The blocks whose lengths all ranks know.
    fn shared_counts(&self) -> Option<&[Block]> {
        match self.collective {
            Collective::AllGatherV => Some(self.layout.output),
            Collective::ReduceScatterV => Some(self.layout.input),
            _ => None,
        }
    }

    /// As [`PlanRequest::count`] wants it.
    pub(super) fn mean_count(&self) -> usize {
        let blocks = self.shared_counts().unwrap_or_default();
        let whole: usize = blocks.iter().map(|block| block.len).sum();
        whole.div_ceil(blocks.len().max(1))
    }

    /// The kernels on float32 copies of the blocks, where the layout has them.
    pub(super) fn kernels_on_copies(&self, size: u32) -> Result<Kernels> {
        let on_copies = Unequal { datatype: Datatype::Float32, ..*self };
        let apart = Placement { in_place: false, addresses: Vec::new(), is_list: false };
        on_copies.kernels(size, &apart)
    }

    pub(super) fn kernels(&self, size: u32, placed: &Placement) -> Result<Kernels> {
        let Some((op, result)) = self.op.zip(self.layout.output.first()) else {
            return Ok(Kernels::default());
        };
        let mut kernels = Kernels::of(self.datatype, op, result.len, size)?;
        if let Some(division) = &mut kernels.divide {
            let in_buffer = result.offset * self.datatype.bytes();
            division.offset =
                if placed.is_list { placed.addresses[self.layout.input.len()] } else { in_buffer };
        }
        Ok(kernels)
    }
}

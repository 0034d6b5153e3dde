//! Collective calls under way, and executions that are kept for later calls.

use std::ptr;
use std::sync::Arc;

use super::context::CommId;
use super::disagreement::History;
use crate::base::Result;
use crate::executor::{Buffers, Copies, Division, Execution, Prepared, placed};
use crate::observe::status::ShownEnd;
use crate::transport::Header;

/// Most executions that are kept for later calls.
pub(super) const MOST_SPARE: usize = 8;

/// All collective calls of this rank whose outcome has not been taken yet.
#[derive(Default)]
pub(super) struct Calls {
    pub active: Vec<ActiveCall>,
    /// Executions to be reused; their lists have room already.
    #[expect(clippy::vec_box, reason = "moves between lists as a pointer")]
    pub spare: Vec<Box<Execution>>,
    pub next_number: u64,
    /// Number of the first call that has not been compared with stashed messages.
    pub compared: u64,
}

/// A call that was started.
pub(super) struct ActiveCall {
    pub number: u64,
    pub comm: CommId,
    pub prepared: Arc<Prepared>,
    pub buffers: Buffers,
    /// The numbers that the exchange before the call receives. Empty if there is no exchange.
    pub received: Vec<u64>,
    /// Copies of the buffers, if the call runs on copies.
    pub copies: Option<Copies>,
    /// Boxed, because it moves from list to list.
    pub execution: Box<Execution>,
    pub outcome: Option<Result<()>>,
    /// Number of visits in which something moved.
    pub moves: u32,
    /// Bytes that were sent and received.
    pub bytes: u64,
    /// Its number in the flight recorder; 0 if there is none.
    pub operation: u64,
}

// SAFETY: `buffers` are the caller's, who has promised to leave them alone until the call is complete (as in
// `Execution`); they are only used through `&mut Engine`.
unsafe impl Send for ActiveCall {}

impl ActiveCall {
    /// Begins the call itself if its execution was the exchange before it. Returns whether it was.
    pub fn begin_after_exchange(&mut self) -> Result<bool> {
        let Some(exchange) = &self.prepared.pre_exchange else { return Ok(false) };
        let prepared = (exchange.complete)(&self.received)?;
        self.execution.reserve(&prepared.program)?;
        let header = *self.execution.header();
        // SAFETY: the buffers are those of `Engine::start`, whose caller leaves them alone until there is an
        // outcome.
        unsafe { self.execution.begin(Arc::clone(&prepared), header, self.buffers) };
        self.prepared = prepared;
        Ok(true)
    }

    /// Bytes that this rank sends and receives in the call.
    pub fn bytes_asked(&self) -> u64 {
        self.prepared.program.traffic().map(|(_, sent, received)| sent + received).sum()
    }

    /// Runs the last local steps.
    pub fn finish(&mut self) {
        let (Some(widened), Some(copies)) = (&self.prepared.widened, &mut self.copies) else {
            return finish(&self.prepared, self.buffers);
        };
        finish(&self.prepared, copies.buffers());
        // SAFETY: the caller of `Engine::start` vouches for the buffers, and the call has ended on the
        // copies.
        unsafe { widened.copy_out(copies, self.buffers) };
    }
}

#[inline(always)]
pub(super) fn header_for(
    context: u32,
    collectives: &mut History,
    prepared: &Prepared,
    end: ShownEnd,
) -> Header {
    let sequence = collectives.note(&prepared.packed, prepared.fingerprint, end);
    Header { context, sequence, call: prepared.packed }
}

#[inline]
#[expect(clippy::vec_box, reason = "moves between lists as a pointer")]
pub(super) fn spare_for(spare: &mut Vec<Box<Execution>>, prepared: &Arc<Prepared>) -> Box<Execution> {
    spare.pop().unwrap_or_else(|| Box::new(Execution::idle(Arc::clone(prepared))))
}

/// Scratch of the next spare execution.
#[expect(clippy::vec_box, reason = "moves between lists as a pointer")]
pub(super) fn scratch_of(spare: &mut Vec<Box<Execution>>, prepared: &Arc<Prepared>) -> *mut u8 {
    if spare.is_empty() {
        spare.push(Box::new(Execution::idle(Arc::clone(prepared))));
    }
    spare.last_mut().map_or(ptr::null_mut(), |next| next.scratch(&prepared.program))
}

/// Runs the last local step of a call.
#[inline]
pub(super) fn finish(prepared: &Prepared, buffers: Buffers) {
    if let Some(Division { divide, offset, elements, by }) = prepared.divide
        && by > 1
    {
        // SAFETY: the caller's output has at least that many elements, and the call is not complete yet.
        unsafe { divide(placed(buffers.output, offset), elements, by) };
    }
}

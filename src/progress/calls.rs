//! Collective calls under way: how they start, and how they end.

use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use super::context::CommId;
use super::disagreement::History;
use super::engine::{CallOutcome, Engine, Ticket};
use super::engine_comm::EngineComm;
use crate::base::{Error, Result};
use crate::executor::{Buffers, Copies, Division, Execution, Prepared, placed};
use crate::transport::Header;

/// Time after which a rank with links over sockets reads the control channels before a call ends well. That
/// costs a system call per peer.
const MAX_CONTROL_AGE: Duration = Duration::from_millis(100);

/// Executions that are kept for later calls, at most.
const MOST_SPARE: usize = 8;

/// All collective calls of this rank whose outcome has not been taken yet.
#[derive(Default)]
pub(super) struct Calls {
    pub active: Vec<ActiveCall>,
    /// Executions to be used again: their lists have room already.
    #[expect(clippy::vec_box, reason = "moves between lists as a pointer")]
    pub spare: Vec<Box<Execution>>,
    next_number: u64,
}

/// A call that was started.
pub(super) struct ActiveCall {
    pub number: u64,
    pub comm: CommId,
    pub prepared: Arc<Prepared>,
    buffers: Buffers,
    /// The numbers that the exchange before the call receives; empty where there is none.
    received: Vec<u64>,
    /// Copies of the buffers, where the call runs on copies.
    copies: Option<Copies>,
    /// Boxed, as it moves from list to list.
    pub execution: Box<Execution>,
    pub outcome: Option<Result<()>>,
    /// Number of visits in which something moved.
    pub moves: u32,
}

// SAFETY: `buffers` are the caller's, promised to be left alone until the call is complete (as in
// `Execution`); it is only used through `&mut Engine`.
unsafe impl Send for ActiveCall {}

impl ActiveCall {
    /// Begins the call itself, if its execution was the exchange before it. Returns whether it was.
    pub fn begin_after_exchange(&mut self) -> Result<bool> {
        let Some(exchange) = &self.prepared.pre_exchange else { return Ok(false) };
        let prepared = (exchange.complete)(&self.received)?;
        let header = *self.execution.header();
        // SAFETY: the buffers are those of `Engine::start`, whose caller leaves them alone until the outcome
        // is there.
        unsafe { self.execution.begin(Arc::clone(&prepared), header, self.buffers) };
        self.prepared = prepared;
        Ok(true)
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

impl Engine {
    /// Starts a call. It moves in `progress`.
    ///
    /// # Safety
    /// The buffers are valid for the program, and left alone until the call is complete or has failed.
    pub unsafe fn start(
        &mut self,
        comm: CommId,
        prepared: Arc<Prepared>,
        buffers: Buffers,
    ) -> Result<Ticket> {
        if let Some(failure) = self.report_failure(comm) {
            return Err(failure);
        }
        let EngineComm { context, collectives, .. } = self.comms.get_mut(comm);
        let header = header_for(*context, collectives, &prepared);
        let mut execution = spare_for(&mut self.calls.spare, &prepared);
        let mut received = Vec::new();
        // SAFETY: passed on from our caller.
        let mut copies = prepared.widened.as_ref().map(|widened| unsafe { widened.copy_in(buffers) });
        let used = match &prepared.pre_exchange {
            None => copies.as_mut().map_or(buffers, Copies::buffers),
            Some(exchange) => {
                received.resize(exchange.received, 0);
                Buffers { input: exchange.sent.as_ptr().cast(), output: received.as_mut_ptr().cast() }
            }
        };
        // SAFETY: passed on from our caller; the numbers sent and received are as many as the program of the
        // exchange takes, and live as long as the active call that is made of them.
        unsafe { execution.begin(Arc::clone(&prepared), header, used) };
        Ok(self.enlist(comm, &prepared, buffers, (received, copies), execution))
    }

    pub(super) fn enlist(
        &mut self,
        comm: CommId,
        prepared: &Arc<Prepared>,
        buffers: Buffers,
        (received, copies): (Vec<u64>, Option<Copies>),
        execution: Box<Execution>,
    ) -> Ticket {
        let number = self.calls.next_number;
        self.calls.next_number += 1;
        let prepared = Arc::clone(prepared);
        let (outcome, moves) = (None, 0);
        let active =
            ActiveCall { number, comm, prepared, buffers, received, copies, execution, outcome, moves };
        self.calls.active.push(active);
        if self.comms.get(comm).holds_senders {
            self.release_senders(comm);
        }
        if self.comms.get(comm).stalls_known {
            self.compare_stalls(comm);
        }
        Ticket::Call(number)
    }

    /// The outcome of a call, once it has one. The ticket is used up then.
    pub fn take_outcome(&mut self, ticket: Ticket) -> Option<CallOutcome> {
        let number = match ticket {
            Ticket::Call(number) => number,
            Ticket::Message(ticket) => {
                return self.take_message_outcome(ticket).map(|outcome| outcome.map(Some));
            }
        };
        let at = self.calls.active.iter().position(|a| a.number == number)?;
        self.calls.active[at].outcome.as_ref()?;
        let mut active = self.calls.active.swap_remove(at);
        if matches!(active.outcome, Some(Ok(()))) && self.may_have_missed_control() {
            self.read_control();
            if let Some(failure @ Error::Timeout { .. }) = self.failure(active.comm) {
                active.outcome = Some(Err(failure.clone()));
            }
        }
        // Not after a failure: an execution that stopped in the middle is of no use.
        if self.calls.spare.len() < MOST_SPARE && !matches!(active.outcome, Some(Err(_))) {
            self.calls.spare.push(active.execution);
        }
        active.outcome.map(|outcome| outcome.map(|()| None))
    }

    /// Whether this rank may have been stopped for so long that others have given up a call that succeeds
    /// here. What they had sent may still be in a socket; in shared memory they have cancelled it.
    fn may_have_missed_control(&self) -> bool {
        self.has_sockets && self.control.read_at.elapsed() >= MAX_CONTROL_AGE
    }
}

#[inline(always)]
pub(super) fn header_for(context: u32, collectives: &mut History, prepared: &Prepared) -> Header {
    let call = prepared.packed;
    Header { context, sequence: collectives.note(call, prepared.fingerprint), call }
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

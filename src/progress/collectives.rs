//! Starting collective calls in the engine, and taking their outcomes.

use std::sync::Arc;
use std::time::Duration;

use super::calls::{ActiveCall, MOST_SPARE, header_for, spare_for};
use super::context::CommId;
use super::engine::{CallOutcome, Engine, Ticket};
use super::engine_comm::EngineComm;
use crate::base::{Error, Result};
use crate::executor::{Buffers, Copies, Execution, Prepared, StagedBuffers};
use crate::observe::status::{ShownEnd, StatusPage};
use crate::sys::clock;

/// Age of the last read of the control channels from which they are read again before a call succeeds. This
/// applies to a rank with links over sockets, and costs a system call per peer.
const MAX_CONTROL_AGE: Duration = Duration::from_millis(100);

impl Engine {
    /// Starts a call. It makes progress in `progress`.
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
        self.note_start();
        let mut execution = spare_for(&mut self.calls.spare, &prepared);
        execution.reserve(&prepared.program)?;
        let mut received = Vec::new();
        // SAFETY: passed on from our caller.
        let copies = prepared.widened.as_ref().map(|widened| unsafe { widened.copy_in(buffers) });
        let mut copies = copies.transpose()?;
        // Whatever needs memory has it now, so the call is made on this rank.
        let EngineComm { context, collectives, .. } = self.comms.get_mut(comm);
        let header = header_for(*context, collectives, &prepared, ShownEnd::Open);
        let used = match &prepared.pre_exchange {
            None => copies.as_mut().map_or(buffers, Copies::buffers),
            Some(exchange) => {
                received.resize(exchange.received, 0);
                Buffers { input: exchange.sent.as_ptr().cast(), output: received.as_mut_ptr().cast() }
            }
        };
        // SAFETY: passed on from our caller. The numbers sent and received are as many as the program of the
        // exchange takes, and live as long as the active call that is made of them.
        unsafe { execution.begin(Arc::clone(&prepared), header, used) };
        Ok(self.enlist(comm, &prepared, buffers, (received, copies), execution))
    }

    /// Starts a call whose buffers are copied while it runs. It takes neither an exchange before it nor
    /// copies of its own.
    ///
    /// # Safety
    /// See [`Engine::start`] and [`StagedBuffers`], whose words live until the call has an outcome.
    pub unsafe fn start_staged(
        &mut self,
        comm: CommId,
        prepared: Arc<Prepared>,
        buffers: Buffers,
        staged: &StagedBuffers,
    ) -> Result<Ticket> {
        if let Some(failure) = self.report_failure(comm) {
            return Err(failure);
        }
        self.note_start();
        let mut execution = spare_for(&mut self.calls.spare, &prepared);
        execution.reserve(&prepared.program)?;
        let EngineComm { context, collectives, .. } = self.comms.get_mut(comm);
        let header = header_for(*context, collectives, &prepared, ShownEnd::Open);
        // SAFETY: passed on from our caller.
        unsafe { execution.begin_staged(Arc::clone(&prepared), header, buffers, staged) };
        Ok(self.enlist(comm, &prepared, buffers, (Vec::new(), None), execution))
    }

    pub(super) fn enlist(
        &mut self,
        comm: CommId,
        prepared: &Arc<Prepared>,
        buffers: Buffers,
        (received, copies): (Vec<u64>, Option<Copies>),
        execution: Box<Execution>,
    ) -> Ticket {
        self.opening.note_begin();
        let number = self.calls.next_number;
        self.calls.next_number += 1;
        let prepared = Arc::clone(prepared);
        let (outcome, moves, bytes) = (None, 0, 0);
        let operation = self.page.as_ref().map_or(0, StatusPage::latest_operation);
        let active = ActiveCall {
            number,
            comm,
            prepared,
            buffers,
            received,
            copies,
            execution,
            outcome,
            moves,
            bytes,
            operation,
        };
        self.calls.active.push(active);
        if self.observer.is_some() {
            self.note_begin();
        }
        if self.comms.get(comm).holds_senders {
            self.release_senders(comm);
        }
        if self.comms.get(comm).stalls_known {
            self.compare_stalls(comm);
        }
        Ticket::Call(number)
    }

    /// The outcome of a call, once it has one. This uses up the ticket.
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
        if self.observer.is_some() {
            self.note_taken(number);
        }
        if matches!(active.outcome, Some(Ok(()))) && self.may_have_missed_control() {
            self.read_control();
            if let Some(failure @ Error::Timeout { .. }) = self.failure(active.comm) {
                active.outcome = Some(Err(failure.clone()));
            }
        }
        // Not after a failure, because an execution that stopped in the middle cannot be reused.
        if self.calls.spare.len() < MOST_SPARE && !matches!(active.outcome, Some(Err(_))) {
            self.calls.spare.push(active.execution);
        }
        active.outcome.map(|outcome| outcome.map(|()| None))
    }

    /// Whether this rank may have been stopped for so long that others have given up a call that succeeds
    /// here. Data that they had sent may still be in a socket; in shared memory they have cancelled it.
    fn may_have_missed_control(&self) -> bool {
        self.has_sockets && clock::since(self.control.read_at) >= MAX_CONTROL_AGE
    }
}

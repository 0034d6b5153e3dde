//! The life of communicators in an engine: they are made from others, fail, and are removed.

use std::sync::atomic::Ordering;

use super::comm_table::Known;
use super::context::{CommId, is_of_transfers};
use super::engine::{Engine, Ticket};
use super::engine_comm::{EngineComm, FormedBy, GIVEN_UP};
use crate::base::{Error, Rank, Result};
use crate::log_line;
use crate::transport::control::ControlMessage;
use crate::transport::{CONTEXTS, failure};

impl Engine {
    /// A new context for a communicator that is made from one that this rank leads.
    pub fn lead(&mut self) -> Result<u32> {
        self.comms.lead(self.rank)
    }

    /// Whether a context belongs to collectives and to no communicator of this rank, present or past.
    pub fn may_form(&self, context: u32) -> bool {
        context < CONTEXTS && !is_of_transfers(context) && self.comms.known(context) == Known::Future
    }

    /// Adds a communicator. `endpoints` lead to its ranks, in order. `formed_by`: the call of all its ranks
    /// that makes it.
    pub fn add_comm(
        &mut self,
        context: u32,
        name: String,
        rank: Rank,
        endpoints: &[u32],
        formed_by: Option<FormedBy>,
    ) -> CommId {
        let id = self.comms.insert(EngineComm::new(context, name, rank, endpoints.iter().copied()));
        self.accept_stashed(id);
        self.comms.get_mut(id).holds_senders =
            self.endpoints.iter().any(|endpoint| endpoint.held_here.contains(&context));
        for (endpoint, message) in std::mem::take(&mut self.control.early) {
            self.take_message(endpoint, message);
        }
        self.comms.get_mut(id).formed_by = formed_by;
        self.show_comm(id);
        self.note_comm(id);
        self.fail_if_unformed(id);
        id
    }

    /// Removes a communicator. Its ranks are told, unless `leave` has told them. Unfinished operations end
    /// now. Returns whether it was the last communicator.
    pub fn remove_comm(&mut self, id: CommId) -> bool {
        self.leave(id);
        let error = GIVEN_UP.clone();
        self.sleepers.ring_all();
        self.end_messages(id, &error);
        for active in self.calls.active.iter_mut().filter(|a| a.comm == id && a.outcome.is_none()) {
            active.execution.abandon(&mut self.endpoints);
            active.outcome = Some(Err(error.clone()));
            self.page.iter().for_each(|page| page.note_end(active.operation, true));
            if let Some(observer) = &mut self.observer {
                observer.end_call(active, &self.endpoints, true);
            }
        }
        self.remember_calls(id);
        let comm = *self.comms.remove(id);
        if let Some(observer) = &mut self.observer {
            observer.end_comm(comm.context);
        }
        for member in &comm.members {
            let endpoint = &mut self.endpoints[member.endpoint as usize];
            endpoint.forget(comm.context);
            endpoint.forget(comm.transfers());
        }
        if !comm.conversation.is_over() {
            self.messaging.given_up.push(comm.conversation);
        }
        self.comms.is_empty()
    }

    /// Why a communicator cannot be used any more. The caller returns this to the program.
    pub fn report_failure(&mut self, id: CommId) -> Option<Error> {
        let Some(comm) = self.comms.find_mut(id) else { return Some(GIVEN_UP.clone()) };
        comm.is_unreported = false;
        comm.is_reported = comm.failure.is_some();
        comm.failure.clone()
    }

    /// Notes that a failure has ended calls on streams. No call of this rank returns their error, so the end
    /// of the communicator does.
    pub fn note_ended_streams(&mut self, id: CommId) {
        if let Some(comm) = self.comms.find_mut(id) {
            comm.is_unreported = comm.failure.is_some() && !comm.is_reported;
        }
    }

    /// Fails a communicator: ends everything in it with `error`, here and, by a notice, on its other ranks.
    /// Only the first failure counts.
    pub fn fail(&mut self, id: CommId, error: Error) {
        // If another thread has removed it, everything has ended already.
        let Some(comm) = self.comms.find(id).filter(|comm| comm.failure.is_none()) else { return };
        let notice = failure::notice(&error, comm.context, comm.rank);
        self.end_all(id, error, &notice);
    }

    /// Fails the communicator of a call.
    pub(super) fn fail_call(&mut self, ticket: Ticket, error: Error) {
        match ticket {
            Ticket::Message(ticket) => self.fail(ticket.comm, error),
            Ticket::Call(number) => {
                if let Some(active) = self.calls.active.iter().find(|a| a.number == number) {
                    self.fail(active.comm, error);
                }
            }
        }
    }

    /// Fails a communicator because the user aborts it, if it still exists.
    pub(super) fn abort(&mut self, id: CommId, reason: &str) {
        if let Some(name) = self.comms.find(id).map(|comm| comm.name.clone()) {
            let mut text = format!("\"{name}\" was aborted: {reason}");
            if let Some(active) = self.unfinished().find(|active| active.comm == id) {
                text.push_str(&format!(", with {} unfinished there", self.title(active)));
            }
            self.fail(id, Error::Aborted(text));
        }
    }

    /// Logs a failure. If ranks disagree, each logs its own call, so that `anyccl run` can compare them. An
    /// abort that the program itself has asked for is not logged as an error.
    pub(super) fn log_failure(&self, id: CommId, error: &Error) {
        let comm = self.comms.get(id);
        let own_call = match error {
            Error::Aborted(text) if !text.starts_with(failure::ANOTHER_FAILED) => {
                log_line!(Info, "rank {} of \"{}\": {error}", comm.rank, comm.name);
                return;
            }
            Error::Mismatch(text) if !text.contains(&format!("rank {} called", comm.rank)) => {
                self.unfinished().find(|active| active.comm == id).map(|active| active.prepared.call)
            }
            _ => None,
        };
        if self.leads_job {
            log_line!(Info, "rank {} of \"{}\": {error}", comm.rank, comm.name);
            return;
        }
        let own_call = own_call.map_or(String::new(), |call| format!(", in {call}"));
        log_line!(Error, "rank {} of \"{}\"{own_call}: {error}", comm.rank, comm.name);
    }

    /// Fails a communicator and passes the notice on. Every rank does this once, because the rank that
    /// noticed the failure may end before it has told all others.
    pub(super) fn end_all(&mut self, id: CommId, error: Error, notice: &ControlMessage) {
        let comm = self.comms.get(id);
        if comm.failure.is_some() || comm.is_over() {
            return;
        }
        self.log_failure(id, &error);
        self.end_all_quietly(id, error.clone(), notice);
        if self.leads_job && id == CommId::FIRST && matches!(error, Error::Aborted(_)) {
            self.end_the_others(&error);
        }
        self.write_dump(&error);
    }

    /// Fails every communicator but the first, with the error of the first.
    fn end_the_others(&mut self, error: &Error) {
        for id in self.comms.ids().filter(|id| *id != CommId::FIRST) {
            let comm = self.comms.get(id);
            if comm.failure.is_none() && !comm.is_over() {
                let notice = failure::notice(error, comm.context, comm.rank);
                self.end_all_quietly(id, error.clone(), &notice);
            }
        }
    }

    /// Like [`Engine::end_all`], for a communicator that has not failed, if the failure is already in the
    /// log.
    pub(super) fn end_all_quietly(&mut self, id: CommId, error: Error, notice: &ControlMessage) {
        self.sleepers.ring_all();
        self.tell_unformed(id);
        let comm = self.comms.get_mut(id);
        comm.failure = Some(error.clone());
        comm.collectives.show_failure(&error);
        self.has_failures.store(true, Ordering::Release);
        let is_called = self.calls.active.iter().any(|a| a.comm == id && a.outcome.is_none());
        let is_talking = comm.conversation.first_unfinished().is_some();
        comm.is_unreported = matches!(error, Error::Mismatch(_)) && !is_called && !is_talking;
        self.tell_members(id, |_| notice.clone());
        let comm = self.comms.get(id);
        for member in &comm.members {
            let endpoint = &mut self.endpoints[member.endpoint as usize];
            endpoint.forget(comm.context);
            endpoint.forget(comm.transfers());
        }
        for active in self.calls.active.iter_mut().filter(|a| a.comm == id && a.outcome.is_none()) {
            active.execution.abandon(&mut self.endpoints);
            active.outcome = Some(Err(error.clone()));
            self.page.iter().for_each(|page| page.note_end(active.operation, true));
            if let Some(observer) = &mut self.observer {
                observer.end_call(active, &self.endpoints, true);
            }
        }
        self.end_messages(id, &error);
        self.observer.iter_mut().for_each(|observer| observer.note_failure());
    }
}

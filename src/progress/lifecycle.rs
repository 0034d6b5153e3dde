//! How communicators begin and end in an engine: made from others, failed, given up.

use super::context::{GIVEN_UP, Group, GroupId};
use super::engine::{Engine, Ticket};
use crate::base::{Error, Rank, Result};
use crate::log_line;
use crate::transport::control::Message;
use crate::transport::failure;

impl Engine {
    /// A new context for a communicator made from one that this rank leads.
    pub fn lead(&mut self) -> Result<u32> {
        self.groups.lead(self.rank)
    }

    /// Adds a communicator; its ranks are behind `ports`, in order.
    pub fn add_group(&mut self, context: u32, name: String, rank: Rank, ports: &[u32]) -> GroupId {
        let id = self.groups.insert(Group::new(context, name, rank, ports.iter().copied()));
        self.hear_stashed(id);
        self.groups.get_mut(id).is_holding = self.ports.iter().any(|port| port.holding.contains(&context));
        for (port, message) in std::mem::take(&mut self.early) {
            self.take_message(port, message);
        }
        id
    }

    /// Gives a communicator up. Its ranks are told, if they were not by `part`; what has not ended ends now. Whether it was the
    /// last one.
    pub fn remove_group(&mut self, id: GroupId) -> bool {
        self.part(id);
        let error = GIVEN_UP.clone();
        self.has_news = true;
        self.end_messages(id, &error);
        for active in self.actives.iter_mut().filter(|a| a.group == id && a.outcome.is_none()) {
            active.execution.abandon(&mut self.ports);
            active.outcome = Some(Err(error.clone()));
        }
        self.remember_calls(id);
        let group = *self.groups.remove(id);
        for member in &group.members {
            let port = &mut self.ports[member.port as usize];
            port.forget(group.context);
            port.forget(group.transfers());
        }
        if !group.conversation.is_over() {
            self.given_up.push(group.conversation);
        }
        self.groups.is_empty()
    }

    /// Why a communicator cannot be used any more, for a caller who is told.
    pub fn tell_failure(&mut self, id: GroupId) -> Option<Error> {
        let Some(group) = self.groups.find_mut(id) else { return Some(GIVEN_UP.clone()) };
        group.is_untold = false;
        group.failure.clone()
    }

    /// Ends everything of a communicator with `error`, here and, by a notice, on its other ranks. Only the first one
    /// counts.
    pub fn fail(&mut self, id: GroupId, error: Error) {
        // Of one that another thread has given up, everything has ended.
        let Some(group) = self.groups.find(id).filter(|group| group.failure.is_none()) else { return };
        let notice = failure::notice(&error, group.context, group.rank);
        self.end_all(id, error, &notice);
    }

    /// Ends the communicator of a call.
    pub(super) fn fail_call(&mut self, ticket: Ticket, error: Error) {
        match ticket {
            Ticket::Message(ticket) => self.fail(ticket.group, error),
            Ticket::Call(number) => {
                if let Some(active) = self.actives.iter().find(|a| a.number == number) {
                    self.fail(active.group, error);
                }
            }
        }
    }

    /// Ends a communicator by the user's will, if it is still there.
    pub(super) fn abort(&mut self, id: GroupId, reason: &str) {
        if let Some(name) = self.groups.find(id).map(|group| group.name.clone()) {
            let mut text = format!("\"{name}\" was aborted: {reason}");
            if let Some(active) = self.unfinished().find(|active| active.group == id) {
                text.push_str(&format!(", with {} unfinished there", self.title(active)));
            }
            self.fail(id, Error::Aborted(text));
        }
    }

    /// Where ranks disagree, each says what it has called, for `anyccl run` to compare. What the program itself has asked
    /// for is no error.
    pub(super) fn log_failure(&self, id: GroupId, error: &Error) {
        let group = self.groups.get(id);
        let own_call = match error {
            Error::Aborted(text) if !text.starts_with(failure::ANOTHER_FAILED) => {
                log_line!(Info, "rank {} of \"{}\": {error}", group.rank, group.name);
                return;
            }
            Error::Mismatch(text) if !text.contains(&format!("rank {} called", group.rank)) => {
                self.unfinished().find(|active| active.group == id).map(|active| active.prepared.call)
            }
            _ => None,
        };
        let own_call = own_call.map_or(String::new(), |call| format!(", in {call}"));
        log_line!(Error, "rank {} of \"{}\"{own_call}: {error}", group.rank, group.name);
    }

    /// Every rank passes the news on once: whoever noticed it may be gone before it has told everybody.
    pub(super) fn end_all(&mut self, id: GroupId, error: Error, notice: &Message) {
        let group = self.groups.get(id);
        if group.failure.is_some() || group.is_over() {
            return;
        }
        self.log_failure(id, &error);
        self.end_all_quietly(id, error, notice);
    }

    /// [`Engine::end_all`] of a communicator that has not failed, where the log has the news already.
    pub(super) fn end_all_quietly(&mut self, id: GroupId, error: Error, notice: &Message) {
        self.has_news = true;
        let group = self.groups.get_mut(id);
        group.failure = Some(error.clone());
        let is_called = self.actives.iter().any(|a| a.group == id && a.outcome.is_none());
        let is_talking = group.conversation.first_unfinished().is_some();
        group.is_untold = matches!(error, Error::Mismatch(_)) && !is_called && !is_talking;
        for member in &group.members {
            let port = &mut self.ports[member.port as usize];
            if let Some(control) = &mut port.control {
                control.send(notice);
            }
            port.forget(group.context);
            port.forget(group.transfers());
        }
        for active in self.actives.iter_mut().filter(|a| a.group == id && a.outcome.is_none()) {
            active.execution.abandon(&mut self.ports);
            active.outcome = Some(Err(error.clone()));
        }
        self.end_messages(id, &error);
    }
}

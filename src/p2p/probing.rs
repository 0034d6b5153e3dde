//! Probes: looking at a message before it is received.

use super::conversation::Conversation;
use super::matching::{Envelope, Selector};
use super::operations::{Completion, IncomingMessage, Kind, MatchedMessage, Probe, Ticket};
use super::slab::Key;
use super::status::Status;
use crate::base::Datatype;

impl Conversation {
    /// The message that a receive would get now.
    pub fn find(&self, selector: Selector) -> Option<Status> {
        let (_, key) = self.matching.find_unexpected(selector)?;
        Some(self.incoming[key].status())
    }

    /// Takes out the message that a receive would get now. Only [`Conversation::start_claimed`] can receive
    /// it then.
    pub fn claim(&mut self, selector: Selector) -> Option<(MatchedMessage, Status)> {
        let (_, key) = self.matching.take_unexpected(selector)?;
        Some((MatchedMessage(key), self.incoming[key].status()))
    }

    /// Starts a wait for a message that the selector accepts. With `takes`, the message is taken out, and is
    /// a part of the outcome.
    pub fn start_probe(&mut self, selector: Selector, takes: bool) -> Ticket {
        let found = if takes {
            self.claim(selector).map(|(message, status)| Completion::claimed(status, message))
        } else {
            self.find(selector).map(Completion::from)
        };
        let outcome = self.failure.clone().map(Err).or(found.map(Ok));
        let waits = outcome.is_none();
        let key = self.probes.put(Probe { selector, takes, outcome });
        if waits {
            self.probing.push(key);
            self.expect_from(selector.source());
        }
        Ticket(Kind::Probe(key))
    }

    /// Shows a message without a receive to the probes. Returns whether one of them took it.
    pub(super) fn show_to_probes(&mut self, envelope: Envelope, message: Key<IncomingMessage>) -> bool {
        let status = self.incoming[message].status();
        let mut at = 0;
        while at < self.probing.len() {
            let key = self.probing[at];
            let probe = &mut self.probes[key];
            if !probe.selector.accepts(envelope) {
                at += 1;
                continue;
            }
            let (takes, source) = (probe.takes, probe.selector.source());
            probe.outcome = Some(Ok(match takes {
                true => Completion::claimed(status, MatchedMessage(message)),
                false => status.into(),
            }));
            self.probing.remove(at);
            self.stop_expecting_from(source);
            if takes {
                return true;
            }
        }
        false
    }

    /// Cancels a probe that has found no message. Returns whether it was cancelled.
    pub(super) fn cancel_probe(&mut self, key: Key<Probe>) -> bool {
        let Some(at) = self.probing.iter().position(|waiting| *waiting == key) else { return false };
        self.probing.remove(at);
        let probe = &mut self.probes[key];
        let (source, tag) = (probe.selector.source(), probe.selector.tag());
        let (datatype, count, bytes) = (Datatype::Byte, 0, 0);
        let (from, tag) = (source.unwrap_or(0), tag.unwrap_or(0));
        let status = Status { source: from, tag, datatype, count, bytes, is_cancelled: true };
        probe.outcome = Some(Ok(status.into()));
        self.stop_expecting_from(source);
        true
    }
}

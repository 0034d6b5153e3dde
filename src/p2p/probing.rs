//! Looking at a message before it is received.

use super::conversation::{Conversation, Kind, Ticket};
use super::matching::{Envelope, Selector};
use super::receiving::Incoming;
use super::slab::Key;
use super::status::{Ended, Message, Outcome, Status};

/// A wait for a message that fits.
pub(super) struct Probe {
    pub selector: Selector,
    /// The message is taken out.
    takes: bool,
    pub outcome: Option<Outcome>,
}

impl Conversation {
    /// The message that a receive would get now.
    pub fn find(&self, selector: Selector) -> Option<Status> {
        let (_, key) = self.matching.find_message(selector)?;
        Some(self.incoming[key].status())
    }

    /// The same, taken out: only [`Conversation::start_claimed`] receives it.
    pub fn claim(&mut self, selector: Selector) -> Option<(Message, Status)> {
        let (_, key) = self.matching.take_message(selector)?;
        Some((Message(key), self.incoming[key].status()))
    }

    /// Waits for a message that fits. With `takes`, the outcome has the message.
    pub fn start_probe(&mut self, selector: Selector, takes: bool) -> Ticket {
        let found = if takes {
            self.claim(selector).map(|(message, status)| Ended { status, message: Some(message) })
        } else {
            self.find(selector).map(Ended::from)
        };
        let outcome = self.failure.clone().map(Err).or(found.map(Ok));
        let waits = outcome.is_none();
        let key = self.probes.put(Probe { selector, takes, outcome });
        if waits {
            self.probing.push(key);
            self.await_from(selector.source());
        }
        Ticket(Kind::Probe(key))
    }

    /// Shows a message that no receive waited for to the probes; whether one of them took it.
    pub(super) fn show(&mut self, envelope: Envelope, message: Key<Incoming>) -> bool {
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
            probe.outcome = Some(Ok(Ended { status, message: takes.then_some(Message(message)) }));
            self.probing.remove(at);
            self.await_no_longer(source);
            if takes {
                return true;
            }
        }
        false
    }
}

//! Messages whose receiver may read the elements itself: their sender sends a reference in the place of them.
//!
//! The receive has no memory at first. It only claims its message, and has the outcome when it has matched
//! one. If the receiver can use the reference, it reads the elements, and then says so. Otherwise, and for
//! any other message, it starts to receive the message into memory. Receives with memory get the elements of
//! a reference from its sender.

use super::conversation::Conversation;
use super::matching::Selector;
use super::operations::{
    Completion, IncomingMessage, Kind, MatchedMessage, OutgoingMessage, Receive, RecvBuffer, Sending, Ticket,
    Wanted,
};
use super::protocol::{Announcement, Protocol, ProtocolMessage, Reference};
use super::slab::Key;
use crate::base::{Rank, Result};
use crate::transport::Header;

impl Conversation {
    /// Starts a message that the receiver may read itself. `what.data` is not used. If the outcome says that
    /// it wants the elements, [`Conversation::start_wanted`] sends them.
    pub fn start_reference(&mut self, what: &OutgoingMessage, reference: &Reference) -> Ticket {
        self.add_send(what, None, Some(Box::new(*reference)))
    }

    /// Sends the elements of a message whose receiver cannot use the reference.
    ///
    /// # Safety
    /// See [`Conversation::start_send`].
    pub unsafe fn start_wanted(&mut self, what: &OutgoingMessage, wanted: Wanted) -> Ticket {
        let outcome = self.failure.clone().map(Err);
        let has_failed = outcome.is_some();
        let OutgoingMessage { tag, datatype, count, is_synchronous, .. } = *what;
        let announcement =
            Announcement { tag, datatype, count, protocol: Protocol::Reference, is_synchronous };
        let call = ProtocolMessage::Data(announcement).pack();
        let key = self.sends.put(Sending {
            what: *what,
            gathering: None,
            reference: None,
            wanted: None,
            bytes: what.count as usize * what.datatype.bytes(),
            header: Some(Header { context: self.context, sequence: wanted.number, call }),
            number: wanted.number,
            done: 0,
            until: wanted.bytes,
            limit: wanted.bytes,
            needs_reply: false,
            record: 0,
            outcome,
        });
        if !has_failed && wanted.bytes == 0 {
            self.end_send(key);
        } else if !has_failed {
            self.peer(what.to).cleared_sends.push_back(key);
            self.list(what.to);
        }
        Ticket(Kind::Send(key))
    }

    /// Starts a receive that only claims its message, for memory like `buffer`. The outcome has the message.
    /// `Err`: see [`Conversation::start_receive`].
    pub fn start_claim(&mut self, selector: Selector, buffer: RecvBuffer) -> Result<Ticket> {
        self.add_receive(selector, buffer, None, true)
    }

    /// The reference of a claimed message, if it has one.
    pub fn reference(&self, message: MatchedMessage) -> Option<Reference> {
        if self.failure.is_some() {
            return None;
        }
        self.incoming[message.0].reference.as_ref().map(|reference| reference.bytes)
    }

    /// Ends a claimed message, because its receiver has read the elements.
    pub fn end_reference(&mut self, message: MatchedMessage) {
        if self.failure.is_some() {
            return;
        }
        let IncomingMessage { source, number, .. } = self.incoming.take(message.0);
        self.peer(source).unfinished.remove(&number);
        self.queue_reply(source, number, ProtocolMessage::Matched);
    }

    /// Whether all replies to a rank are in its link.
    pub fn has_replied(&self, to: Rank) -> bool {
        self.peers.get(to as usize).is_none_or(|peer| peer.replies.is_empty())
    }

    /// Matches a receive without memory and a message, once all of its reference is there.
    pub(super) fn claim_for(&mut self, key: Key<Receive>, message: Key<IncomingMessage>) {
        let incoming = &mut self.incoming[message];
        let source = incoming.source;
        match incoming.reference.as_mut().filter(|reference| !reference.is_complete()) {
            Some(reference) => {
                reference.claimed_by = Some(key);
                self.expect_from(Some(source));
            }
            None => self.end_claim(key, message),
        }
    }

    /// Notes that more of the reference of a message has arrived.
    pub(super) fn note_reference(&mut self, message: Key<IncomingMessage>) {
        let incoming = &mut self.incoming[message];
        let source = incoming.source;
        let complete = incoming.reference.as_mut().filter(|reference| reference.is_complete());
        if let Some(key) = complete.and_then(|reference| reference.claimed_by.take()) {
            self.stop_expecting_from(Some(source));
            self.end_claim(key, message);
        }
    }

    fn end_claim(&mut self, key: Key<Receive>, message: Key<IncomingMessage>) {
        let status = self.incoming[message].status();
        self.receives[key].outcome = Some(Ok(Completion::claimed(status, MatchedMessage(message))));
    }
}

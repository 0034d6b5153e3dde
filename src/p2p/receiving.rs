//! The receiving side: how a receive matches a message, and where its bytes go.

use std::sync::Arc;

use super::conversation::Conversation;
use super::credit::cost;
use super::matching::{Envelope, Selector};
use super::noncontiguous::Noncontiguous;
use super::operations::{
    IncomingMessage, Kind, MatchedMessage, Receive, RecvBuffer, RecvTarget, Stage, Ticket,
};
use super::protocol::{Announcement, Protocol, ProtocolMessage};
use super::slab::Key;
use super::status::Status;
use crate::base::{Error, Rank, Result};

impl Conversation {
    /// Starts a receive. `Err`: the message that it has matched contradicts it, and the communicator fails.
    ///
    /// # Safety
    /// `buffer.data` is writable for all elements, and no one else uses it, until there is an outcome.
    pub unsafe fn start_receive(&mut self, selector: Selector, buffer: RecvBuffer) -> Result<Ticket> {
        self.add_receive(selector, buffer, None, false)
    }

    /// Starts a receive into noncontiguous memory, which has room for `buffer.count` elements. `buffer.data`
    /// is not used. `Err`: see [`Conversation::start_receive`].
    ///
    /// # Safety
    /// The memory is writable, and no one else uses it, until there is an outcome.
    pub unsafe fn start_receive_noncontiguous(
        &mut self,
        selector: Selector,
        buffer: RecvBuffer,
        memory: Arc<dyn Noncontiguous>,
    ) -> Result<Ticket> {
        self.add_receive(selector, buffer, Some(memory), false)
    }

    pub(super) fn add_receive(
        &mut self,
        selector: Selector,
        buffer: RecvBuffer,
        noncontiguous: Option<Arc<dyn Noncontiguous>>,
        claims: bool,
    ) -> Result<Ticket> {
        let key = self.new_receive(selector, buffer, noncontiguous);
        self.receives[key].claims = claims;
        if let Some((_, message)) = self.matching.take_unexpected(selector) {
            self.match_unexpected(key, message)?;
            return Ok(Ticket(Kind::Receive(key)));
        }
        if self.failure.is_some() {
            return Ok(Ticket(Kind::Receive(key)));
        }
        self.receives[key].stage = Stage::Posted(self.matching.post_receive(selector, key));
        self.expect_from(selector.source());
        Ok(Ticket(Kind::Receive(key)))
    }

    /// Starts the receive of a message that a probe has taken out.
    ///
    /// # Safety
    /// The contract of `start_receive` holds.
    pub unsafe fn start_claimed(&mut self, message: MatchedMessage, buffer: RecvBuffer) -> Result<Ticket> {
        self.receive_claimed(message, buffer, None)
    }

    /// Starts the receive of a message that a probe has taken out, into noncontiguous memory.
    ///
    /// # Safety
    /// The contract of [`Conversation::start_receive_noncontiguous`] holds.
    pub unsafe fn start_claimed_noncontiguous(
        &mut self,
        message: MatchedMessage,
        buffer: RecvBuffer,
        memory: Arc<dyn Noncontiguous>,
    ) -> Result<Ticket> {
        self.receive_claimed(message, buffer, Some(memory))
    }

    fn receive_claimed(
        &mut self,
        message: MatchedMessage,
        buffer: RecvBuffer,
        noncontiguous: Option<Arc<dyn Noncontiguous>>,
    ) -> Result<Ticket> {
        if self.failure.is_some() {
            let key = self.new_receive(Selector::ANY, buffer, noncontiguous);
            return Ok(Ticket(Kind::Receive(key)));
        }
        let Envelope { source, tag } = self.incoming[message.0].envelope();
        let key = self.new_receive(Selector::new(Some(source), Some(tag)), buffer, noncontiguous);
        self.match_unexpected(key, message.0)?;
        Ok(Ticket(Kind::Receive(key)))
    }

    fn new_receive(
        &mut self,
        selector: Selector,
        buffer: RecvBuffer,
        noncontiguous: Option<Arc<dyn Noncontiguous>>,
    ) -> Key<Receive> {
        let outcome = self.failure.clone().map(Err);
        let stage = Stage::Matched;
        let (claims, record) = (false, 0);
        self.receives.put(Receive { selector, buffer, noncontiguous, claims, stage, record, outcome })
    }

    /// Cancels a receive, or a probe, that has matched no message. Returns whether it was cancelled.
    pub fn cancel(&mut self, ticket: Ticket) -> bool {
        let key = match ticket.0 {
            Kind::Receive(key) => key,
            Kind::Probe(key) => return self.cancel_probe(key),
            Kind::Send(_) => return false,
        };
        let receive = &mut self.receives[key];
        let (Stage::Posted(waiting), None) = (receive.stage, &receive.outcome) else { return false };
        let (selector, buffer) = (receive.selector, receive.buffer);
        let status = Status {
            source: selector.source().unwrap_or(0),
            tag: selector.tag().unwrap_or(0),
            datatype: buffer.datatype,
            count: 0,
            bytes: 0,
            is_cancelled: true,
        };
        receive.outcome = Some(Ok(status.into()));
        self.matching.cancel(waiting);
        self.stop_expecting_from(selector.source());
        true
    }

    /// Takes the oldest receive that accepts a new message out of the posted queue.
    pub(super) fn take_posted_for(&mut self, envelope: Envelope) -> Option<Key<Receive>> {
        let key = self.matching.take_posted(envelope)?;
        let receive = &mut self.receives[key];
        receive.stage = Stage::Matched;
        let source = receive.selector.source();
        self.stop_expecting_from(source);
        Some(key)
    }

    /// Matches a receive and a message. From now on, the bytes of the message go to the buffer of the
    /// receive, if it has one.
    pub(super) fn match_receive(&mut self, key: Key<Receive>, message: Key<IncomingMessage>) -> Result<()> {
        let buffer = self.receives[key].buffer;
        let incoming = &mut self.incoming[message];
        let IncomingMessage { source, number, announcement, bytes, .. } = *incoming;
        if !buffer.is_lenient
            && let Some(contradiction) = contradiction(self.own, source, &announcement, &buffer)
        {
            return Err(Error::Mismatch(contradiction));
        }
        if self.receives[key].claims {
            self.claim_for(key, message);
            return Ok(());
        }
        let wanted = bytes.min(buffer.bytes()).max(announcement.eager_bytes(bytes));
        incoming.expected = wanted;
        if let RecvTarget::Heap(bytes) = std::mem::replace(&mut incoming.target, RecvTarget::Buffer(key)) {
            let n = bytes.len().min(buffer.bytes());
            if let Some(memory) = &self.receives[key].noncontiguous {
                // SAFETY: as below; the caller of `start_receive_noncontiguous` vouches for the memory.
                unsafe { memory.scatter(0, bytes.as_ptr(), n) };
            } else {
                // SAFETY: `n` bytes are in the vector, and no more than the buffer has, for which the caller
                // of `start_receive` vouches; a new vector does not overlap it.
                unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.data, n) };
            }
        }
        if announcement.protocol != Protocol::Eager {
            self.queue_reply(source, number, ProtocolMessage::ClearToSend { limit: wanted as u64 });
        }
        self.acknowledge((source, number), &announcement, bytes);
        Ok(())
    }

    /// Queues what the sender is to know of a message that was matched: that it was, if it asks for that, and
    /// the credit.
    fn acknowledge(&mut self, (source, number): (Rank, u32), announcement: &Announcement, bytes: usize) {
        if announcement.protocol == Protocol::Eager && announcement.is_synchronous {
            self.queue_reply(source, number, ProtocolMessage::Matched);
        }
        if source != self.own
            && let Some(bytes) = self.peer(source).debt.add(cost(announcement, bytes))
        {
            self.queue_reply(source, number, ProtocolMessage::Credit { bytes });
        }
    }

    /// The bytes of a message that a probe has taken out, if all of them have come without a receive. `Err`:
    /// they have not, and the message has to be received.
    pub fn take_claimed(&mut self, message: MatchedMessage) -> std::result::Result<Vec<u8>, MatchedMessage> {
        let is_whole = self.failure.is_none() && {
            let incoming = &self.incoming[message.0];
            incoming.announcement.protocol == Protocol::Eager && incoming.has_come()
        };
        if !is_whole {
            return Err(message);
        }
        let incoming = self.incoming.take(message.0);
        let IncomingMessage { source, number, announcement, bytes, target, .. } = incoming;
        let RecvTarget::Heap(data) = target else { unreachable!("a message without a receive") };
        self.acknowledge((source, number), &announcement, bytes);
        Ok(data)
    }

    /// Matches a receive with a message that began to arrive before the receive was started.
    fn match_unexpected(&mut self, key: Key<Receive>, message: Key<IncomingMessage>) -> Result<()> {
        self.match_receive(key, message)?;
        if self.receives[key].claims {
            return Ok(());
        }
        let IncomingMessage { source, number, .. } = self.incoming[message];
        if self.incoming[message].is_complete() {
            self.peer(source).unfinished.remove(&number);
            self.end_receive(message);
        } else {
            self.expect_from(Some(source));
        }
        Ok(())
    }

    /// Ends a receive whose message has arrived completely.
    pub(super) fn end_receive(&mut self, message: Key<IncomingMessage>) {
        let incoming = self.incoming.take(message);
        let RecvTarget::Buffer(key) = incoming.target else {
            unreachable!("only a message with a receive is complete")
        };
        let receive = &mut self.receives[key];
        let buffer = &receive.buffer;
        receive.outcome = Some(if incoming.bytes > buffer.bytes() {
            let text = too_long(self.own, incoming.source, &incoming.announcement, buffer);
            Err(Error::Truncated { text, source: incoming.source, tag: incoming.announcement.tag })
        } else {
            Ok(incoming.status().into())
        });
    }
}

/// Why this message cannot go into this buffer, as the text of an error.
fn contradiction(
    own: Rank,
    source: Rank,
    announcement: &Announcement,
    buffer: &RecvBuffer,
) -> Option<String> {
    if announcement.datatype != buffer.datatype {
        let Announcement { tag, datatype, count, .. } = announcement;
        let (theirs, mine) = (datatype.name(), buffer.datatype.name());
        return Some(format!(
            "the ranks disagree in a message with tag {tag}: rank {source} sent {count} elements of {theirs}, \
             rank {own} receives {mine}"
        ));
    }
    (announcement.count > buffer.count).then(|| too_long(own, source, announcement, buffer))
}

fn too_long(own: Rank, source: Rank, announcement: &Announcement, buffer: &RecvBuffer) -> String {
    format!(
        "a message with tag {} is too long: rank {source} sent {} elements of {}, rank {own} receives at most {} of {}",
        announcement.tag,
        announcement.count,
        announcement.datatype.name(),
        buffer.count,
        buffer.datatype.name(),
    )
}

//! The incoming side: fragments of a peer's messages, and its replies about messages of this rank.

use std::io;

use super::conversation::{Conversation, Peer};
use super::matching::Envelope;
use super::operations::{IncomingMessage, IncomingReference, RecvTarget};
use super::protocol::{Announcement, Protocol, ProtocolMessage, WINDOW_BYTES};
use super::sending::ProtocolViolation;
use super::slab::Key;
use crate::base::{Error, Rank};
use crate::sys::memory_copy::STREAMED_FROM;
use crate::sys::zeroed::reserve;
use crate::transport::{Header, Link, garbage};

/// Fragments of one peer that are taken before other peers have their turn.
const FRAGMENTS_PER_TURN: usize = 64;

/// How much is taken off a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drain {
    /// Replies; and messages while some operation waits for this peer. A message without a receive is better
    /// read later, directly into the buffer of its receive.
    Needed,
    /// Everything, because a fragment of another conversation may be behind it.
    Everything,
}

/// The result of taking from a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pulled {
    /// Whether bytes or replies came in.
    pub moved: bool,
    /// Header of the fragment at the head, if it belongs to another conversation.
    pub foreign: Option<Header>,
}

/// Why nothing more can come in.
#[derive(Debug)]
pub enum Fault {
    /// The link is broken, or the peer wrote nonsense.
    Link(io::Error),
    /// The two sides of a message contradict each other, so the communicator fails. It also fails where this
    /// rank has no memory for a message.
    Contradiction(Error),
}

impl From<io::Error> for Fault {
    fn from(source: io::Error) -> Fault {
        Fault::Link(source)
    }
}

impl From<ProtocolViolation> for Fault {
    fn from(violation: ProtocolViolation) -> Fault {
        Fault::Link(garbage(violation.0))
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault::Contradiction(error)
    }
}

impl Conversation {
    /// Takes in some of what has come from `from`. If some operation waits for that rank, takes no more than
    /// it needs.
    pub fn pull(&mut self, from: Rank, link: &mut dyn Link, drain: Drain) -> Result<Pulled, Fault> {
        let mut pulled = Pulled::default();
        let is_asked_for = self.asks_for(from);
        for _ in 0..FRAGMENTS_PER_TURN {
            if pulled.moved && is_asked_for && !self.asks_for(from) {
                break;
            }
            let Some(head) = link.head()? else { break };
            if head.context != self.context {
                pulled.foreign = Some(head);
                break;
            }
            let moved = match ProtocolMessage::unpack(head.call) {
                Some(ProtocolMessage::Data(_)) if drain == Drain::Needed && !self.asks_for(from) => break,
                Some(ProtocolMessage::Data(announcement)) => {
                    self.accept_fragment(from, &head, &announcement, link)?
                }
                Some(reply) => {
                    self.accept_reply(from, head.sequence, reply)?;
                    link.consume(0)?;
                    true
                }
                None => return Err(garbage("an unknown protocol message").into()),
            };
            if !moved {
                break;
            }
            pulled.moved = true;
        }
        Ok(pulled)
    }

    /// Whether some operation waits for this rank.
    fn asks_for(&self, from: Rank) -> bool {
        self.waits_for_any_source() || self.peers.get(from as usize).is_some_and(Peer::is_needed)
    }

    fn accept_reply(
        &mut self,
        from: Rank,
        number: u32,
        reply: ProtocolMessage,
    ) -> Result<(), ProtocolViolation> {
        match reply {
            ProtocolMessage::ClearToSend { limit } => self.note_match(from, number, Some(limit)),
            ProtocolMessage::Matched => self.note_match(from, number, None),
            ProtocolMessage::Credit { bytes } if self.peer(from).account.give_back(bytes) => Ok(()),
            ProtocolMessage::Credit { .. } | ProtocolMessage::Data(_) => {
                Err(ProtocolViolation("more credit than was used"))
            }
        }
    }

    /// Takes what has arrived of the fragment at the head. Returns whether that was anything. After an error
    /// the message stays unfinished.
    fn accept_fragment(
        &mut self,
        from: Rank,
        head: &Header,
        announcement: &Announcement,
        link: &mut dyn Link,
    ) -> Result<bool, Fault> {
        let number = head.sequence;
        let is_new = number == self.peer(from).next_in;
        let message = if is_new {
            let message = self.accept_announcement(from, number, announcement)?;
            if announcement.needs_reply() {
                // The reply is sent before the bytes are read, so that the sender can send the rest
                // meanwhile.
                self.push_replies(from, link)?;
            }
            message
        } else {
            let known = self.peer(from).unfinished.get(&number).copied();
            known.ok_or_else(|| garbage("a fragment of a message that has ended"))?
        };
        let has_bytes =
            announcement.eager_bytes(self.incoming[message].bytes) > 0 || announcement.is_reference();
        let taken = if is_new && !has_bytes {
            // Only the announcement of a message without bytes or without credit.
            link.consume(0).map(|()| 0).map_err(Fault::from)
        } else {
            self.take_bytes(message, link)
        };
        // This also runs if its bytes cannot be read: a receive that has matched the message depends on its
        // sender from now on.
        let incoming = &self.incoming[message];
        let has_come = incoming.has_come();
        let is_met = matches!(incoming.target, RecvTarget::Buffer(_));
        let is_over = has_come && (is_met || incoming.announcement.protocol == Protocol::Eager);
        match (is_new, is_over) {
            (true, false) => {
                self.peer(from).unfinished.insert(number, message);
                if is_met {
                    self.expect_from(Some(from));
                }
            }
            (false, true) => {
                self.peer(from).unfinished.remove(&number);
                if is_met {
                    self.stop_expecting_from(Some(from));
                }
            }
            _ => {}
        }
        if is_over && is_met {
            self.end_receive(message);
        }
        Ok(taken? > 0 || is_new)
    }

    /// Matches a new message, whose first fragment has arrived: with a posted receive, else with a probe.
    pub(super) fn accept_announcement(
        &mut self,
        from: Rank,
        number: u32,
        announcement: &Announcement,
    ) -> Result<Key<IncomingMessage>, Fault> {
        let bytes = announcement.bytes().ok_or_else(|| garbage("a message larger than memory"))?;
        // Otherwise a peer could make this rank hold any amount of data.
        let is_too_much = match announcement.protocol {
            Protocol::Eager => bytes > WINDOW_BYTES && from != self.own,
            Protocol::EagerWindow => bytes <= WINDOW_BYTES,
            Protocol::Rendezvous => false,
            // Its bytes are never held, as those of no other message that waits for its receive.
            Protocol::Reference => bytes == 0,
        };
        if is_too_much {
            return Err(garbage("a message whose length does not fit its protocol").into());
        }
        self.peer(from).next_in = number.wrapping_add(1);
        let expected = announcement.eager_bytes(bytes);
        let target = RecvTarget::Heap(Vec::new());
        let incoming = IncomingMessage {
            source: from,
            number,
            announcement: *announcement,
            bytes,
            arrived: 0,
            expected,
            target,
            reference: announcement.is_reference().then(|| Box::new(IncomingReference::new())),
        };
        let message = self.incoming.put(incoming);
        let envelope = Envelope { source: from, tag: announcement.tag };
        match self.take_posted_for(envelope) {
            Some(receive) => self.match_receive(receive, message)?,
            None if self.show_to_probes(envelope, message) => {}
            None => self.matching.put_unexpected(envelope, message),
        }
        Ok(message)
    }

    /// Moves bytes of the fragment at the head to the target of the message. Returns their number.
    fn take_bytes(&mut self, message: Key<IncomingMessage>, link: &mut dyn Link) -> Result<usize, Fault> {
        if let Some(reference) = self.incoming[message].reference.as_mut().filter(|one| !one.is_complete()) {
            let place = &mut reference.bytes[reference.arrived..];
            // SAFETY: the rest of the reference, on the heap, where no link has its own memory.
            let taken = unsafe { link.take(place.as_mut_ptr(), place.len(), false) }?;
            reference.arrived += taken;
            self.note_reference(message);
            return Ok(taken);
        }
        let incoming = &mut self.incoming[message];
        let want = incoming.expected - incoming.arrived;
        if want == 0 {
            return Err(garbage("more bytes of a message than the receiver wanted").into());
        }
        let taken = match &mut incoming.target {
            RecvTarget::Heap(bytes) => {
                let reserved = reserve(bytes, want);
                reserved.map_err(|error| Error::no_memory(want, "a message before its receive", error))?;
                let end = bytes.spare_capacity_mut().as_mut_ptr().cast();
                // SAFETY: there is room for `want` bytes behind the end, on the heap, where no link has its
                // own memory.
                let taken = unsafe { link.take(end, want, false) }?;
                let len = bytes.len() + taken;
                // SAFETY: the link has just written that many, within the capacity.
                unsafe { bytes.set_len(len) };
                taken
            }
            RecvTarget::Buffer(receive) => {
                let receive = &self.receives[*receive];
                let buffer = &receive.buffer;
                let room = buffer.bytes().saturating_sub(incoming.arrived).min(want);
                if room > 0
                    && let Some(memory) = &receive.noncontiguous
                {
                    let arrival = link.arrival()?;
                    let n = arrival.bytes.min(room);
                    // SAFETY: `n` bytes have arrived, and the memory has that much room, by the promise to
                    // `start_receive_noncontiguous`; a user's memory is not the link's own.
                    unsafe { memory.scatter(incoming.arrived, arrival.data, n) };
                    link.consume(n)?;
                    n
                } else if room > 0 {
                    let end = buffer.data.wrapping_add(incoming.arrived);
                    // SAFETY: after what has arrived, the buffer has that much room, by the promise to
                    // `start_receive`; a user's memory is not the link's own.
                    unsafe { link.take(end, room, incoming.expected >= STREAMED_FROM) }?
                } else {
                    // The receive is lenient, and these bytes exceed its buffer.
                    let rest = link.arrival()?.bytes.min(want);
                    link.consume(rest)?;
                    rest
                }
            }
        };
        incoming.arrived += taken;
        Ok(taken)
    }
}

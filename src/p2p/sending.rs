//! The sending side: messages begin in the order in which they were started, each with its eager part.

use std::io;
use std::sync::Arc;

use super::conversation::Conversation;
use super::credit::cost;
use super::noncontiguous::{Gathering, NOTHING, Noncontiguous};
use super::operations::{Completion, Kind, OutgoingMessage, Sending, Ticket, Wanted};
use super::protocol::{Protocol, ProtocolMessage, REFERENCE_BYTES, Reference};
use super::slab::Key;
use crate::base::Rank;
use crate::transport::{Header, Link, SingleCopy};

/// Bytes of eager sends, and as many of cleared ones, that are offered before incoming messages and other
/// peers have their turn. Smaller turns cost time, because each turn has a fixed cost. Figures:
/// docs/lab/constants.md.
const TURN_BYTES: usize = 512 << 10;

/// A violation of the protocol by a peer: it replied about a message that waits for no reply, or returned
/// credit that it never had.
pub(super) struct ProtocolViolation(pub &'static str);

impl Conversation {
    /// Starts a message. `push` sends it.
    ///
    /// # Safety
    /// `what.data` is readable for all elements, and unchanged, until there is an outcome.
    pub unsafe fn start_send(&mut self, what: &OutgoingMessage) -> Ticket {
        self.add_send(what, None, None)
    }

    /// Starts a message of noncontiguous memory, whose bytes are `what.count` elements. `what.data` is not
    /// used.
    ///
    /// # Safety
    /// The memory is readable, and unchanged, until there is an outcome.
    pub unsafe fn start_send_noncontiguous(
        &mut self,
        what: &OutgoingMessage,
        memory: Arc<dyn Noncontiguous>,
    ) -> Ticket {
        self.add_send(what, Some(Box::new(Gathering::new(memory))), None)
    }

    pub(super) fn add_send(
        &mut self,
        what: &OutgoingMessage,
        gathering: Option<Box<Gathering>>,
        reference: Option<Box<Reference>>,
    ) -> Ticket {
        let bytes = what.count as usize * what.datatype.bytes();
        let outcome = self.failure.clone().map(Err);
        let has_failed = outcome.is_some();
        let number = self.peer(what.to).next_out;
        let data = reference.as_ref().map_or(what.data, |reference| reference.as_ptr());
        let send = Sending {
            what: OutgoingMessage { data, ..*what },
            gathering,
            reference,
            wanted: None,
            bytes,
            header: None,
            number,
            done: 0,
            until: 0,
            limit: bytes,
            needs_reply: false,
            record: 0,
            outcome,
        };
        let key = self.sends.put(send);
        if !has_failed {
            let peer = self.peer(what.to);
            peer.next_out = number.wrapping_add(1);
            peer.eager_sends.push_back(key);
            self.list(what.to);
        }
        Ticket(Kind::Send(key))
    }

    /// Whether the next message to `to` lacks credit for its eager part. The link may hold credit that was
    /// not read yet.
    pub fn lacks_credit(&self, to: Rank) -> bool {
        let Some(peer) = self.peers.get(to as usize).filter(|_| to != self.own) else { return false };
        let next = peer.eager_sends.front().map(|key| &self.sends[*key]);
        next.is_some_and(|send| {
            let (announcement, bytes) = (send.announcement(), send.bytes);
            send.header.is_none() && !peer.account.allows(cost(&announcement, bytes))
        })
    }

    /// Offers some of the messages to `to`. Returns whether any bytes were taken.
    pub fn push(&mut self, to: Rank, link: &mut dyn Link) -> io::Result<bool> {
        let mut moved = self.push_replies(to, link)?;
        let mut turn = 0;
        while turn < TURN_BYTES
            && let Some(&key) = self.peer(to).cleared_sends.front()
        {
            let before = self.sends[key].done;
            self.offer(key, link)?;
            let send = &self.sends[key];
            if send.done == before {
                break;
            }
            moved = true;
            turn += send.done - before;
            if send.done == send.until {
                self.peer(to).cleared_sends.pop_front();
                self.end_send(key);
            }
        }
        let mut turn = 0;
        while turn < TURN_BYTES
            && let Some(&key) = self.peer(to).eager_sends.front()
        {
            if self.sends[key].header.is_none() {
                self.choose_protocol(to, key);
            }
            let before = self.sends[key].done;
            if !self.offer(key, link)? {
                break;
            }
            moved = true;
            let send = &self.sends[key];
            turn += send.done - before;
            if send.done == send.until {
                self.peer(to).eager_sends.pop_front();
                self.eager_part_sent(to, key);
            }
        }
        Ok(moved)
    }

    pub(super) fn push_replies(&mut self, to: Rank, link: &mut dyn Link) -> io::Result<bool> {
        let mut moved = false;
        while let Some(reply) = self.peer(to).replies.front() {
            // SAFETY: nothing is read.
            if unsafe { link.send(reply, NOTHING, 0, SingleCopy::Never) }?.is_none() {
                break;
            }
            self.peer(to).replies.pop_front();
            moved = true;
        }
        Ok(moved)
    }

    /// Queues a reply about message `number`. It is sent as soon as there is room.
    pub(super) fn queue_reply(&mut self, to: Rank, number: u32, message: ProtocolMessage) {
        let header = Header { context: self.context, sequence: number, call: message.pack() };
        self.peer(to).replies.push_back(header);
        self.list(to);
    }

    /// Decides how much of a message is sent before the receiver replies.
    fn choose_protocol(&mut self, to: Rank, key: Key<Sending>) {
        let to_itself = to == self.own;
        let send = &mut self.sends[key];
        let mut announcement = send.announcement();
        let account = &mut self.peers[to as usize].account;
        if to_itself && send.reference.is_none() {
            // The message stays in this rank's memory, which concerns no other rank.
            announcement.protocol = Protocol::Eager;
        } else {
            if !account.allows(cost(&announcement, send.bytes)) {
                announcement.protocol = Protocol::Rendezvous;
            }
            account.use_up(cost(&announcement, send.bytes));
        }
        send.until = match send.reference {
            Some(_) => REFERENCE_BYTES,
            None => announcement.eager_bytes(send.bytes),
        };
        send.needs_reply = announcement.needs_reply();
        let call = ProtocolMessage::Data(announcement).pack();
        send.header = Some(Header { context: self.context, sequence: send.number, call });
        if send.needs_reply {
            let number = send.number;
            self.peer(to).awaiting_reply.insert(number, key);
        }
    }

    /// Offers bytes of a message that has begun. Returns whether the link took some, or an empty fragment.
    fn offer(&mut self, key: Key<Sending>, link: &mut dyn Link) -> io::Result<bool> {
        let send = &mut self.sends[key];
        let header = send.header.as_ref().expect("begun");
        if let Some(gathering) = &mut send.gathering {
            // SAFETY: the caller of `start_send_noncontiguous` vouches for that many bytes, until the
            // outcome.
            let taken = unsafe { gathering.offer(header, send.done, send.until, link) }?;
            send.done += taken.unwrap_or(0);
            return Ok(taken.is_some());
        }
        let data = send.what.data.wrapping_add(send.done);
        // The receiver's preference counts only for a whole message, not for the rest of one.
        let single_copy = if send.done == 0 { SingleCopy::IfFaster } else { SingleCopy::IfOversubscribed };
        // SAFETY: the caller of `start_send` vouches for `bytes` readable bytes, and `until` is no more than
        // that, until the outcome, which comes after the last byte is taken.
        let taken = unsafe { link.send(header, data, send.until - send.done, single_copy) }?;
        send.done += taken.unwrap_or(0);
        Ok(taken.is_some())
    }

    /// Continues a message whose eager part was sent. The reply may have come meanwhile.
    fn eager_part_sent(&mut self, to: Rank, key: Key<Sending>) {
        let send = &mut self.sends[key];
        if send.needs_reply {
            return;
        }
        if send.reference.is_some() {
            return self.end_send(key);
        }
        send.until = send.limit;
        if send.done < send.until {
            self.peer(to).cleared_sends.push_back(key);
        } else {
            self.end_send(key);
        }
    }

    /// Notes that a receive has matched message `number`. `limit` is the number of bytes of the message that
    /// the receiver wants.
    pub(super) fn note_match(
        &mut self,
        from: Rank,
        number: u32,
        limit: Option<u64>,
    ) -> Result<(), ProtocolViolation> {
        let peer = self.peer(from);
        let Some(key) = peer.awaiting_reply.remove(&number) else {
            return Err(ProtocolViolation("a reply about a message that waits for none"));
        };
        // Only the first message of this queue has begun.
        let is_eager = peer.eager_sends.front() == Some(&key);
        let send = &mut self.sends[key];
        send.needs_reply = false;
        if let Some(limit) = limit {
            let limit = usize::try_from(limit).unwrap_or(send.bytes);
            match send.reference {
                Some(_) => send.wanted = Some(limit.min(send.bytes)),
                None => send.limit = limit.clamp(send.until, send.bytes),
            }
        }
        if !is_eager {
            self.eager_part_sent(from, key);
        }
        self.list(from);
        Ok(())
    }

    pub(super) fn end_send(&mut self, key: Key<Sending>) {
        let send = &mut self.sends[key];
        let wanted = send.wanted.map(|bytes| Wanted { number: send.number, bytes });
        send.outcome = Some(Ok(Completion { wanted, ..send.status(self.own).into() }));
    }
}

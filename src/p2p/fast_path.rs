//! The fast path of short messages: sent at once, or received directly into a waiting buffer.
//!
//! The owner of the links (`progress::message_fast_path`) moves the bytes. This module checks the conditions
//! before that, and updates the state after it. Everything unusual takes the general path: a queue that is
//! not empty, a reply to wait for, no credit.

use super::conversation::Conversation;
use super::credit::cost;
use super::matching::{Selector, Tag};
use super::operations::{Kind, Receive, RecvBuffer, Stage, Ticket};
use super::protocol::{Announcement, Protocol, ProtocolMessage};
use super::status::Status;
use crate::base::{Datatype, Rank};
use crate::transport::Header;

/// A message that may take the fast path.
pub struct FastMessage {
    /// Header of its fragments.
    pub header: Header,
    cost: usize,
}

/// The end of a receive under way, once its message has come.
pub struct FastEnd {
    /// The message.
    pub message: FastMessage,
    /// The buffer of the receive.
    pub data: *mut u8,
    /// Status of the message.
    pub status: Status,
}

impl Conversation {
    #[inline]
    fn fast_message(
        &self,
        number: u32,
        tag: Tag,
        datatype: Datatype,
        count: u64,
        bytes: usize,
    ) -> FastMessage {
        let announcement =
            Announcement { tag, datatype, count, protocol: Protocol::Eager, is_synchronous: false };
        let header = Header {
            context: self.context,
            sequence: number,
            call: ProtocolMessage::Data(announcement).pack(),
        };
        FastMessage { header, cost: cost(&announcement, bytes) }
    }

    /// Prepares an eager send of `bytes` bytes, if the message may be sent at once.
    #[inline]
    pub fn fast_send(
        &self,
        to: Rank,
        tag: Tag,
        datatype: Datatype,
        count: u64,
        bytes: usize,
    ) -> Option<FastMessage> {
        let peer = self.peers.get(to as usize)?;
        let fast = self.fast_message(peer.next_out, tag, datatype, count, bytes);
        let may = !peer.has_outgoing() && peer.account.allows(fast.cost) && self.failure.is_none();
        may.then_some(fast)
    }

    /// Notes that the message was sent.
    #[inline]
    pub fn note_fast_send(&mut self, to: Rank, fast: &FastMessage) {
        let peer = &mut self.peers[to as usize];
        peer.next_out = peer.next_out.wrapping_add(1);
        peer.account.use_up(fast.cost);
    }

    /// Prepares a receive that fills its buffer, if only the next message from that rank can match it.
    #[inline]
    pub fn fast_receive(
        &self,
        from: Rank,
        tag: Tag,
        datatype: Datatype,
        count: u64,
        bytes: usize,
    ) -> Option<FastMessage> {
        let peer = self.peers.get(from as usize)?;
        let is_alone = self.matching.is_empty() && self.probing.is_empty() && self.failure.is_none();
        is_alone.then(|| self.fast_message(peer.next_in, tag, datatype, count, bytes))
    }

    /// Prepares the end of a posted receive, if only the next message from its source can match it and
    /// nothing else is under way here.
    #[inline]
    pub fn fast_end(&self, ticket: Ticket) -> Option<FastEnd> {
        let Kind::Receive(key) = ticket.0 else { return None };
        let Receive { selector, buffer, noncontiguous, claims, .. } = &self.receives[key];
        let (from, tag) = (selector.source()?, selector.tag()?);
        let peer = self.peers.get(from as usize)?;
        let is_alone = self.matching.has_one_receive()
            && self.receives[key].is_posted()
            && self.anywhere == 0
            && self.listed.len() == 1
            && !peer.has_sends()
            && !peer.has_outgoing()
            && self.probing.is_empty()
            && self.failure.is_none();
        if !is_alone || noncontiguous.is_some() || *claims {
            return None;
        }
        let RecvBuffer { data, datatype, count, .. } = *buffer;
        let bytes = buffer.bytes();
        let message = self.fast_message(peer.next_in, tag, datatype, count, bytes);
        let status = Status { source: from, tag, datatype, count, bytes, is_cancelled: false };
        Some(FastEnd { message, data, status })
    }

    /// Notes that the message of a posted receive was completely received.
    pub fn note_fast_end(&mut self, ticket: Ticket, end: &FastEnd) {
        let Kind::Receive(key) = ticket.0 else { unreachable!("only receives end on the fast path") };
        let receive = &mut self.receives[key];
        receive.outcome = Some(Ok(end.status.into()));
        if let Stage::Posted(waiting) = std::mem::replace(&mut receive.stage, Stage::Matched) {
            self.matching.cancel(waiting);
        }
        self.stop_expecting_from(Some(end.status.source));
        self.note_fast_receive(end.status.source, &end.message);
        self.settle();
    }

    /// Continues a receive of which `arrived` bytes have come on the fast path. The rest takes the general
    /// path.
    ///
    /// # Safety
    /// The contract of [`Conversation::start_receive`] holds.
    pub unsafe fn continue_fast_receive(
        &mut self,
        from: Rank,
        selector: Selector,
        buffer: RecvBuffer,
        fast: &FastMessage,
        arrived: usize,
    ) -> Ticket {
        // SAFETY: passed on from our caller.
        let started = unsafe { self.start_receive(selector, buffer) };
        let Some(ProtocolMessage::Data(announcement)) = ProtocolMessage::unpack(fast.header.call) else {
            unreachable!("it was packed here")
        };
        let number = fast.header.sequence;
        // Nothing else waits, and both have one type and length, so nothing can contradict.
        let (Ok(ticket), Ok(message)) = (started, self.accept_announcement(from, number, &announcement))
        else {
            unreachable!("a message that fits its receive meets it")
        };
        self.incoming[message].arrived = arrived;
        self.peer(from).unfinished.insert(number, message);
        self.expect_from(Some(from));
        ticket
    }

    /// Notes that the message was completely received.
    #[inline]
    pub fn note_fast_receive(&mut self, from: Rank, fast: &FastMessage) {
        let peer = &mut self.peers[from as usize];
        peer.next_in = peer.next_in.wrapping_add(1);
        if let Some(bytes) = peer.debt.add(fast.cost) {
            self.queue_reply(from, fast.header.sequence, ProtocolMessage::Credit { bytes });
        }
    }
}

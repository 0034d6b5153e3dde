//! The fast path of short messages between two ranks of a host, if nothing else goes on.
//!
//! A message is put into the ring at once, or copied out of the ring into the buffer
//! ([`crate::p2p::fast_path`]). If the rest of it is late, it becomes a receive like any other.

use super::context::CommId;
use super::engine::{Engine, Ticket};
use super::engine_comm::EngineComm;
use super::messaging::MessageTicket;
use super::recorded::{receiving_from, sending_to, transfer};
use crate::executor::fast_path::pause;
use crate::observe::status::{ShownEnd, StatusPage};
use crate::p2p::{OutgoingMessage, RecvBuffer, Selector, Status};
use crate::sys::memory_copy::copy_short;
use crate::transport::fast_path::{FastPath, FragmentSize, Peek, ZERO_COPY_BYTES};

/// How long a receive on the fast path polls for its message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// One look.
    None,
    /// About as long as a peer that is at work takes to answer.
    Moment,
}

/// Outcome of an attempt to receive on the fast path.
pub(super) enum FastReceive {
    Received(Status),
    /// A part has come. The rest is a receive like any other.
    Started(Ticket),
    /// Nothing was done, and the receive has to be started.
    NotTaken,
}

impl Engine {
    /// Sends a small message if nothing is in its way. Returns whether it was sent.
    ///
    /// # Safety
    /// The contract of [`Engine::start_send`] holds during this call.
    #[inline]
    pub(super) unsafe fn send_fast_path(&mut self, id: CommId, what: &OutgoingMessage) -> bool {
        let OutgoingMessage { to, tag, datatype, count, data, is_synchronous } = *what;
        let bytes = count as usize * datatype.bytes();
        if bytes >= self.fast_below || is_synchronous {
            return false;
        }
        let Some(EngineComm { context, conversation, members, .. }) = self.comms.find_mut(id) else {
            return false;
        };
        let Some(fast) = conversation.fast_send(to, tag, datatype, count, bytes) else { return false };
        let endpoint = &mut self.endpoints[members[to as usize].endpoint as usize];
        let Some(link) = endpoint.inbox.link.fast_path() else { return false };
        // The send of an exposed message does not end when it has begun.
        if bytes >= ZERO_COPY_BYTES && link.would_expose(data, bytes) {
            return false;
        }
        // SAFETY: passed on from our caller.
        if !unsafe { link.post(&fast.header, data, bytes, FragmentSize::Small) } {
            return false;
        }
        endpoint.ring_doorbell_if_due();
        conversation.note_fast_send(to, &fast);
        if let Some(page) = &self.page {
            page.note_message(*context, sending_to(to), &transfer(tag, datatype, count), ShownEnd::Soon);
        }
        true
    }

    /// Receives a small message that fills its buffer, if it comes in time and nothing is in its way.
    ///
    /// # Safety
    /// The contract of [`Engine::start_receive`] holds during this call.
    #[inline]
    pub(super) unsafe fn receive_fast_path(
        &mut self,
        id: CommId,
        selector: Selector,
        buffer: &RecvBuffer,
        patience: Patience,
    ) -> FastReceive {
        let RecvBuffer { data, datatype, count, .. } = *buffer;
        let bytes = count as usize * datatype.bytes();
        let (Some(from), Some(tag)) = (selector.source(), selector.tag()) else {
            return FastReceive::NotTaken;
        };
        if bytes >= self.fast_below || !self.calls.active.is_empty() || !self.messaging.comms.is_empty() {
            return FastReceive::NotTaken;
        }
        let Some(EngineComm { context, conversation, members, .. }) = self.comms.find_mut(id) else {
            return FastReceive::NotTaken;
        };
        let Some(fast) = conversation.fast_receive(from, tag, datatype, count, bytes) else {
            return FastReceive::NotTaken;
        };
        let endpoint = &mut self.endpoints[members[from as usize].endpoint as usize];
        let Some(link) = endpoint.inbox.link.fast_path() else { return FastReceive::NotTaken };
        if let Some(page) = &self.page {
            page.note_message(
                *context,
                receiving_from(from),
                &transfer(tag, datatype, count),
                ShownEnd::Soon,
            );
        }
        let (mut waited, mut done) = (0, None);
        while done != Some(bytes) {
            let before = done.unwrap_or(0);
            match link.peek(&fast.header, bytes - before) {
                Peek::Data(arrived, n) => {
                    // SAFETY: `peek` gave `n` readable bytes, no more than what is left of the buffer, for
                    // which our caller vouches; a user's memory lies outside of the link's. A peer that still
                    // writes there can only make the bytes wrong.
                    unsafe { copy_short(data.wrapping_add(before), arrived, n) };
                    link.release();
                    done = Some(before + n);
                }
                Peek::Empty if patience == Patience::Moment && pause(&mut waited, self.oversubscribed) => {}
                Peek::Empty | Peek::SlowPath => break,
            }
        }
        let Some(done) = done else {
            self.page.iter().for_each(StatusPage::retract_message);
            return FastReceive::NotTaken;
        };
        endpoint.ring_doorbell_if_due();
        if done < bytes {
            // SAFETY: passed on from our caller.
            let ticket = unsafe { conversation.continue_fast_receive(from, selector, *buffer, &fast, done) };
            let context = conversation.context();
            if let Some(page) = &self.page {
                page.note_message_goes_on();
                conversation.set_record(ticket, page.latest_message());
            }
            self.note_messaging(id);
            return FastReceive::Started(Ticket::Message(MessageTicket::new(id, context, ticket)));
        }
        conversation.note_fast_receive(from, &fast);
        if !conversation.is_idle() {
            self.note_messaging(id);
        }
        FastReceive::Received(Status { source: from, tag, datatype, count, bytes, is_cancelled: false })
    }

    /// Ends a receive under way, if its message is small, comes in time and fills its buffer, and nothing
    /// else goes on.
    #[inline]
    pub(super) fn end_on_fast_path(&mut self, ticket: Ticket, patience: Patience) {
        let Ticket::Message(ticket) = ticket else { return };
        if self.calls.active.is_empty() && self.messaging.comms == [ticket.comm] {
            self.try_end(ticket, patience);
        }
    }

    /// `None`: the receive goes on.
    fn try_end(&mut self, ticket: MessageTicket, patience: Patience) -> Option<()> {
        let fast_below = self.fast_below;
        let MessageTicket { comm: id, ticket, .. } = ticket;
        let EngineComm { conversation, members, .. } = self.comms.find_mut(id)?;
        let end = conversation.fast_end(ticket)?;
        let Status { source, bytes, .. } = end.status;
        if bytes >= fast_below {
            return None;
        }
        let endpoint = &mut self.endpoints[members[source as usize].endpoint as usize];
        let link = endpoint.inbox.link.fast_path()?;
        let mut waited = 0;
        loop {
            match link.peek(&end.message.header, bytes) {
                Peek::Data(arrived, n) if n == bytes => {
                    // SAFETY: `peek` gave `n` readable bytes. The buffer has as many, and is writable by the
                    // promise to `start_receive`, as the receive has no outcome yet. A user's memory lies
                    // outside of the link's. A peer that still writes there can only make the bytes wrong.
                    unsafe { copy_short(end.data, arrived, n) };
                    link.release();
                    break;
                }
                Peek::Empty if patience == Patience::Moment && pause(&mut waited, self.oversubscribed) => {}
                _ => return None,
            }
        }
        endpoint.ring_doorbell_if_due();
        conversation.note_fast_end(ticket, &end);
        if conversation.is_idle() {
            self.messaging.comms.clear();
        }
        Some(())
    }
}

//! Messages as calls of a thread: started and pushed, or run to their end.
//!
//! A short message between two ranks of a host takes the fast path, if nothing else goes on. It is put into
//! the ring at once, or copied out of the ring into the buffer ([`crate::p2p::fast_path`]). If the rest of it
//! is late, it becomes a receive like any other.

use std::time::Duration;

use super::context::CommId;
use super::engine::{Engine, Ticket};
use super::engine_comm::EngineComm;
use super::messaging::MessageTicket;
use super::wait::{Driver, LateCall};
use crate::base::{BoxedResult, Result};
use crate::executor::fast_path::{LONGEST, LONGEST_OVERSUBSCRIBED, pause};
use crate::p2p::{Completion, MatchedMessage, OutgoingMessage, RecvBuffer, Selector, Status};
use crate::sys::memory_copy::copy_short;
use crate::transport::fast_path::{FastPath, FragmentSize, Peek, ZERO_COPY_BYTES};

impl Driver {
    /// Starts a send and gives it a first push. A small message that can be sent at once has then been sent.
    ///
    /// # Safety
    /// See [`Engine::start_send`].
    pub unsafe fn start_send(&self, comm: CommId, what: &OutgoingMessage) -> Result<Started> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        if unsafe { engine.send_fast_path(comm, what) } {
            let source = engine.comms.get(comm).rank;
            let OutgoingMessage { tag, datatype, count, .. } = *what;
            let bytes = count as usize * datatype.bytes();
            let status = Status { source, tag, datatype, count, bytes, is_cancelled: false };
            return Ok(Started::Ended(status));
        }
        // SAFETY: passed on from our caller.
        let ticket = unsafe { engine.start_send(comm, what) }?;
        self.move_on(&mut engine);
        Ok(Started::Running(ticket))
    }

    /// Starts a receive. A small message that has arrived is received at once. Otherwise the receive makes
    /// progress at the next look at the links, so many that are started one after the other cost one look.
    ///
    /// # Safety
    /// See [`Engine::start_receive`].
    pub unsafe fn start_receive(
        &self,
        comm: CommId,
        selector: Selector,
        buffer: RecvBuffer,
    ) -> Result<Started> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        let ticket = match unsafe { engine.receive_fast_path(comm, selector, &buffer, Patience::None) } {
            FastReceive::Received(status) => return Ok(Started::Ended(status)),
            FastReceive::Started(ticket) => ticket,
            // SAFETY: passed on from our caller.
            FastReceive::NotTaken => unsafe { engine.start_receive(comm, selector, buffer) }?,
        };
        if !engine.waits_quietly(ticket) {
            self.move_on(&mut engine);
        }
        Ok(Started::Running(ticket))
    }

    /// Starts the receive of a message that a probe has taken out.
    ///
    /// # Safety
    /// See [`Engine::start_claimed`].
    pub unsafe fn start_claimed(
        &self,
        comm: CommId,
        message: MatchedMessage,
        buffer: RecvBuffer,
    ) -> Result<Ticket> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        let ticket = unsafe { engine.start_claimed(comm, message, buffer) }?;
        self.move_on(&mut engine);
        Ok(ticket)
    }

    /// Sends a message. Returns when its buffer may be reused.
    ///
    /// # Safety
    /// The contract of [`Engine::start_send`] holds during this call.
    #[inline]
    pub unsafe fn send(&self, comm: CommId, what: &OutgoingMessage, timeout: Option<Duration>) -> Result<()> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        if unsafe { engine.send_fast_path(comm, what) } {
            return Ok(());
        }
        // SAFETY: passed on from our caller. This function returns only when there is an outcome.
        let ticket = unsafe { engine.start_send(comm, what) }?;
        self.wait_for(&mut engine, ticket, timeout).map(drop)
    }

    /// Sends a small message if nothing is in its way. Returns whether it was sent.
    ///
    /// # Safety
    /// The contract of [`Engine::start_send`] holds during this call.
    #[inline(always)]
    pub unsafe fn send_fast_path(&self, comm: CommId, what: &OutgoingMessage) -> bool {
        // SAFETY: passed on from our caller.
        unsafe { self.lock().send_fast_path(comm, what) }
    }

    /// Receives a small message if it comes within a moment and nothing is in its way. `None`: nothing was
    /// done. If only a part comes in time, `late` ends the receive.
    ///
    /// # Safety
    /// The contract of [`Engine::start_receive`] holds during this call.
    #[inline(always)]
    pub unsafe fn receive_fast_path(
        &self,
        comm: CommId,
        selector: Selector,
        buffer: RecvBuffer,
        late: impl FnOnce(LateCall) -> BoxedResult<Option<Status>>,
    ) -> Option<BoxedResult<Option<Status>>> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        match unsafe { engine.receive_fast_path(comm, selector, &buffer, Patience::Moment) } {
            FastReceive::Received(status) => Some(Ok(Some(status))),
            FastReceive::Started(ticket) => Some(late(LateCall { driver: self, engine, ticket })),
            FastReceive::NotTaken => None,
        }
    }

    /// Receives a message.
    ///
    /// # Safety
    /// The contract of [`Engine::start_receive`] holds during this call.
    #[inline]
    pub unsafe fn receive(
        &self,
        comm: CommId,
        selector: Selector,
        buffer: RecvBuffer,
        timeout: Option<Duration>,
    ) -> Result<Status> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        let ticket = match unsafe { engine.receive_fast_path(comm, selector, &buffer, Patience::Moment) } {
            FastReceive::Received(status) => return Ok(status),
            FastReceive::Started(ticket) => ticket,
            // SAFETY: passed on from our caller. This function returns only when there is an outcome.
            FastReceive::NotTaken => unsafe { engine.start_receive(comm, selector, buffer) }?,
        };
        self.wait_for(&mut engine, ticket, timeout).map(status)
    }

    /// Waits for a message that the selector accepts. With `takes`, the message is taken out of the queue.
    pub fn probe(
        &self,
        comm: CommId,
        selector: Selector,
        takes: bool,
        timeout: Option<Duration>,
    ) -> Result<Completion> {
        let mut engine = self.lock();
        let ticket = engine.start_probe(comm, selector, takes)?;
        self.wait_for(&mut engine, ticket, timeout).map(|ended| ended.expect("a probe ends with a message"))
    }

    /// The message that a receive would get now. Makes progress on everything under way.
    pub fn find(&self, comm: CommId, selector: Selector) -> Result<Option<Status>> {
        let mut engine = self.lock();
        let found = engine.find(comm, selector)?;
        // The sender may send the message only after a collective in which it waits for this rank.
        if found.is_none() && !self.move_on(&mut engine) {
            self.check_peers(&mut engine);
        }
        Ok(found)
    }

    /// Like [`Driver::find`], but takes the message out.
    pub fn claim(&self, comm: CommId, selector: Selector) -> Result<Option<(MatchedMessage, Status)>> {
        let mut engine = self.lock();
        let found = engine.claim(comm, selector)?;
        // The sender may send the message only after a collective in which it waits for this rank.
        if found.is_none() && !self.move_on(&mut engine) {
            self.check_peers(&mut engine);
        }
        Ok(found)
    }

    /// Cancels a receive that has matched no message. Returns whether it was cancelled.
    pub fn cancel(&self, ticket: Ticket) -> bool {
        let mut engine = self.lock();
        let is_cancelled = engine.cancel(ticket);
        if is_cancelled {
            // Another thread may wait for the receive.
            engine.has_changes = true;
            self.wake_sleepers(&mut engine);
        }
        is_cancelled
    }
}

/// State of a message after its start.
pub enum Started {
    /// The message is under way.
    Running(Ticket),
    /// The message was sent, or received.
    Ended(Status),
}

/// How long a receive on the fast path polls for its message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Patience {
    /// One look.
    None,
    /// About as long as a peer that is at work takes to answer.
    Moment,
}

/// Status of the message with which a receive has ended.
pub(super) fn status(ended: Option<Completion>) -> Status {
    ended.expect("a receive ends with a message").status
}

/// Outcome of an attempt to receive on the fast path.
enum FastReceive {
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
    unsafe fn send_fast_path(&mut self, id: CommId, what: &OutgoingMessage) -> bool {
        let OutgoingMessage { to, tag, datatype, count, data, is_synchronous } = *what;
        let bytes = count as usize * datatype.bytes();
        if bytes > self.longest() || is_synchronous {
            return false;
        }
        let Some(EngineComm { conversation, members, .. }) = self.comms.find_mut(id) else { return false };
        let Some(fast) = conversation.fast_send(to, tag, datatype, count, bytes) else { return false };
        let endpoint = &mut self.endpoints[members[to as usize].endpoint as usize];
        let Some(link) = endpoint.inbox.link.fast_path() else { return false };
        // The send of an exposed message does not end when it has begun.
        if bytes >= ZERO_COPY_BYTES && link.would_expose(data, bytes) {
            return false;
        }
        // SAFETY: passed on from our caller.
        if !unsafe { link.post(&fast.header, data, bytes, FragmentSize::Half) } {
            return false;
        }
        endpoint.ring_doorbell_if_due();
        conversation.note_fast_send(to, &fast);
        true
    }

    /// Receives a small message that fills its buffer, if it comes in time and nothing is in its way.
    ///
    /// # Safety
    /// The contract of [`Engine::start_receive`] holds during this call.
    #[inline]
    unsafe fn receive_fast_path(
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
        if bytes > self.longest() || !self.calls.active.is_empty() || !self.messaging.comms.is_empty() {
            return FastReceive::NotTaken;
        }
        let Some(EngineComm { conversation, members, .. }) = self.comms.find_mut(id) else {
            return FastReceive::NotTaken;
        };
        let Some(fast) = conversation.fast_receive(from, tag, datatype, count, bytes) else {
            return FastReceive::NotTaken;
        };
        let endpoint = &mut self.endpoints[members[from as usize].endpoint as usize];
        let Some(link) = endpoint.inbox.link.fast_path() else { return FastReceive::NotTaken };
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
        let Some(done) = done else { return FastReceive::NotTaken };
        endpoint.ring_doorbell_if_due();
        if done < bytes {
            // SAFETY: passed on from our caller.
            let ticket = unsafe { conversation.continue_fast_receive(from, selector, *buffer, &fast, done) };
            let context = conversation.context();
            self.note_messaging(id);
            return FastReceive::Started(Ticket::Message(MessageTicket::new(id, context, ticket)));
        }
        conversation.note_fast_receive(from, &fast);
        if !conversation.is_idle() {
            self.note_messaging(id);
        }
        FastReceive::Received(Status { source: from, tag, datatype, count, bytes, is_cancelled: false })
    }

    /// Longest message for which the fast path is tried.
    #[inline]
    fn longest(&self) -> usize {
        if self.oversubscribed { LONGEST_OVERSUBSCRIBED } else { LONGEST }
    }
}

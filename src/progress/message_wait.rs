//! Messages as calls of a thread: started and pushed, or run to their end.

use std::time::Duration;

use super::context::CommId;
use super::engine::Ticket;
use super::message_fast_path::{FastReceive, Patience};
use super::wait::{Driver, LateCall};
use crate::base::{BoxedResult, Result};
use crate::p2p::{Completion, MatchedMessage, OutgoingMessage, RecvBuffer, Selector, Status};

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
        if !engine.push_alone(comm, what.to, ticket) {
            self.move_on(&mut engine);
        }
        engine.note_returned(ticket);
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
        engine.note_returned(ticket);
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
        // The sender may wait for a reply.
        self.move_on(&mut engine);
        engine.note_returned(ticket);
        Ok(ticket)
    }

    /// Takes the bytes of a message that a probe has taken out, if all have come. The next look at the links
    /// sends what the sender may wait for.
    pub fn take_claimed(
        &self,
        comm: CommId,
        message: MatchedMessage,
    ) -> Result<std::result::Result<Vec<u8>, MatchedMessage>> {
        self.lock().take_claimed(comm, message)
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

    /// Starts a wait for a message that the selector accepts, which takes it out of the queue. What has not
    /// been taken in yet is found by the next look at the links.
    pub fn start_probe(&self, comm: CommId, selector: Selector) -> Result<Ticket> {
        let mut engine = self.lock();
        let ticket = engine.start_probe(comm, selector, true)?;
        engine.note_returned(ticket);
        Ok(ticket)
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

    /// Cancels a receive, or a probe, that has matched no message. Returns whether it was cancelled.
    pub fn cancel(&self, ticket: Ticket) -> bool {
        let mut engine = self.lock();
        let is_cancelled = engine.cancel(ticket);
        if is_cancelled {
            // Another thread may wait for the receive.
            engine.sleepers.ring_all();
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

/// Status of the message with which a receive has ended.
pub(super) fn status(ended: Option<Completion>) -> Status {
    ended.expect("a receive ends with a message").status
}

//! Messages whose memory is not one run of bytes, as calls of a thread.

use std::sync::Arc;
use std::time::Duration;

use super::context::CommId;
use super::engine::{Engine, Ticket};
use super::message_wait::status;
use super::wait::Driver;
use crate::base::Result;
use crate::p2p::{MatchedMessage, Noncontiguous, OutgoingMessage, RecvBuffer, Selector, Status};

impl Driver {
    /// Starts a send of noncontiguous memory and gives it a first push.
    ///
    /// # Safety
    /// See [`crate::p2p::Conversation::start_send_noncontiguous`].
    pub unsafe fn start_send_noncontiguous(
        &self,
        comm: CommId,
        what: &OutgoingMessage,
        memory: Arc<dyn Noncontiguous>,
    ) -> Result<Ticket> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        let ticket = unsafe { engine.start_send_noncontiguous(comm, what, memory) }?;
        self.move_on(&mut engine);
        engine.note_returned(ticket);
        Ok(ticket)
    }

    /// Starts a receive into noncontiguous memory and gives it a first push.
    ///
    /// # Safety
    /// See [`crate::p2p::Conversation::start_receive_noncontiguous`].
    pub unsafe fn start_receive_noncontiguous(
        &self,
        comm: CommId,
        selector: Selector,
        buffer: RecvBuffer,
        memory: Arc<dyn Noncontiguous>,
    ) -> Result<Ticket> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        let ticket = unsafe { engine.start_receive_noncontiguous(comm, selector, buffer, memory) }?;
        self.move_on(&mut engine);
        engine.note_returned(ticket);
        Ok(ticket)
    }

    /// Starts the receive of a message that a probe has taken out, into noncontiguous memory.
    ///
    /// # Safety
    /// See [`crate::p2p::Conversation::start_claimed_noncontiguous`].
    pub unsafe fn start_claimed_noncontiguous(
        &self,
        comm: CommId,
        message: MatchedMessage,
        buffer: RecvBuffer,
        memory: Arc<dyn Noncontiguous>,
    ) -> Result<Ticket> {
        let mut engine = self.lock();
        let ticket = engine.start_message(comm, |conversation| {
            // SAFETY: passed on from our caller.
            unsafe { conversation.start_claimed_noncontiguous(message, buffer, memory) }
        })?;
        engine.note_receive(ticket, None, None);
        self.move_on(&mut engine);
        engine.note_returned(ticket);
        Ok(ticket)
    }

    /// Sends noncontiguous memory. Returns when it may be reused.
    ///
    /// # Safety
    /// The contract of [`Driver::start_send_noncontiguous`] holds during this call.
    pub unsafe fn send_noncontiguous(
        &self,
        comm: CommId,
        what: &OutgoingMessage,
        memory: Arc<dyn Noncontiguous>,
        timeout: Option<Duration>,
    ) -> Result<()> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller. This function returns only when there is an outcome.
        let ticket = unsafe { engine.start_send_noncontiguous(comm, what, memory) }?;
        self.wait_for(&mut engine, ticket, timeout).map(drop)
    }

    /// Receives into noncontiguous memory.
    ///
    /// # Safety
    /// The contract of [`Driver::start_receive_noncontiguous`] holds during this call.
    pub unsafe fn receive_noncontiguous(
        &self,
        comm: CommId,
        selector: Selector,
        buffer: RecvBuffer,
        memory: Arc<dyn Noncontiguous>,
        timeout: Option<Duration>,
    ) -> Result<Status> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller. This function returns only when there is an outcome.
        let ticket = unsafe { engine.start_receive_noncontiguous(comm, selector, buffer, memory) }?;
        self.wait_for(&mut engine, ticket, timeout).map(status)
    }
}

impl Engine {
    /// # Safety
    /// See [`Driver::start_send_noncontiguous`].
    unsafe fn start_send_noncontiguous(
        &mut self,
        id: CommId,
        what: &OutgoingMessage,
        memory: Arc<dyn Noncontiguous>,
    ) -> Result<Ticket> {
        let ticket = self.start_message(id, |conversation| {
            // SAFETY: passed on from our caller.
            Ok(unsafe { conversation.start_send_noncontiguous(what, memory) })
        })?;
        self.note_send(ticket, what);
        Ok(ticket)
    }

    /// # Safety
    /// See [`Driver::start_receive_noncontiguous`].
    unsafe fn start_receive_noncontiguous(
        &mut self,
        id: CommId,
        selector: Selector,
        buffer: RecvBuffer,
        memory: Arc<dyn Noncontiguous>,
    ) -> Result<Ticket> {
        let ticket = self.start_message(id, |conversation| {
            // SAFETY: passed on from our caller.
            unsafe { conversation.start_receive_noncontiguous(selector, buffer, memory) }
        })?;
        self.opening.note_source(selector.source());
        self.note_receive(ticket, selector.source(), None);
        Ok(ticket)
    }
}

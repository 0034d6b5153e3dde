//! Messages whose memory is not one run of bytes, as calls of a thread.

use std::sync::Arc;
use std::time::Duration;

use super::context::CommId;
use super::engine::{Engine, Ticket};
use super::message_wait::status;
use super::wait::Driver;
use crate::base::Result;
use crate::p2p::{MatchedMessage, OutgoingMessage, Pieces, RecvBuffer, Selector, Status};

impl Driver {
    /// Starts a send of pieces and gives it a first push.
    ///
    /// # Safety
    /// See [`crate::p2p::Conversation::start_send_pieces`].
    pub unsafe fn start_send_pieces(
        &self,
        comm: CommId,
        what: &OutgoingMessage,
        pieces: Arc<dyn Pieces>,
    ) -> Result<Ticket> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        let ticket = unsafe { engine.start_send_pieces(comm, what, pieces) }?;
        self.move_on(&mut engine);
        Ok(ticket)
    }

    /// Starts a receive into pieces and gives it a first push.
    ///
    /// # Safety
    /// See [`crate::p2p::Conversation::start_receive_pieces`].
    pub unsafe fn start_receive_pieces(
        &self,
        comm: CommId,
        selector: Selector,
        buffer: RecvBuffer,
        pieces: Arc<dyn Pieces>,
    ) -> Result<Ticket> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        let ticket = unsafe { engine.start_receive_pieces(comm, selector, buffer, pieces) }?;
        self.move_on(&mut engine);
        Ok(ticket)
    }

    /// Starts the receive of a message that a probe has taken out, into pieces.
    ///
    /// # Safety
    /// See [`crate::p2p::Conversation::start_claimed_pieces`].
    pub unsafe fn start_claimed_pieces(
        &self,
        comm: CommId,
        message: MatchedMessage,
        buffer: RecvBuffer,
        pieces: Arc<dyn Pieces>,
    ) -> Result<Ticket> {
        let mut engine = self.lock();
        let ticket = engine.start_message(comm, |conversation| {
            // SAFETY: passed on from our caller.
            unsafe { conversation.start_claimed_pieces(message, buffer, pieces) }
        })?;
        self.move_on(&mut engine);
        Ok(ticket)
    }

    /// Sends pieces. Returns when their memory may be reused.
    ///
    /// # Safety
    /// The contract of [`Driver::start_send_pieces`] holds during this call.
    pub unsafe fn send_pieces(
        &self,
        comm: CommId,
        what: &OutgoingMessage,
        pieces: Arc<dyn Pieces>,
        timeout: Option<Duration>,
    ) -> Result<()> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller. This function returns only when there is an outcome.
        let ticket = unsafe { engine.start_send_pieces(comm, what, pieces) }?;
        self.wait_for(&mut engine, ticket, timeout).map(drop)
    }

    /// Receives into pieces.
    ///
    /// # Safety
    /// The contract of [`Driver::start_receive_pieces`] holds during this call.
    pub unsafe fn receive_pieces(
        &self,
        comm: CommId,
        selector: Selector,
        buffer: RecvBuffer,
        pieces: Arc<dyn Pieces>,
        timeout: Option<Duration>,
    ) -> Result<Status> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller. This function returns only when there is an outcome.
        let ticket = unsafe { engine.start_receive_pieces(comm, selector, buffer, pieces) }?;
        self.wait_for(&mut engine, ticket, timeout).map(status)
    }
}

impl Engine {
    /// # Safety
    /// See [`Driver::start_send_pieces`].
    unsafe fn start_send_pieces(
        &mut self,
        id: CommId,
        what: &OutgoingMessage,
        pieces: Arc<dyn Pieces>,
    ) -> Result<Ticket> {
        // SAFETY: passed on from our caller.
        self.start_message(id, |conversation| Ok(unsafe { conversation.start_send_pieces(what, pieces) }))
    }

    /// # Safety
    /// See [`Driver::start_receive_pieces`].
    unsafe fn start_receive_pieces(
        &mut self,
        id: CommId,
        selector: Selector,
        buffer: RecvBuffer,
        pieces: Arc<dyn Pieces>,
    ) -> Result<Ticket> {
        self.start_message(id, |conversation| {
            // SAFETY: passed on from our caller.
            unsafe { conversation.start_receive_pieces(selector, buffer, pieces) }
        })
    }
}

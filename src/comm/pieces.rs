//! Messages whose memory is not one run of bytes. On the wire they are messages of bytes like any other, and
//! the other side may use one buffer. Receives are lenient: if a message is too long, its end is dropped, and
//! only the receive fails.

use std::sync::Arc;

use super::communicator::Communicator;
use super::request::Request;
use crate::base::{Datatype, Rank, Result};
use crate::p2p::{MatchedMessage, OutgoingMessage, Pieces, RecvBuffer, Selector, Status, Tag};

/// The message that consists of these pieces.
pub(super) fn outgoing(to: Rank, tag: Tag, is_synchronous: bool, pieces: &dyn Pieces) -> OutgoingMessage {
    let (datatype, count, data) = (Datatype::Byte, pieces.bytes() as u64, std::ptr::null());
    OutgoingMessage { to, tag, datatype, count, data, is_synchronous }
}

/// The receive buffer that consists of these pieces.
pub(super) fn room(pieces: &dyn Pieces) -> RecvBuffer {
    let (datatype, count, data) = (Datatype::Byte, pieces.bytes() as u64, std::ptr::null_mut());
    RecvBuffer { data, datatype, count, is_lenient: true }
}

impl Communicator {
    /// Sends pieces. Returns when their memory may be reused; with `is_synchronous`, when the message has
    /// also matched a receive.
    ///
    /// # Safety
    /// The pieces are readable, and unchanged, for the whole call.
    pub unsafe fn send_pieces(
        &self,
        to: Rank,
        tag: Tag,
        is_synchronous: bool,
        pieces: Arc<dyn Pieces>,
    ) -> Result<()> {
        let what = outgoing(to, tag, is_synchronous, &*pieces);
        self.check_outgoing(&what)?;
        // SAFETY: passed on from our caller.
        unsafe { self.driver.send_pieces(self.id, &what, pieces, self.timeout.get()) }
    }

    /// Starts a send of pieces.
    ///
    /// # Safety
    /// See [`Communicator::send_pieces`]; the promise holds until the request is complete.
    pub unsafe fn start_send_pieces(
        &self,
        to: Rank,
        tag: Tag,
        is_synchronous: bool,
        pieces: Arc<dyn Pieces>,
    ) -> Result<Request> {
        let what = outgoing(to, tag, is_synchronous, &*pieces);
        self.check_outgoing(&what)?;
        // SAFETY: passed on from our caller.
        let started = unsafe { self.driver.start_send_pieces(self.id, &what, pieces) };
        started.map(|ticket| self.request(ticket))
    }

    /// Receives into pieces.
    ///
    /// # Safety
    /// The pieces are writable, and no one else uses them, for the whole call.
    pub unsafe fn receive_pieces(&self, selector: Selector, pieces: Arc<dyn Pieces>) -> Result<Status> {
        self.check_incoming(selector)?;
        let buffer = room(&*pieces);
        // SAFETY: passed on from our caller.
        unsafe { self.driver.receive_pieces(self.id, selector, buffer, pieces, self.timeout.get()) }
    }

    /// Starts a receive into pieces.
    ///
    /// # Safety
    /// See [`Communicator::receive_pieces`]; the promise holds until the request is complete.
    pub unsafe fn start_receive_pieces(
        &self,
        selector: Selector,
        pieces: Arc<dyn Pieces>,
    ) -> Result<Request> {
        self.check_incoming(selector)?;
        let buffer = room(&*pieces);
        // SAFETY: passed on from our caller.
        let started = unsafe { self.driver.start_receive_pieces(self.id, selector, buffer, pieces) };
        started.map(|ticket| self.request(ticket))
    }

    /// Starts the receive, into pieces, of a message that was taken out of this communicator. Each message is
    /// received once.
    ///
    /// # Safety
    /// See [`Communicator::start_receive_pieces`].
    pub unsafe fn start_matched_receive_pieces(
        &self,
        message: MatchedMessage,
        pieces: Arc<dyn Pieces>,
    ) -> Result<Request> {
        self.check_usable()?;
        let buffer = room(&*pieces);
        // SAFETY: passed on from our caller.
        let started = unsafe { self.driver.start_claimed_pieces(self.id, message, buffer, pieces) };
        started.map(|ticket| self.request(ticket))
    }
}

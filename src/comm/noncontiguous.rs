//! Messages whose memory is not one run of bytes. On the wire they are messages of bytes like any other, and
//! the other side may use one buffer. Receives are lenient: if a message is too long, its end is dropped, and
//! only the receive fails.

use std::sync::Arc;

use super::communicator::Communicator;
use super::request::Request;
use crate::base::{Datatype, Rank, Result};
use crate::p2p::{MatchedMessage, Noncontiguous, OutgoingMessage, RecvBuffer, Selector, Status, Tag};

/// The message that consists of this memory.
pub(super) fn outgoing(
    to: Rank,
    tag: Tag,
    is_synchronous: bool,
    memory: &dyn Noncontiguous,
) -> OutgoingMessage {
    let (datatype, count, data) = (Datatype::Byte, memory.bytes() as u64, std::ptr::null());
    OutgoingMessage { to, tag, datatype, count, data, is_synchronous }
}

/// The receive buffer that consists of this memory.
pub(super) fn room(memory: &dyn Noncontiguous) -> RecvBuffer {
    let (datatype, count, data) = (Datatype::Byte, memory.bytes() as u64, std::ptr::null_mut());
    RecvBuffer { data, datatype, count, is_lenient: true }
}

impl Communicator {
    /// Sends noncontiguous memory. Returns when it may be reused; with `is_synchronous`, when the message
    /// has also matched a receive.
    ///
    /// # Safety
    /// The memory is readable, and unchanged, for the whole call.
    pub unsafe fn send_noncontiguous(
        &self,
        to: Rank,
        tag: Tag,
        is_synchronous: bool,
        memory: Arc<dyn Noncontiguous>,
    ) -> Result<()> {
        let what = outgoing(to, tag, is_synchronous, &*memory);
        self.check_outgoing(&what)?;
        // SAFETY: passed on from our caller.
        unsafe { self.driver.send_noncontiguous(self.id, &what, memory, self.timeout.get()) }
    }

    /// Starts a send of noncontiguous memory.
    ///
    /// # Safety
    /// See [`Communicator::send_noncontiguous`]; the promise holds until the request is complete.
    pub unsafe fn start_send_noncontiguous(
        &self,
        to: Rank,
        tag: Tag,
        is_synchronous: bool,
        memory: Arc<dyn Noncontiguous>,
    ) -> Result<Request> {
        let what = outgoing(to, tag, is_synchronous, &*memory);
        self.check_outgoing(&what)?;
        // SAFETY: passed on from our caller.
        let started = unsafe { self.driver.start_send_noncontiguous(self.id, &what, memory) };
        started.map(|ticket| self.request(ticket))
    }

    /// Receives into noncontiguous memory.
    ///
    /// # Safety
    /// The memory is writable, and no one else uses it, for the whole call.
    pub unsafe fn receive_noncontiguous(
        &self,
        selector: Selector,
        memory: Arc<dyn Noncontiguous>,
    ) -> Result<Status> {
        self.check_incoming(selector)?;
        let buffer = room(&*memory);
        // SAFETY: passed on from our caller.
        unsafe { self.driver.receive_noncontiguous(self.id, selector, buffer, memory, self.timeout.get()) }
    }

    /// Starts a receive into noncontiguous memory.
    ///
    /// # Safety
    /// See [`Communicator::receive_noncontiguous`]; the promise holds until the request is complete.
    pub unsafe fn start_receive_noncontiguous(
        &self,
        selector: Selector,
        memory: Arc<dyn Noncontiguous>,
    ) -> Result<Request> {
        self.check_incoming(selector)?;
        let buffer = room(&*memory);
        // SAFETY: passed on from our caller.
        let started = unsafe { self.driver.start_receive_noncontiguous(self.id, selector, buffer, memory) };
        started.map(|ticket| self.request(ticket))
    }

    /// Starts the receive, into noncontiguous memory, of a message that was taken out of this communicator.
    /// Each message is received once.
    ///
    /// # Safety
    /// See [`Communicator::start_receive_noncontiguous`].
    pub unsafe fn start_matched_receive_noncontiguous(
        &self,
        message: MatchedMessage,
        memory: Arc<dyn Noncontiguous>,
    ) -> Result<Request> {
        self.check_usable()?;
        let buffer = room(&*memory);
        // SAFETY: passed on from our caller.
        let started = unsafe { self.driver.start_claimed_noncontiguous(self.id, message, buffer, memory) };
        started.map(|ticket| self.request(ticket))
    }
}

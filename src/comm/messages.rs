//! Messages from rank to rank: their checks, and the way to the engine.
//!
//! The memory of a message may be noncontiguous, that is, not one run of bytes. On the wire it is a message
//! of bytes like any other, and the other side may use one buffer. Receives into such memory are lenient: if
//! a message is too long, its end is dropped, and only the receive fails.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::call::spec::CallSpec;
use super::communicator::Communicator;
use super::late::Late;
use super::request::Request;
use crate::base::{BoxedResult, Datatype, Error, Rank, Result, exceeds_memory};
use crate::p2p::{MatchedMessage, Noncontiguous, OutgoingMessage, RecvBuffer, Selector, Status, Tag};
use crate::progress::{Started, Ticket};

/// Most elements of a message that tries the fast path. The engine decides whether it is short enough.
const SMALL: u64 = 1 << 20;

/// What became of a receive that was started.
pub enum StartedReceive {
    /// The receive waits for its message.
    Pending(Request),
    /// The message was there.
    Received(Status),
}

impl Communicator {
    /// Sends a message. Returns when the send buffer may be reused. The matching receive may not have been
    /// posted yet.
    ///
    /// # Safety
    /// `what.data` is readable for all elements, and unchanged for the whole call.
    #[inline]
    pub unsafe fn send(&self, what: &OutgoingMessage) -> Result<()> {
        if self.devices.kinds.may_differ() {
            // SAFETY: passed on from our caller.
            return unsafe { self.run_by_route(&CallSpec::Send(what)) };
        }
        self.check_outgoing(what)?;
        // SAFETY: passed on from our caller.
        unsafe { self.driver.send(self.id, what, self.timeout.get()) }
    }

    /// Sends a small message if nothing is in its way. Returns whether it was sent. If not, nothing was done,
    /// and the arguments may be wrong.
    ///
    /// # Safety
    /// See [`Communicator::send`].
    // Always inline: every small call does this.
    #[inline(always)]
    pub unsafe fn send_fast_path(&self, what: &OutgoingMessage) -> bool {
        if !self.is_plain(what.to, what.data.addr(), what.count, what.datatype) {
            return false;
        }
        // SAFETY: passed on from our caller; the buffer is not NULL, and does not exceed memory.
        unsafe { self.driver.send_fast_path(self.id, what) }
    }

    /// Starts a send from host memory.
    ///
    /// # Safety
    /// See [`Communicator::send`]; the promise holds until the request is complete.
    #[inline]
    pub(super) unsafe fn start_send(&self, what: &OutgoingMessage) -> Result<Request> {
        self.check_outgoing(what)?;
        // SAFETY: passed on from our caller.
        Ok(match unsafe { self.driver.start_send(self.id, what) }? {
            Started::Running(ticket) => self.request(ticket),
            Started::Ended(status) => Request::ended(Arc::clone(&self.driver), status),
        })
    }

    /// Receives a message.
    ///
    /// # Safety
    /// `buffer.data` is writable for all elements, and no one else uses it, for the whole call.
    #[inline]
    pub unsafe fn receive(&self, selector: Selector, buffer: RecvBuffer) -> Result<Status> {
        if self.devices.kinds.may_differ() {
            // SAFETY: passed on from our caller.
            if let Some(outcome) = unsafe { self.receive_on_device(selector, buffer) } {
                return outcome;
            }
        }
        self.check_incoming(selector)?;
        self.check_recv_buffer(&buffer)?;
        // SAFETY: passed on from our caller.
        unsafe { self.driver.receive(self.id, selector, buffer, self.timeout.get()) }
    }

    /// Receives a small message from `source`, with `tag`, if it comes within a moment and nothing is in its
    /// way. `None`: nothing was done, and the arguments may be wrong. If only a part comes in time, `late`
    /// ends the receive.
    ///
    /// # Safety
    /// See [`Communicator::receive`].
    // Always inline: every small call does this.
    #[inline(always)]
    pub unsafe fn receive_fast_path(
        &self,
        source: Rank,
        tag: Tag,
        buffer: RecvBuffer,
        late: impl FnOnce(Late) -> BoxedResult<Option<Status>>,
    ) -> Option<BoxedResult<Option<Status>>> {
        if !self.is_plain(source, buffer.data.addr(), buffer.count, buffer.datatype) {
            return None;
        }
        let selector = Selector::new(Some(source), Some(tag));
        // SAFETY: passed on from our caller; the buffer is not NULL, and does not exceed memory.
        unsafe {
            self.driver.receive_fast_path(self.id, selector, buffer, |call| late(Late { comm: self, call }))
        }
    }

    /// Whether a message between this rank and `peer` is small and certainly valid.
    #[inline(always)]
    fn is_plain(&self, peer: Rank, address: usize, count: u64, datatype: Datatype) -> bool {
        let is_small = count <= SMALL;
        let end = address.checked_add((count as usize).wrapping_mul(datatype.bytes()));
        let is_there = address != 0 && end.is_some();
        let is_usable = !self.finalized.load(Ordering::Relaxed) && !self.devices.kinds.may_differ();
        is_small && is_there && is_usable && peer < self.size()
    }

    /// Starts a receive, and gives the status instead of a request if the message was there.
    ///
    /// # Safety
    /// See [`Communicator::receive`]; the promise holds until the request is complete.
    #[inline]
    pub unsafe fn begin_receive(&self, selector: Selector, buffer: RecvBuffer) -> Result<StartedReceive> {
        if self.devices.kinds.may_differ() {
            let call = CallSpec::Receive(selector, buffer);
            // SAFETY: passed on from our caller.
            return unsafe { self.start_by_route(&call) }.map(StartedReceive::Pending);
        }
        // SAFETY: passed on from our caller.
        unsafe { self.start_receive(selector, buffer) }
    }

    /// Starts a receive into host memory.
    ///
    /// # Safety
    /// See [`Communicator::begin_receive`].
    #[inline]
    pub(super) unsafe fn start_receive(
        &self,
        selector: Selector,
        buffer: RecvBuffer,
    ) -> Result<StartedReceive> {
        self.check_incoming(selector)?;
        self.check_recv_buffer(&buffer)?;
        // SAFETY: passed on from our caller.
        Ok(match unsafe { self.driver.start_receive(self.id, selector, buffer) }? {
            Started::Running(ticket) => StartedReceive::Pending(self.request(ticket)),
            Started::Ended(status) => StartedReceive::Received(status),
        })
    }

    /// Waits for a message that a receive would get, and leaves it in the queue.
    pub fn probe(&self, selector: Selector) -> Result<Status> {
        self.check_incoming(selector)?;
        self.driver.probe(self.id, selector, false, self.timeout.get()).map(|ended| ended.status)
    }

    /// The message that a receive would get now, if there is one. The message stays in the queue.
    pub fn try_probe(&self, selector: Selector) -> Result<Option<Status>> {
        self.check_incoming(selector)?;
        self.driver.find(self.id, selector)
    }

    /// Waits for a message and takes it out of the queue (MPI_Mprobe). Only
    /// [`Communicator::start_matched_receive`] can receive it then.
    pub fn matched_probe(&self, selector: Selector) -> Result<(MatchedMessage, Status)> {
        self.check_incoming(selector)?;
        let ended = self.driver.probe(self.id, selector, true, self.timeout.get())?;
        Ok((ended.message.expect("a probe that takes has a message"), ended.status))
    }

    /// Starts a wait for a message, which takes it out of the queue. [`Request::message`] gives it.
    pub fn start_matched_probe(&self, selector: Selector) -> Result<Request> {
        self.check_incoming(selector)?;
        self.driver.start_probe(self.id, selector).map(|ticket| self.request(ticket))
    }

    /// Takes out the message that a receive would get now, if there is one (MPI_Improbe).
    pub fn try_matched_probe(&self, selector: Selector) -> Result<Option<(MatchedMessage, Status)>> {
        self.check_incoming(selector)?;
        self.driver.claim(self.id, selector)
    }

    /// Starts the receive of a message that was taken out of this communicator. Each message is received
    /// once.
    ///
    /// # Safety
    /// See [`Communicator::begin_receive`].
    pub unsafe fn start_matched_receive(
        &self,
        message: MatchedMessage,
        buffer: RecvBuffer,
    ) -> Result<Request> {
        self.check_usable()?;
        self.check_recv_buffer(&buffer)?;
        // SAFETY: passed on from our caller.
        let started = unsafe { self.driver.start_claimed(self.id, message, buffer) };
        started.map(|ticket| self.request(ticket))
    }

    /// The bytes of a message that was taken out of this communicator, if all have come already. Otherwise
    /// gives the message back, which [`Communicator::start_matched_receive`] receives.
    pub fn take_matched(
        &self,
        message: MatchedMessage,
    ) -> Result<std::result::Result<Vec<u8>, MatchedMessage>> {
        self.check_usable()?;
        self.driver.take_claimed(self.id, message)
    }

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

    pub(super) fn request(&self, ticket: Ticket) -> Request {
        Request::new(Arc::clone(&self.driver), ticket, self.timeout.get())
    }

    /// Refuses a message that is wrong wherever its memory is.
    pub(super) fn check_shape(&self, call: &CallSpec) -> Result<()> {
        match call {
            CallSpec::Send(what) => self.check_message(what),
            CallSpec::Receive(_, buffer) | CallSpec::ReceiveAll(_, buffer) => {
                check_count(buffer.count, buffer.datatype)
            }
            CallSpec::Collective(..) | CallSpec::Unequal(..) | CallSpec::List(..) => Ok(()),
        }
    }

    fn check_message(&self, what: &OutgoingMessage) -> Result<()> {
        self.check_rank(what.to)?;
        check_count(what.count, what.datatype)
    }

    #[inline]
    pub(super) fn check_outgoing(&self, what: &OutgoingMessage) -> Result<()> {
        self.check_usable()?;
        self.check_ready_send(what)
    }

    /// Checks a message of a communicator that can be used, on host memory.
    #[inline]
    pub(super) fn check_ready_send(&self, what: &OutgoingMessage) -> Result<()> {
        self.check_message(what)?;
        self.devices.kinds.check_host(what.data.addr(), what.count as usize, "send")
    }

    #[inline]
    pub(super) fn check_recv_buffer(&self, buffer: &RecvBuffer) -> Result<()> {
        check_count(buffer.count, buffer.datatype)?;
        self.devices.kinds.check_host(buffer.data.addr(), buffer.count as usize, "recv")
    }

    #[inline]
    pub(super) fn check_incoming(&self, selector: Selector) -> Result<()> {
        self.check_usable()?;
        self.check_source(selector)
    }

    /// Checks the source of a message.
    #[inline]
    pub(super) fn check_source(&self, selector: Selector) -> Result<()> {
        selector.source().map_or(Ok(()), |source| self.check_rank(source))
    }

    #[inline]
    fn check_rank(&self, rank: Rank) -> Result<()> {
        if rank < self.size() {
            return Ok(());
        }
        let got = format!("{rank}; the communicator has {} ranks", self.size());
        Err(Error::InvalidArgument { what: "peer", got })
    }
}

/// Refuses a number of elements that exceeds memory.
#[inline]
fn check_count(count: u64, datatype: Datatype) -> Result<()> {
    if u128::from(count) * datatype.bytes() as u128 <= isize::MAX as u128 {
        return Ok(());
    }
    let got = exceeds_memory(count, &format!("elements of {}", datatype.name()));
    Err(Error::InvalidArgument { what: "count", got })
}

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

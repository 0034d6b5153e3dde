//! Messages from rank to rank: their checks, and the way to the engine.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::call::spec::CallSpec;
use super::communicator::Communicator;
use super::late::Late;
use super::request::Request;
use crate::base::{BoxedResult, Datatype, Error, Rank, Result, exceeds_memory};
use crate::p2p::{MatchedMessage, OutgoingMessage, RecvBuffer, Selector, Status, Tag};
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
        if self.kinds.may_differ() {
            self.check_message(what)?;
            // SAFETY: passed on from our caller.
            if let Some(outcome) = unsafe { self.run_on_device(&CallSpec::Send(what)) } {
                return outcome;
            }
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

    /// Starts a send.
    ///
    /// # Safety
    /// See [`Communicator::send`]; the promise holds until the request is complete.
    pub unsafe fn start_send(&self, what: &OutgoingMessage) -> Result<Request> {
        if self.kinds.may_differ() {
            self.check_message(what)?;
            // SAFETY: passed on from our caller.
            if let Some(started) = unsafe { self.start_on_device(&CallSpec::Send(what)) } {
                return started;
            }
        }
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
        if self.kinds.may_differ() {
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
        let is_usable = !self.finalized.load(Ordering::Relaxed) && !self.kinds.may_differ();
        is_small && is_there && is_usable && peer < self.size()
    }

    /// Starts a receive.
    ///
    /// # Safety
    /// See [`Communicator::receive`]; the promise holds until the request is complete.
    pub unsafe fn start_receive(&self, selector: Selector, buffer: RecvBuffer) -> Result<Request> {
        // SAFETY: passed on from our caller.
        Ok(match unsafe { self.begin_receive(selector, buffer) }? {
            StartedReceive::Pending(request) => request,
            StartedReceive::Received(status) => Request::ended(Arc::clone(&self.driver), status),
        })
    }

    /// Starts a receive, and gives the status instead of a request if the message was there.
    ///
    /// # Safety
    /// See [`Communicator::start_receive`].
    #[inline]
    pub unsafe fn begin_receive(&self, selector: Selector, buffer: RecvBuffer) -> Result<StartedReceive> {
        if self.kinds.may_differ() {
            check_count(buffer.count, buffer.datatype)?;
            // SAFETY: passed on from our caller.
            if let Some(started) = unsafe { self.start_on_device(&CallSpec::Receive(selector, buffer)) } {
                return started.map(StartedReceive::Pending);
            }
        }
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

    /// Takes out the message that a receive would get now, if there is one (MPI_Improbe).
    pub fn try_matched_probe(&self, selector: Selector) -> Result<Option<(MatchedMessage, Status)>> {
        self.check_incoming(selector)?;
        self.driver.claim(self.id, selector)
    }

    /// Starts the receive of a message that was taken out of this communicator. Each message is received
    /// once.
    ///
    /// # Safety
    /// See [`Communicator::start_receive`].
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

    pub(super) fn request(&self, ticket: Ticket) -> Request {
        Request::new(Arc::clone(&self.driver), ticket, self.timeout.get())
    }

    /// Receives a message into memory of a device. With a stream, this returns before the message is there,
    /// so the status describes the message that the receive asks for. `None`: the buffer is host memory.
    ///
    /// # Safety
    /// See [`Communicator::receive`].
    unsafe fn receive_on_device(&self, selector: Selector, buffer: RecvBuffer) -> Option<Result<Status>> {
        if let Err(error) = check_count(buffer.count, buffer.datatype) {
            return Some(Err(error));
        }
        // SAFETY: passed on from our caller.
        let started = unsafe { self.start_on_device(&CallSpec::Receive(selector, buffer)) }?;
        Some(started.and_then(|mut request| {
            if self.device.stream().is_none() {
                request.wait()?;
                let status = request.status();
                return status.ok_or_else(|| Error::Internal("a receive without a status".into()));
            }
            request.detach();
            let RecvBuffer { datatype, count, .. } = buffer;
            let (source, tag) = (selector.source().unwrap_or(self.rank), selector.tag().unwrap_or(0));
            let bytes = count as usize * datatype.bytes();
            Ok(Status { source, tag, datatype, count, bytes, is_cancelled: false })
        }))
    }

    /// Checks what is wrong with a message wherever its memory is.
    pub(super) fn check_message(&self, what: &OutgoingMessage) -> Result<()> {
        self.check_rank(what.to)?;
        check_count(what.count, what.datatype)
    }

    #[inline]
    pub(super) fn check_outgoing(&self, what: &OutgoingMessage) -> Result<()> {
        self.check_usable()?;
        self.check_message(what)?;
        self.kinds.check_host(what.data.addr(), what.count as usize, "send")
    }

    #[inline]
    pub(super) fn check_recv_buffer(&self, buffer: &RecvBuffer) -> Result<()> {
        check_count(buffer.count, buffer.datatype)?;
        self.kinds.check_host(buffer.data.addr(), buffer.count as usize, "recv")
    }

    #[inline]
    pub(super) fn check_incoming(&self, selector: Selector) -> Result<()> {
        self.check_usable()?;
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
pub(super) fn check_count(count: u64, datatype: Datatype) -> Result<()> {
    if u128::from(count) * datatype.bytes() as u128 <= isize::MAX as u128 {
        return Ok(());
    }
    let got = exceeds_memory(count, &format!("elements of {}", datatype.name()));
    Err(Error::InvalidArgument { what: "count", got })
}

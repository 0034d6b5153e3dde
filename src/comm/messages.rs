//! Messages from rank to rank: the checks, and the way to the engine.

use std::sync::Arc;

use super::communicator::Communicator;
use super::request::Request;
use crate::base::{Datatype, Error, Rank, Result};
use crate::p2p::{Landing, Message, Outgoing, Selector, Status};
use crate::progress::Ticket;

impl Communicator {
    /// Sends a message. Returns when its memory may be used again, which a receive may or may not have met it by then.
    ///
    /// # Safety
    /// `what.data` is readable for all elements, and unchanged for the whole call.
    #[inline]
    pub unsafe fn send(&self, what: &Outgoing) -> Result<()> {
        self.check_outgoing(what)?;
        // SAFETY: passed on from our caller.
        unsafe { self.driver.send(self.group, what, self.timeout.get()) }
    }

    /// Starts a send.
    ///
    /// # Safety
    /// As [`Communicator::send`], until the request is complete.
    pub unsafe fn start_send(&self, what: &Outgoing) -> Result<Request> {
        self.check_outgoing(what)?;
        // SAFETY: passed on from our caller.
        unsafe { self.driver.start_send(self.group, what) }.map(|ticket| self.request(ticket))
    }

    /// Receives a message.
    ///
    /// # Safety
    /// `landing.data` is writable for all elements, and used by nobody else, for the whole call.
    #[inline]
    pub unsafe fn receive(&self, selector: Selector, landing: Landing) -> Result<Status> {
        self.check_incoming(selector)?;
        self.check_landing(&landing)?;
        // SAFETY: passed on from our caller.
        unsafe { self.driver.receive(self.group, selector, landing, self.timeout.get()) }
    }

    /// Starts a receive.
    ///
    /// # Safety
    /// As [`Communicator::receive`], until the request is complete.
    pub unsafe fn start_receive(&self, selector: Selector, landing: Landing) -> Result<Request> {
        self.check_incoming(selector)?;
        self.check_landing(&landing)?;
        // SAFETY: passed on from our caller.
        let started = unsafe { self.driver.start_receive(self.group, selector, landing) };
        started.map(|ticket| self.request(ticket))
    }

    /// Waits for a message that a receive would get, and leaves it there.
    pub fn probe(&self, selector: Selector) -> Result<Status> {
        self.check_incoming(selector)?;
        self.driver.probe(self.group, selector, false, self.timeout.get()).map(|ended| ended.status)
    }

    /// The message that a receive would get now.
    pub fn find(&self, selector: Selector) -> Result<Option<Status>> {
        self.check_incoming(selector)?;
        self.driver.find(self.group, selector)
    }

    /// Waits for a message and takes it out: only [`Communicator::start_claimed`] receives it.
    pub fn claim(&self, selector: Selector) -> Result<(Message, Status)> {
        self.check_incoming(selector)?;
        let ended = self.driver.probe(self.group, selector, true, self.timeout.get())?;
        Ok((ended.message.expect("a probe that takes has a message"), ended.status))
    }

    /// Takes the message out that a receive would get now.
    pub fn claim_now(&self, selector: Selector) -> Result<Option<(Message, Status)>> {
        self.check_incoming(selector)?;
        self.driver.claim(self.group, selector)
    }

    /// Starts the receive of a message that was taken out of this communicator, once.
    ///
    /// # Safety
    /// As [`Communicator::start_receive`].
    pub unsafe fn start_claimed(&self, message: Message, landing: Landing) -> Result<Request> {
        self.check_usable()?;
        self.check_landing(&landing)?;
        // SAFETY: passed on from our caller.
        let started = unsafe { self.driver.start_claimed(self.group, message, landing) };
        started.map(|ticket| self.request(ticket))
    }

    fn request(&self, ticket: Ticket) -> Request {
        Request::new(Arc::clone(&self.driver), ticket, self.timeout.get())
    }

    #[inline]
    pub(super) fn check_outgoing(&self, what: &Outgoing) -> Result<()> {
        self.check_usable()?;
        self.check_rank(what.to)?;
        check_count(what.count, what.datatype)?;
        self.kinds.check_host(what.data.addr(), what.count as usize, "send")
    }

    #[inline]
    pub(super) fn check_landing(&self, landing: &Landing) -> Result<()> {
        check_count(landing.count, landing.datatype)?;
        self.kinds.check_host(landing.data.addr(), landing.count as usize, "recv")
    }

    #[inline]
    fn check_incoming(&self, selector: Selector) -> Result<()> {
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

/// So many elements lie in memory.
#[inline]
fn check_count(count: u64, datatype: Datatype) -> Result<()> {
    if u128::from(count) * datatype.bytes() as u128 <= isize::MAX as u128 {
        return Ok(());
    }
    let got = format!("{count} elements of {} exceed memory", datatype.name());
    Err(Error::InvalidArgument { what: "count", got })
}

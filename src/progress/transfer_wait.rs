//! Messages as calls: started and pushed, or run to their end.
//!
//! A small message between two ranks of a host, where nothing else goes on, needs none of the books: it is put straight
//! into the ring, or taken straight out of it into the buffer ([`crate::p2p::express`]).

use std::time::Duration;

use super::engine::{Engine, Ticket};
use super::group::{Group, GroupId};
use super::straight::{LONGEST, pause};
use super::wait::Driver;
use crate::base::Result;
use crate::p2p::{Ended, Landing, Message, Outgoing, Selector, Status};
use crate::transport::shm::{LOAN_BYTES, Peek};

impl Driver {
    /// Starts a send and gives it a first push.
    ///
    /// # Safety
    /// As [`Engine::start_send`].
    pub unsafe fn start_send(&self, group: GroupId, what: &Outgoing) -> Result<Ticket> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        let ticket = unsafe { engine.start_send(group, what) }?;
        self.move_on(&mut engine);
        Ok(ticket)
    }

    /// Starts a receive and gives it a first push.
    ///
    /// # Safety
    /// As [`Engine::start_receive`].
    pub unsafe fn start_receive(
        &self,
        group: GroupId,
        selector: Selector,
        landing: Landing,
    ) -> Result<Ticket> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        let ticket = unsafe { engine.start_receive(group, selector, landing) }?;
        self.move_on(&mut engine);
        Ok(ticket)
    }

    /// Starts the receive of a message that a probe has taken out.
    ///
    /// # Safety
    /// As [`Engine::start_claimed`].
    pub unsafe fn start_claimed(&self, group: GroupId, message: Message, landing: Landing) -> Result<Ticket> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        let ticket = unsafe { engine.start_claimed(group, message, landing) }?;
        self.move_on(&mut engine);
        Ok(ticket)
    }

    /// Sends a message; returns when its buffer may be used again.
    ///
    /// # Safety
    /// As [`Engine::start_send`], for the time of this call.
    #[inline]
    pub unsafe fn send(&self, group: GroupId, what: &Outgoing, timeout: Option<Duration>) -> Result<()> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        if unsafe { engine.send_now(group, what) } {
            return Ok(());
        }
        // SAFETY: passed on from our caller. This function returns only when there is an outcome.
        let ticket = unsafe { engine.start_send(group, what) }?;
        self.wait_for(&mut engine, ticket, timeout).map(drop)
    }

    /// Receives a message.
    ///
    /// # Safety
    /// As [`Engine::start_receive`], for the time of this call.
    #[inline]
    pub unsafe fn receive(
        &self,
        group: GroupId,
        selector: Selector,
        landing: Landing,
        timeout: Option<Duration>,
    ) -> Result<Status> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        if let Some(status) = unsafe { engine.receive_now(group, selector, &landing) } {
            return Ok(status);
        }
        // SAFETY: passed on from our caller. This function returns only when there is an outcome.
        let ticket = unsafe { engine.start_receive(group, selector, landing) }?;
        self.wait_for(&mut engine, ticket, timeout).map(status)
    }

    /// Waits for a message that fits. With `takes`, it is taken out.
    pub fn probe(
        &self,
        group: GroupId,
        selector: Selector,
        takes: bool,
        timeout: Option<Duration>,
    ) -> Result<Ended> {
        let mut engine = self.lock();
        let ticket = engine.start_probe(group, selector, takes)?;
        self.wait_for(&mut engine, ticket, timeout).map(|ended| ended.expect("a probe ends with a message"))
    }

    /// The message that a receive would get now. What goes on meanwhile is moved on.
    pub fn find(&self, group: GroupId, selector: Selector) -> Result<Option<Status>> {
        let mut engine = self.lock();
        let found = engine.find(group, selector)?;
        // The message may be one that its sender sends after a collective in which it waits for this rank.
        if found.is_none() && !self.move_on(&mut engine) {
            self.look_around(&mut engine);
        }
        Ok(found)
    }

    /// The same, taken out.
    pub fn claim(&self, group: GroupId, selector: Selector) -> Result<Option<(Message, Status)>> {
        let mut engine = self.lock();
        let found = engine.claim(group, selector)?;
        // The message may be one that its sender sends after a collective in which it waits for this rank.
        if found.is_none() && !self.move_on(&mut engine) {
            self.look_around(&mut engine);
        }
        Ok(found)
    }

    /// Ends a receive that has met no message; whether it did.
    pub fn cancel(&self, ticket: Ticket) -> bool {
        self.lock().cancel(ticket)
    }
}

/// What a receive has left.
pub(super) fn status(ended: Option<Ended>) -> Status {
    ended.expect("a receive ends with a message").status
}

impl Engine {
    /// Sends a small message if nothing is in its way; whether it has left.
    ///
    /// # Safety
    /// As [`Engine::start_send`], for the time of this call.
    #[inline]
    unsafe fn send_now(&mut self, id: GroupId, what: &Outgoing) -> bool {
        let Group { conversation, members, .. } = self.groups.get_mut(id);
        let Outgoing { to, tag, datatype, count, data, is_synchronous } = *what;
        let bytes = count as usize * datatype.bytes();
        if bytes > LONGEST || is_synchronous {
            return false;
        }
        let Some(express) = conversation.may_send(to, tag, datatype, count, bytes) else { return false };
        let port = &mut self.ports[members[to as usize].port as usize];
        let Some(link) = port.inbox.link.as_shm() else { return false };
        // A loan is not over when it is made.
        if bytes >= LOAN_BYTES && link.lends(data, bytes) {
            return false;
        }
        // SAFETY: passed on from our caller; `LONGEST` fits into a slot.
        if !unsafe { link.post(&express.header, data, bytes) } {
            return false;
        }
        port.ring_if_wanted();
        conversation.has_sent(to, &express);
        true
    }

    /// Receives a small message that fills its buffer, if it comes within a moment and nothing is in its way.
    ///
    /// # Safety
    /// As [`Engine::start_receive`], for the time of this call.
    #[inline]
    unsafe fn receive_now(&mut self, id: GroupId, selector: Selector, landing: &Landing) -> Option<Status> {
        if !self.actives.is_empty() || !self.talking.is_empty() {
            return None;
        }
        let Group { conversation, members, .. } = self.groups.get_mut(id);
        let Landing { data, datatype, count, .. } = *landing;
        let (from, tag, bytes) = (selector.source()?, selector.tag()?, count as usize * datatype.bytes());
        if bytes > LONGEST {
            return None;
        }
        let express = conversation.may_receive(from, tag, datatype, count, bytes)?;
        let port = &mut self.ports[members[from as usize].port as usize];
        let link = port.inbox.link.as_shm()?;
        let mut waited = 0;
        let arrived = loop {
            match link.peek(&express.header, bytes) {
                Peek::Here(arrived) => break arrived,
                Peek::Nothing if pause(&mut waited, self.crowded) => {}
                Peek::Nothing | Peek::Unusual => return None,
            }
        };
        // SAFETY: `peek` gave as many readable bytes as the landing has, for which our caller vouches; a user's memory
        // lies outside of the link's. A peer that still writes there can only spoil the bytes.
        unsafe { std::ptr::copy_nonoverlapping(arrived, data, bytes) };
        link.release();
        port.ring_if_wanted();
        conversation.has_received(from, &express);
        if !conversation.is_idle() {
            self.note_talk(id);
        }
        Some(Status { source: from, tag, datatype, count, bytes, is_cancelled: false })
    }
}

//! Messages as calls: started and pushed, or run to their end.
//!
//! A message between two ranks of a host that is not large, where nothing else goes on, needs none of the books: it is put
//! straight into the ring, or taken straight out of it into the buffer ([`crate::p2p::fast_path`]). If the rest of it is late,
//! it becomes a receive like any other.

use std::time::Duration;

use parking_lot::MutexGuard;

use super::context::{Group, GroupId};
use super::engine::{Engine, Ticket};
use super::messages::MessageTicket;
use super::wait::Driver;
use crate::base::{BoxedResult, Result};
use crate::executor::fast_path::{LONGEST, LONGEST_CROWDED, pause};
use crate::p2p::{Completion, MatchedMessage, OutgoingMessage, RecvBuffer, Selector, Status};
use crate::sys::memory_copy::copy_short;
use crate::transport::shm::{Cut, LOAN_BYTES, Peek};

impl Driver {
    /// Starts a send and gives it a first push.
    ///
    /// # Safety
    /// As [`Engine::start_send`].
    pub unsafe fn start_send(&self, group: GroupId, what: &OutgoingMessage) -> Result<Ticket> {
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
        buffer: RecvBuffer,
    ) -> Result<Ticket> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        let ticket = unsafe { engine.start_receive(group, selector, buffer) }?;
        self.move_on(&mut engine);
        Ok(ticket)
    }

    /// Starts the receive of a message that a probe has taken out.
    ///
    /// # Safety
    /// As [`Engine::start_claimed`].
    pub unsafe fn start_claimed(
        &self,
        group: GroupId,
        message: MatchedMessage,
        buffer: RecvBuffer,
    ) -> Result<Ticket> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        let ticket = unsafe { engine.start_claimed(group, message, buffer) }?;
        self.move_on(&mut engine);
        Ok(ticket)
    }

    /// Sends a message; returns when its buffer may be used again.
    ///
    /// # Safety
    /// As [`Engine::start_send`], for the time of this call.
    #[inline]
    pub unsafe fn send(
        &self,
        group: GroupId,
        what: &OutgoingMessage,
        timeout: Option<Duration>,
    ) -> Result<()> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        if unsafe { engine.send_now(group, what) } {
            return Ok(());
        }
        // SAFETY: passed on from our caller. This function returns only when there is an outcome.
        let ticket = unsafe { engine.start_send(group, what) }?;
        self.wait_for(&mut engine, ticket, timeout).map(drop)
    }

    /// Sends a small message if nothing is in its way; whether it has left.
    ///
    /// # Safety
    /// As [`Engine::start_send`], for the time of this call.
    #[inline(always)]
    pub unsafe fn send_at_once(&self, group: GroupId, what: &OutgoingMessage) -> bool {
        // SAFETY: passed on from our caller.
        unsafe { self.lock().send_now(group, what) }
    }

    /// Receives a small message if it comes within a moment and nothing is in its way. `None`: nothing was done.
    ///
    /// # Safety
    /// As [`Engine::start_receive`], for the time of this call.
    #[inline(always)]
    pub unsafe fn receive_at_once(
        &self,
        group: GroupId,
        selector: Selector,
        buffer: RecvBuffer,
        timeout: impl FnOnce() -> Option<Duration>,
    ) -> Option<BoxedResult<Status>> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        match unsafe { engine.receive_now(group, selector, &buffer) } {
            Now::Received(status) => Some(Ok(status)),
            Now::Begun(ticket) => Some(self.receive_to_end(&mut engine, ticket, timeout())),
            Now::Nothing => None,
        }
    }

    #[cold]
    fn receive_to_end(
        &self,
        engine: &mut MutexGuard<'_, Engine>,
        ticket: Ticket,
        timeout: Option<Duration>,
    ) -> BoxedResult<Status> {
        self.wait_for(engine, ticket, timeout).map(status).map_err(Box::new)
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
        buffer: RecvBuffer,
        timeout: Option<Duration>,
    ) -> Result<Status> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        let ticket = match unsafe { engine.receive_now(group, selector, &buffer) } {
            Now::Received(status) => return Ok(status),
            Now::Begun(ticket) => ticket,
            // SAFETY: passed on from our caller. This function returns only when there is an outcome.
            Now::Nothing => unsafe { engine.start_receive(group, selector, buffer) }?,
        };
        self.wait_for(&mut engine, ticket, timeout).map(status)
    }

    /// Waits for a message that fits. With `takes`, it is taken out.
    pub fn probe(
        &self,
        group: GroupId,
        selector: Selector,
        takes: bool,
        timeout: Option<Duration>,
    ) -> Result<Completion> {
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
    pub fn claim(&self, group: GroupId, selector: Selector) -> Result<Option<(MatchedMessage, Status)>> {
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
pub(super) fn status(ended: Option<Completion>) -> Status {
    ended.expect("a receive ends with a message").status
}

/// What became of a receive that was tried the short way.
enum Now {
    Received(Status),
    /// A part has come; the rest is a receive like any other.
    Begun(Ticket),
    /// It has to be started.
    Nothing,
}

impl Engine {
    /// Sends a small message if nothing is in its way; whether it has left.
    ///
    /// # Safety
    /// As [`Engine::start_send`], for the time of this call.
    #[inline]
    unsafe fn send_now(&mut self, id: GroupId, what: &OutgoingMessage) -> bool {
        let OutgoingMessage { to, tag, datatype, count, data, is_synchronous } = *what;
        let bytes = count as usize * datatype.bytes();
        if bytes > self.longest() || is_synchronous {
            return false;
        }
        let Some(Group { conversation, members, .. }) = self.groups.find_mut(id) else { return false };
        let Some(fast) = conversation.fast_send(to, tag, datatype, count, bytes) else { return false };
        let port = &mut self.ports[members[to as usize].port as usize];
        let Some(link) = port.inbox.link.as_shm() else { return false };
        // A loan is not over when it is made, nor is an offer.
        if bytes >= LOAN_BYTES && (link.lends(data, bytes) || link.is_awaited(bytes)) {
            return false;
        }
        // SAFETY: passed on from our caller.
        if !unsafe { link.post(&fast.header, data, bytes, Cut::Fine) } {
            return false;
        }
        port.ring_if_wanted();
        conversation.note_fast_send(to, &fast);
        true
    }

    /// Receives a small message that fills its buffer, if it comes within a moment and nothing is in its way.
    ///
    /// # Safety
    /// As [`Engine::start_receive`], for the time of this call.
    #[inline]
    unsafe fn receive_now(&mut self, id: GroupId, selector: Selector, buffer: &RecvBuffer) -> Now {
        let RecvBuffer { data, datatype, count, .. } = *buffer;
        let bytes = count as usize * datatype.bytes();
        let (Some(from), Some(tag)) = (selector.source(), selector.tag()) else { return Now::Nothing };
        if bytes > self.longest() || !self.actives.is_empty() || !self.talking.is_empty() {
            return Now::Nothing;
        }
        let Some(Group { conversation, members, .. }) = self.groups.find_mut(id) else { return Now::Nothing };
        let Some(fast) = conversation.fast_receive(from, tag, datatype, count, bytes) else {
            return Now::Nothing;
        };
        let port = &mut self.ports[members[from as usize].port as usize];
        let Some(link) = port.inbox.link.as_shm() else { return Now::Nothing };
        let (mut waited, mut done) = (0, None);
        while done != Some(bytes) {
            let before = done.unwrap_or(0);
            match link.peek(&fast.header, bytes - before) {
                Peek::Here(arrived, n) => {
                    // SAFETY: `peek` gave so many readable bytes, no more than what is left of the buffer, for which our
                    // caller vouches; a user's memory lies outside of the link's. A peer that still writes there can only
                    // spoil the bytes.
                    unsafe { copy_short(data.wrapping_add(before), arrived, n) };
                    link.release();
                    done = Some(before + n);
                }
                Peek::Nothing if pause(&mut waited, self.crowded) => {}
                Peek::Nothing | Peek::Unusual => break,
            }
        }
        let Some(done) = done else { return Now::Nothing };
        port.ring_if_wanted();
        if done < bytes {
            // SAFETY: passed on from our caller.
            let ticket = unsafe { conversation.continue_fast_receive(from, selector, *buffer, &fast, done) };
            let context = conversation.context();
            self.note_talk(id);
            return Now::Begun(Ticket::Message(MessageTicket::new(id, context, ticket)));
        }
        conversation.note_fast_receive(from, &fast);
        if !conversation.is_idle() {
            self.note_talk(id);
        }
        Now::Received(Status { source: from, tag, datatype, count, bytes, is_cancelled: false })
    }

    /// Longest message for which the short way is tried.
    #[inline]
    fn longest(&self) -> usize {
        if self.crowded { LONGEST_CROWDED } else { LONGEST }
    }
}

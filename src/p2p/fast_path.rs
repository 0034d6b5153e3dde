//! The short way of a message that is not large: sent with one look at the books, received into a buffer that is there already.
//!
//! Whoever has the links (`progress::messages`) moves the bytes; here is only what must hold before that, and what it
//! changes. Everything unusual goes the long way: a queue that is not empty, a word to wait for, no credit.

use super::conversation::{Conversation, Ticket};
use super::credit::cost;
use super::matching::{Selector, Tag};
use super::protocol::{Announcement, Opening, Word};
use super::receiving::Landing;
use crate::base::{Datatype, Rank};
use crate::transport::Header;

/// A message that may take the short way.
pub struct Express {
    /// Of its fragments.
    pub header: Header,
    cost: usize,
}

impl Conversation {
    #[inline]
    fn express(&self, number: u32, tag: Tag, datatype: Datatype, count: u64, bytes: usize) -> Express {
        let said = Announcement { tag, datatype, count, opening: Opening::Whole, is_synchronous: false };
        let header = Header { context: self.context, sequence: number, call: Word::Message(said).pack() };
        Express { header, cost: cost(&said, bytes) }
    }

    /// A message of `bytes` bytes may leave at once.
    #[inline]
    pub fn may_send(
        &self,
        to: Rank,
        tag: Tag,
        datatype: Datatype,
        count: u64,
        bytes: usize,
    ) -> Option<Express> {
        let peer = self.peers.get(to as usize)?;
        let express = self.express(peer.next_out, tag, datatype, count, bytes);
        let may = !peer.has_outgoing() && peer.account.allows(express.cost) && self.failure.is_none();
        may.then_some(express)
    }

    /// It has left.
    #[inline]
    pub fn has_sent(&mut self, to: Rank, express: &Express) {
        let peer = &mut self.peers[to as usize];
        peer.next_out = peer.next_out.wrapping_add(1);
        peer.account.use_up(express.cost);
    }

    /// A receive that fills its buffer could be met by the next message from that rank, and by no other.
    #[inline]
    pub fn may_receive(
        &self,
        from: Rank,
        tag: Tag,
        datatype: Datatype,
        count: u64,
        bytes: usize,
    ) -> Option<Express> {
        let peer = self.peers.get(from as usize)?;
        let is_alone = self.matching.is_empty() && self.probing.is_empty() && self.failure.is_none();
        is_alone.then(|| self.express(peer.next_in, tag, datatype, count, bytes))
    }

    /// A part of that message was received, so many bytes: the rest is to come the long way.
    ///
    /// # Safety
    /// As [`Conversation::start_receive`].
    pub unsafe fn has_begun(
        &mut self,
        from: Rank,
        selector: Selector,
        landing: Landing,
        express: &Express,
        arrived: usize,
    ) -> Ticket {
        // SAFETY: passed on from our caller.
        let started = unsafe { self.start_receive(selector, landing) };
        let Some(Word::Message(said)) = Word::unpack(express.header.call) else {
            unreachable!("it was packed here")
        };
        let number = express.header.sequence;
        // Nothing else waits, and they are of one type and length: nothing can contradict.
        let (Ok(ticket), Ok(message)) = (started, self.announced(from, number, &said)) else {
            unreachable!("a message that fits its receive meets it")
        };
        self.incoming[message].arrived = arrived;
        self.peer(from).unfinished.insert(number, message);
        self.await_from(Some(from));
        ticket
    }

    /// That message was received.
    #[inline]
    pub fn has_received(&mut self, from: Rank, express: &Express) {
        let peer = &mut self.peers[from as usize];
        peer.next_in = peer.next_in.wrapping_add(1);
        if let Some(bytes) = peer.debt.add(express.cost) {
            self.note(from, express.header.sequence, Word::Credit { bytes });
        }
    }
}

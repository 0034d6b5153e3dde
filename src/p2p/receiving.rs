//! The receiving side: a receive meets a message, and where its bytes go.

use super::conversation::{Conversation, Kind, Ticket};
use super::credit::cost;
use super::matching::{Envelope, Selector, Waiting};
use super::protocol::{Announcement, Opening, Word};
use super::slab::Key;
use super::status::{Message, Outcome, Status};
use crate::base::{Datatype, Error, Rank, Result};

/// Where a message is to be put.
#[derive(Clone, Copy, Debug)]
pub struct Landing {
    /// Room for the elements.
    pub data: *mut u8,
    /// Type of the elements.
    pub datatype: Datatype,
    /// How many there is room for; all their bytes together are addressable.
    pub count: u64,
    /// A message of another type is received byte by byte, and of one that is too long the end is dropped: only this
    /// receive fails. Otherwise, both fail the communicator.
    pub is_lenient: bool,
}

impl Landing {
    /// All of the room.
    pub(super) fn bytes(&self) -> usize {
        self.count as usize * self.datatype.bytes()
    }
}

/// A receive that was started.
pub(super) struct Receive {
    pub selector: Selector,
    pub landing: Landing,
    stage: Stage,
    pub outcome: Option<Outcome>,
}

// SAFETY: `landing.data` is the caller's buffer, promised to be left alone until the outcome, on whatever thread
// that is; it is only written through `&mut Conversation`.
unsafe impl Send for Receive {}

#[derive(Clone, Copy)]
enum Stage {
    Waits(Waiting),
    HasMet,
}

/// A message that has begun to come in.
pub(super) struct Incoming {
    pub source: Rank,
    pub number: u32,
    pub said: Announcement,
    pub bytes: usize,
    /// Bytes that have come.
    pub arrived: usize,
    /// Bytes that will come, as far as is known.
    pub expected: usize,
    pub place: Place,
}

/// Where the bytes of a message go.
pub(super) enum Place {
    /// Nobody has received it yet.
    Heap(Vec<u8>),
    Buffer(Key<Receive>),
}

impl Incoming {
    pub fn status(&self) -> Status {
        let Announcement { tag, datatype, count, .. } = self.said;
        Status { source: self.source, tag, datatype, count, bytes: self.bytes, is_cancelled: false }
    }

    pub fn envelope(&self) -> Envelope {
        Envelope { source: self.source, tag: self.said.tag }
    }

    pub fn is_complete(&self) -> bool {
        self.arrived == self.expected && matches!(self.place, Place::Buffer(_))
    }
}

impl Conversation {
    /// Starts a receive. `Err`: what it has met contradicts it, and the communicator fails.
    ///
    /// # Safety
    /// `landing.data` is writable for all elements, and nobody else uses it, until the outcome is there.
    pub unsafe fn start_receive(&mut self, selector: Selector, landing: Landing) -> Result<Ticket> {
        if let Some((_, message)) = self.matching.take_message(selector) {
            let key = self.new_receive(selector, landing, Stage::HasMet);
            self.meet_late(key, message)?;
            return Ok(Ticket(Kind::Receive(key)));
        }
        if self.failure.is_some() {
            return Ok(Ticket(Kind::Receive(self.new_receive(selector, landing, Stage::HasMet))));
        }
        let key = self.new_receive(selector, landing, Stage::HasMet);
        self.receives[key].stage = Stage::Waits(self.matching.put_receive(selector, key));
        self.await_from(selector.source());
        Ok(Ticket(Kind::Receive(key)))
    }

    /// Starts the receive of a message that a probe has taken out.
    ///
    /// # Safety
    /// As `start_receive`.
    pub unsafe fn start_claimed(&mut self, message: Message, landing: Landing) -> Result<Ticket> {
        if self.failure.is_some() {
            let key = self.new_receive(Selector::ANY, landing, Stage::HasMet);
            return Ok(Ticket(Kind::Receive(key)));
        }
        let Envelope { source, tag } = self.incoming[message.0].envelope();
        let key = self.new_receive(Selector::new(Some(source), Some(tag)), landing, Stage::HasMet);
        self.meet_late(key, message.0)?;
        Ok(Ticket(Kind::Receive(key)))
    }

    fn new_receive(&mut self, selector: Selector, landing: Landing, stage: Stage) -> Key<Receive> {
        let outcome = self.failure.clone().map(Err);
        self.receives.put(Receive { selector, landing, stage, outcome })
    }

    /// Ends a receive that has met no message; whether it did.
    pub fn cancel(&mut self, ticket: Ticket) -> bool {
        let Kind::Receive(key) = ticket.0 else { return false };
        let receive = &mut self.receives[key];
        let (Stage::Waits(waiting), None) = (receive.stage, &receive.outcome) else { return false };
        let Receive { selector, landing, .. } = *receive;
        let status = Status {
            source: selector.source().unwrap_or(0),
            tag: selector.tag().unwrap_or(0),
            datatype: landing.datatype,
            count: 0,
            bytes: 0,
            is_cancelled: true,
        };
        receive.outcome = Some(Ok(status.into()));
        self.matching.cancel(waiting);
        self.await_no_longer(selector.source());
        true
    }

    /// The oldest receive that accepts a new message, which no longer waits.
    pub(super) fn receive_for(&mut self, envelope: Envelope) -> Option<Key<Receive>> {
        let key = self.matching.take_receive(envelope)?;
        let receive = &mut self.receives[key];
        receive.stage = Stage::HasMet;
        let source = receive.selector.source();
        self.await_no_longer(source);
        Some(key)
    }

    /// A receive and a message have met: the message's bytes go to the receive's buffer from now on.
    pub(super) fn meet(&mut self, key: Key<Receive>, message: Key<Incoming>) -> Result<()> {
        let landing = self.receives[key].landing;
        let incoming = &mut self.incoming[message];
        let Incoming { source, number, said, bytes, .. } = *incoming;
        if !landing.is_lenient
            && let Some(contradiction) = contradiction(self.own, source, &said, &landing)
        {
            return Err(Error::Mismatch(contradiction));
        }
        let wanted = bytes.min(landing.bytes()).max(said.opening_bytes(bytes));
        incoming.expected = wanted;
        if let Place::Heap(bytes) = std::mem::replace(&mut incoming.place, Place::Buffer(key)) {
            let n = bytes.len().min(landing.bytes());
            // SAFETY: `n` bytes are in the vector, and no more than the landing has, for which `start_receive`'s
            // caller vouches; a new vector does not overlap it.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), landing.data, n) };
        }
        if said.opening != Opening::Whole {
            self.note(source, number, Word::Go { limit: wanted as u64 });
        } else if said.is_synchronous {
            self.note(source, number, Word::Matched);
        }
        if source != self.own
            && let Some(bytes) = self.peer(source).debt.add(cost(&said, bytes))
        {
            self.note(source, number, Word::Credit { bytes });
        }
        Ok(())
    }

    /// The same for a message that has begun to come in before the receive was started.
    fn meet_late(&mut self, key: Key<Receive>, message: Key<Incoming>) -> Result<()> {
        self.meet(key, message)?;
        let Incoming { source, number, .. } = self.incoming[message];
        if self.incoming[message].is_complete() {
            self.peer(source).unfinished.remove(&number);
            self.end_receive(message);
        } else {
            self.await_from(Some(source));
        }
        Ok(())
    }

    /// All bytes of a message are where they belong.
    pub(super) fn end_receive(&mut self, message: Key<Incoming>) {
        let incoming = self.incoming.take(message);
        let Place::Buffer(key) = incoming.place else {
            unreachable!("only a message that was met is complete")
        };
        let receive = &mut self.receives[key];
        let landing = &receive.landing;
        receive.outcome = Some(if incoming.bytes > landing.bytes() {
            Err(Error::Truncated(too_long(self.own, incoming.source, &incoming.said, landing)))
        } else {
            Ok(incoming.status().into())
        });
    }
}

/// Why this message cannot go there, in the words of a mismatch.
fn contradiction(own: Rank, source: Rank, said: &Announcement, landing: &Landing) -> Option<String> {
    if said.datatype != landing.datatype {
        let Announcement { tag, datatype, count, .. } = said;
        let (theirs, mine) = (datatype.name(), landing.datatype.name());
        return Some(format!(
            "the ranks disagree in a message with tag {tag}: rank {source} sent {count} elements of {theirs}, \
             rank {own} receives {mine}"
        ));
    }
    (said.count > landing.count).then(|| too_long(own, source, said, landing))
}

fn too_long(own: Rank, source: Rank, said: &Announcement, landing: &Landing) -> String {
    format!(
        "a message with tag {} is too long: rank {source} sent {} elements of {}, rank {own} receives at most {} of {}",
        said.tag,
        said.count,
        said.datatype.name(),
        landing.count,
        landing.datatype.name(),
    )
}

//! What a conversation keeps of a started send, receive or probe, and of a message that comes.

use std::fmt;
use std::sync::Arc;

use super::matching::{Envelope, Selector, Tag, Waiting};
use super::noncontiguous::{Gathering, NOTHING, Noncontiguous};
use super::protocol::{Announcement, Protocol, REFERENCE_BYTES, Reference, WINDOW_BYTES};
use super::slab::Key;
use super::status::Status;
use crate::base::{Datatype, Error, Rank};
use crate::transport::Header;

/// Name of a started send, receive or probe, valid until its outcome is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket(pub(super) Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Send(Key<Sending>),
    Receive(Key<Receive>),
    Probe(Key<Probe>),
}

/// A message to be sent.
#[derive(Clone, Copy, Debug)]
pub struct OutgoingMessage {
    /// The receiver.
    pub to: Rank,
    /// Tag of the message.
    pub tag: Tag,
    /// Type of its elements.
    pub datatype: Datatype,
    /// Number of elements. All their bytes together are addressable.
    pub count: u64,
    /// The elements.
    pub data: *const u8,
    /// Whether the send ends only when a receive has matched the message.
    pub is_synchronous: bool,
}

/// The form of error messages: `send(float32, count 4, to rank 1, tag 0)`.
impl fmt::Display for OutgoingMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OutgoingMessage { to, tag, datatype, count, is_synchronous, .. } = *self;
        let (verb, datatype) = (if is_synchronous { "ssend" } else { "send" }, datatype.name());
        write!(f, "{verb}({datatype}, count {count}, to rank {to}, tag {tag})")
    }
}

/// What is known of a message when it is started.
#[derive(Clone, Copy, Debug)]
pub struct MessageFacts {
    /// Whether this rank sends it.
    pub is_send: bool,
    /// The other rank, unless it may be any.
    pub peer: Option<Rank>,
    /// Its tag; [`Tag::MIN`]: any.
    pub tag: Tag,
    /// Type of its elements.
    pub datatype: Datatype,
    /// Number of its elements, or of those for which a receive has room.
    pub count: u64,
}

/// A message that is being sent.
pub(super) struct Sending {
    pub what: OutgoingMessage,
    /// Set if the elements are not one run of bytes at `what.data`.
    pub gathering: Option<Box<Gathering>>,
    /// Set if it is sent first. `what.data` points to it then.
    pub reference: Option<Box<Reference>>,
    /// Set if the receiver cannot use the reference: the bytes that it wants.
    pub wanted: Option<usize>,
    pub bytes: usize,
    /// Set when the first bytes are offered. Credit is counted at that time.
    pub header: Option<Header>,
    pub number: u32,
    /// Bytes that were sent.
    pub done: usize,
    /// End of the part that is being sent, in bytes: of the eager part, then of the whole message.
    pub until: usize,
    /// Bytes that the receiver wants: all, unless it asks for fewer.
    pub limit: usize,
    /// Whether the receiver's reply is still to come.
    pub needs_reply: bool,
    /// See [`super::Conversation::set_record`].
    pub record: u64,
    pub outcome: Option<MessageOutcome>,
}

// SAFETY: `what.data` is the caller's buffer, which it has promised to leave alone until the outcome, on
// whatever thread that is; it is only read through `&mut Conversation`.
unsafe impl Send for Sending {}

impl Sending {
    pub fn what(&self) -> &OutgoingMessage {
        &self.what
    }

    /// The receiver, the header, and the rest of the part that was offered. `None`: nothing was offered.
    pub fn under_way(&self) -> Option<(Rank, Header, *const u8, usize)> {
        let header = self.header.filter(|_| self.outcome.is_none())?;
        if let Some(gathering) = &self.gathering {
            let (rest, bytes) = gathering.rest(self.done);
            return Some((self.what.to, header, rest, bytes));
        }
        let (rest, bytes) = (self.what.data.wrapping_add(self.done), self.until - self.done);
        Some((self.what.to, header, if bytes == 0 { NOTHING } else { rest }, bytes))
    }

    /// The announcement of the message, if there is credit.
    pub fn announcement(&self) -> Announcement {
        let OutgoingMessage { tag, datatype, count, is_synchronous, .. } = self.what;
        let protocol = match self.reference {
            Some(_) => Protocol::Reference,
            None if self.bytes <= WINDOW_BYTES => Protocol::Eager,
            None => Protocol::EagerWindow,
        };
        Announcement { tag, datatype, count, protocol, is_synchronous }
    }

    pub fn status(&self, own: Rank) -> Status {
        let OutgoingMessage { tag, datatype, count, .. } = self.what;
        Status { source: own, tag, datatype, count, bytes: self.bytes, is_cancelled: false }
    }
}

/// Memory into which a message is received.
#[derive(Clone, Copy, Debug)]
pub struct RecvBuffer {
    /// Start of the memory.
    pub data: *mut u8,
    /// Type of the elements.
    pub datatype: Datatype,
    /// Number of elements that fit. All their bytes together are addressable.
    pub count: u64,
    /// Whether the receive is lenient. A lenient receive takes a message of another type as bytes, and drops
    /// the end of one that is too long; then only this receive fails. Otherwise both cases fail the
    /// communicator.
    pub is_lenient: bool,
}

impl RecvBuffer {
    /// A receive into it, in the form of error messages: `recv(float32, at most 4, from rank 1, tag 0)`.
    pub fn describe(&self, selector: &Selector) -> String {
        format!("recv({}, at most {}, from {selector})", self.datatype.name(), self.count)
    }

    /// Size of the memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.count as usize * self.datatype.bytes()
    }
}

/// A started receive.
pub(super) struct Receive {
    pub selector: Selector,
    pub buffer: RecvBuffer,
    /// Set if the memory is not one run of bytes at `buffer.data`.
    pub noncontiguous: Option<Arc<dyn Noncontiguous>>,
    /// Whether it only claims its message, and has no memory for it.
    pub claims: bool,
    pub stage: Stage,
    /// See [`super::Conversation::set_record`].
    pub record: u64,
    pub outcome: Option<MessageOutcome>,
}

// SAFETY: `buffer.data` is the caller's buffer, which it has promised to leave alone until the outcome, on
// whatever thread that is; it is only written through `&mut Conversation`.
unsafe impl Send for Receive {}

impl Receive {
    /// Whether it has matched no message.
    pub fn is_posted(&self) -> bool {
        self.outcome.is_none() && matches!(self.stage, Stage::Posted(_))
    }
}

#[derive(Clone, Copy)]
pub(super) enum Stage {
    Posted(Waiting),
    Matched,
}

/// A message that has begun to arrive.
pub(super) struct IncomingMessage {
    pub source: Rank,
    pub number: u32,
    pub announcement: Announcement,
    pub bytes: usize,
    /// Bytes that have arrived.
    pub arrived: usize,
    /// Bytes that will arrive, as far as is known.
    pub expected: usize,
    pub target: RecvTarget,
    /// Set if the sender sends a reference first.
    pub reference: Option<Box<IncomingReference>>,
}

/// The reference of a message that comes.
pub(super) struct IncomingReference {
    pub bytes: Reference,
    /// Bytes of it that have arrived.
    pub arrived: usize,
    /// The receive that has claimed the message, until the reference is complete.
    pub claimed_by: Option<Key<Receive>>,
}

impl IncomingReference {
    /// Nothing has arrived.
    pub fn new() -> IncomingReference {
        IncomingReference { bytes: [0; REFERENCE_BYTES], arrived: 0, claimed_by: None }
    }

    pub fn is_complete(&self) -> bool {
        self.arrived == REFERENCE_BYTES
    }
}

/// The place for the bytes of a message.
pub(super) enum RecvTarget {
    /// The heap, because no receive has matched the message yet.
    Heap(Vec<u8>),
    Buffer(Key<Receive>),
}

impl IncomingMessage {
    pub fn status(&self) -> Status {
        let Announcement { tag, datatype, count, .. } = self.announcement;
        Status { source: self.source, tag, datatype, count, bytes: self.bytes, is_cancelled: false }
    }

    pub fn envelope(&self) -> Envelope {
        Envelope { source: self.source, tag: self.announcement.tag }
    }

    /// Whether all has come that will come, as far as is known.
    pub fn has_come(&self) -> bool {
        let has_reference = self.reference.as_ref().is_none_or(|reference| reference.is_complete());
        self.arrived == self.expected && has_reference
    }

    pub fn is_complete(&self) -> bool {
        self.has_come() && matches!(self.target, RecvTarget::Buffer(_))
    }
}

/// A wait for a message that the selector accepts.
pub(super) struct Probe {
    pub selector: Selector,
    /// Whether the message is taken out of the unexpected queue.
    pub takes: bool,
    pub outcome: Option<MessageOutcome>,
}

/// A message that a matched probe has taken out. Only the holder of this value can receive it
/// (`MPI_Message`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchedMessage(pub(super) Key<IncomingMessage>);

/// The result of a completed operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Completion {
    /// Status of the message.
    pub status: Status,
    /// The message itself, if a matched probe, or a receive without memory, has taken it out.
    pub message: Option<MatchedMessage>,
    /// Set if the receiver of a reference cannot use it, and wants the elements.
    pub wanted: Option<Wanted>,
}

/// What the receiver of a message wants that was sent as a reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// Number of the message.
    pub(super) number: u32,
    /// Bytes of it.
    pub(super) bytes: usize,
}

/// How a started operation has ended.
pub type MessageOutcome = Result<Completion, Error>;

impl Completion {
    /// The end of an operation that has taken a message out.
    pub(super) fn claimed(status: Status, message: MatchedMessage) -> Completion {
        Completion { status, message: Some(message), wanted: None }
    }
}

impl From<Status> for Completion {
    fn from(status: Status) -> Completion {
        Completion { status, message: None, wanted: None }
    }
}

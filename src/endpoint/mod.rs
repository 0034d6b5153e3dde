//! What this rank keeps of one peer: the link, the stash, the control channel, and the state of the peer.
//!
//! An endpoint knows no communicator and no call. Several communicators share it; the context in each header
//! tells them apart.

mod inbox;
mod stash_link;
#[cfg(test)]
mod tests;

pub(crate) use inbox::{ENTRY_COST, Inbox, NextFragment, Source};
pub(crate) use stash_link::StashLink;

use std::io;
use std::time::Instant;

use crate::transport::control::ControlChannel;
use crate::transport::shm::own_arena;
use crate::transport::{AnyLink, Header};

/// Most bytes of collectives that are sent to a peer between two reads of its control channel. Only such a
/// read tells this rank that the peer has put a hold on more.
pub(crate) const CONTROL_READ_BYTES: usize = 4 << 20;
/// Bytes after which a transfer is interrupted for such a read. It is less, so that the link does not run
/// empty before the read: filling it again takes longer than the read.
const CONTROL_DUE_BYTES: usize = CONTROL_READ_BYTES - (1 << 20);

/// Whether a peer is present, and if not, how it left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Here,
    /// The peer said goodbye.
    Left,
    /// The socket of the peer closed without a goodbye.
    Gone,
    /// The peer broke the protocol. It may still be alive, but nothing more is read from it.
    CutOff,
}

/// What this rank keeps of one peer.
pub struct Endpoint {
    pub(crate) inbox: Inbox,
    /// `None` for the endpoint of this rank itself, and for a peer that is not connected.
    pub(crate) control: Option<Box<ControlChannel>>,
    /// Name of the peer in error messages, such as "rank 3 (host b, pid 4711)".
    pub(crate) label: String,
    pub(crate) presence: Presence,
    /// When the peer was seen to be gone, or when its data was last seen to come since, and how far that had
    /// come.
    pub(crate) gone: Option<(Instant, u64)>,
    /// When an operation on the link first found that the peer had closed it.
    pub(crate) link_ended_at: Option<Instant>,
    /// Whether the peer has left the first communicator over these links. It may still use others.
    pub(crate) has_left_first: bool,
    /// Contexts of which the peer accepts nothing more for now, each with the first call that the peer has
    /// not made.
    pub(crate) held_by_peer: Vec<(u32, u32)>,
    /// Contexts of which this rank has told the peer to send nothing more for now.
    pub(crate) held_here: Vec<u32>,
    /// Bytes that were sent since the peer's control channel was last read.
    pub(crate) bytes_since_read: usize,
    /// Whether the peer was given the arena of this process.
    pub(crate) has_passed_arena: bool,
}

impl Endpoint {
    /// `label` names the rank in messages, with host and process.
    pub fn new(link: AnyLink, control: Option<ControlChannel>, label: String) -> Endpoint {
        Endpoint {
            inbox: Inbox::new(link),
            control: control.map(Box::new),
            label,
            presence: Presence::Here,
            gone: None,
            link_ended_at: None,
            has_left_first: false,
            held_by_peer: Vec::new(),
            held_here: Vec::new(),
            bytes_since_read: 0,
            has_passed_arena: false,
        }
    }

    /// Whether this rank is not connected with the peer.
    pub(crate) fn is_unconnected(&self) -> bool {
        matches!(self.inbox.link, AnyLink::Unconnected(_))
    }

    /// Takes the connection with a peer. `has_passed_arena`: the peer was passed the arena of this process.
    pub(crate) fn connect(&mut self, control: ControlChannel, link: AnyLink, has_passed_arena: bool) {
        self.control = Some(Box::new(control));
        self.inbox.link = link;
        self.has_passed_arena = has_passed_arena;
    }

    /// Opens the link, if it has not been opened and can be, and passes what the peer may read in place.
    /// Returns whether the link was opened.
    pub(crate) fn open(&mut self) -> io::Result<bool> {
        let Some(control) = &mut self.control else { return Ok(false) };
        let has_opened = self.inbox.link.open(control.socket())?;
        if has_opened {
            self.pass_arena();
        }
        Ok(has_opened)
    }

    /// Passes the arena of this process to a peer that shares memory and has not got it. Without an arena,
    /// which takes a descriptor, messages are copied.
    pub(crate) fn pass_arena(&mut self) {
        if self.has_passed_arena || !self.inbox.link.shares_memory() {
            return;
        }
        if let Some((control, arena)) = self.control.as_mut().zip(own_arena()) {
            control.pass(arena);
            self.has_passed_arena = true;
        }
    }

    /// Whether the arena of a peer that shares memory has not come.
    pub(crate) fn awaits_arena(&self) -> bool {
        self.presence == Presence::Here && self.control.is_some() && self.inbox.link.awaits_arena()
    }

    /// Takes the file of the last event of the control channel.
    pub(crate) fn take_file(&mut self) -> io::Result<()> {
        let file = self.control.as_mut().and_then(|control| control.take_file());
        self.inbox.link.take_file(file)
    }

    /// Notes that a message of `bytes` bytes of a collective was sent.
    #[inline]
    pub(crate) fn note_sent(&mut self, bytes: usize) {
        self.bytes_since_read += bytes + ENTRY_COST;
    }

    /// Whether it is time to read the control channel, to learn whether the peer has put a hold on a context.
    #[inline]
    pub(crate) fn is_control_due(&self) -> bool {
        self.bytes_since_read >= CONTROL_DUE_BYTES
    }

    /// Whether nothing may be sent ahead before the control channel was read.
    #[inline]
    pub(crate) fn must_read_control(&self) -> bool {
        self.bytes_since_read >= CONTROL_READ_BYTES
    }

    /// Whether a message of any collective may be sent, even if the peer has not made the call yet.
    #[inline]
    pub(crate) fn may_send_ahead(&self) -> bool {
        !self.must_read_control() && self.held_by_peer.is_empty()
    }

    /// Whether the peer accepts nothing of this call for now.
    pub(crate) fn peer_holds(&self, header: &Header) -> bool {
        self.held_by_peer.iter().any(|(context, from)| {
            *context == header.context && header.sequence.wrapping_sub(*from).cast_signed() >= 0
        })
    }

    /// Drops everything of a context, of which nothing is under way any more.
    pub(crate) fn forget(&mut self, context: u32) {
        self.inbox.forget(context);
        self.held_by_peer.retain(|(held, _)| *held != context);
        self.held_here.retain(|held| *held != context);
    }

    /// Wakes the peer if it sleeps and there is something for it in the link.
    #[inline]
    pub(crate) fn ring_doorbell_if_due(&mut self) {
        if self.inbox.link.peer_needs_doorbell()
            && let Some(control) = &mut self.control
        {
            control.ring();
        }
    }

    /// Like `ring_doorbell_if_due`, but without a fence, for use in the middle of a transfer. A peer that has
    /// just gone to sleep is woken at the end of the transfer.
    #[inline]
    pub(crate) fn ring_doorbell_if_asleep(&mut self) {
        if self.inbox.link.peer_is_asleep() {
            self.ring_doorbell_if_due();
        }
    }

    /// Whether everything has come that the peer had sent when its link was at this position.
    pub(crate) fn has_come_to(&self, sent: u64) -> bool {
        self.inbox.link.received().wrapping_sub(sent).cast_signed() >= 0
    }

    /// Name of the transport: "shm", "tcp", "ofi" or "self".
    pub fn transport(&self) -> &'static str {
        self.inbox.link.transport()
    }
}

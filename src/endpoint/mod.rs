//! What this rank keeps of one peer: the link, the stash, the control channel, and whether the peer is still
//! there.
//!
//! An endpoint knows no communicator and no call: several communicators share it, told apart by the context
//! in each header.

mod inbox;
mod stash_link;

pub(crate) use inbox::{ENTRY_COST, Inbox, NextFragment, Source};
pub(crate) use stash_link::StashLink;

use crate::transport::control::ControlChannel;
use crate::transport::{AnyLink, Header};

/// Bytes of collectives that leave to a peer between two looks at its control channel. Only such a look tells
/// this rank that the peer takes no more.
pub(crate) const CONTROL_READ_BYTES: usize = 4 << 20;

/// Whether a peer is there, and if not, how it went away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Here,
    /// The peer said goodbye.
    Left,
    /// Its socket closed without a word.
    Gone,
    /// The peer broke the protocol. It may still live, but nothing more is read from it.
    CutOff,
}

/// What this rank keeps of one peer.
pub struct Endpoint {
    pub(crate) inbox: Inbox,
    /// `None` for the endpoint of this rank itself.
    pub(crate) control: Option<ControlChannel>,
    /// The peer in error messages: "rank 3 (host b, pid 4711)".
    pub(crate) label: String,
    pub(crate) presence: Presence,
    /// The peer has left the first communicator over these links; it may still use others.
    pub(crate) has_left_first: bool,
    /// Contexts of which the peer takes nothing more for now, each with the first call that the peer has not
    /// made.
    pub(crate) held_by_peer: Vec<(u32, u32)>,
    /// Contexts of which this rank has told the peer to send nothing more for now.
    pub(crate) held_here: Vec<u32>,
    /// Bytes that have left since the peer's control channel was last read.
    pub(crate) bytes_since_read: usize,
}

impl Endpoint {
    /// `label` names the rank in messages, with host and process.
    pub fn new(link: AnyLink, control: Option<ControlChannel>, label: String) -> Endpoint {
        Endpoint {
            inbox: Inbox::new(link),
            control,
            label,
            presence: Presence::Here,
            has_left_first: false,
            held_by_peer: Vec::new(),
            held_here: Vec::new(),
            bytes_since_read: 0,
        }
    }

    /// Takes note that a message of `bytes` bytes of a collective has left.
    #[inline]
    pub(crate) fn note_sent(&mut self, bytes: usize) {
        self.bytes_since_read += bytes + ENTRY_COST;
    }

    /// Whether it is time to read whether the peer still takes what is sent ahead of its calls.
    #[inline]
    pub(crate) fn must_read_control(&self) -> bool {
        self.bytes_since_read >= CONTROL_READ_BYTES
    }

    /// Whether a message of any collective may leave, though the peer may not have made the call yet.
    #[inline]
    pub(crate) fn may_send_ahead(&self) -> bool {
        !self.must_read_control() && self.held_by_peer.is_empty()
    }

    /// Whether the peer takes nothing of this call for now.
    pub(crate) fn peer_holds(&self, header: &Header) -> bool {
        self.held_by_peer.iter().any(|(context, from)| {
            *context == header.context && header.sequence.wrapping_sub(*from).cast_signed() >= 0
        })
    }

    /// Drops everything of a context: nothing of it is under way any more.
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

    /// Like `ring_doorbell_if_due`, but without a fence, for use in the middle of a transfer: a peer that has
    /// just gone to sleep is woken at the end of the transfer.
    #[inline]
    pub(crate) fn ring_doorbell_if_asleep(&mut self) {
        if self.inbox.link.peer_is_asleep() {
            self.ring_doorbell_if_due();
        }
    }

    /// Name of the transport: "shm", "tcp" or "self".
    pub fn transport(&self) -> &'static str {
        self.inbox.link.transport()
    }
}

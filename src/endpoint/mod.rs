//! The way to one rank: what comes from it, the doorbell, and what it has said about itself.

mod inbox;
mod stash_link;

pub(crate) use inbox::{ENTRY_COST, Inbox, NextFragment, Source};
pub(crate) use stash_link::StashLink;

use crate::transport::control::ControlChannel;
use crate::transport::{AnyLink, Header};

/// Bytes of collectives that leave to a peer before it is heard: so late this rank learns that it is to wait.
pub(crate) const CONTROL_READ_BYTES: usize = 4 << 20;

/// How a peer went away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Here,
    /// It said goodbye.
    Left,
    /// Its socket closed without a word.
    Gone,
    /// It lives, perhaps, but does not keep to the rules; nothing more is read from it.
    CutOff,
}

/// The way to one rank.
pub struct Endpoint {
    pub(crate) inbox: Inbox,
    /// `None` for the way to oneself.
    pub(crate) control: Option<ControlChannel>,
    /// "rank 3 (host b, pid 4711)".
    pub(crate) label: String,
    pub(crate) presence: Presence,
    /// It has parted from the first communicator over these links; it may still use others.
    pub(crate) has_parted: bool,
    /// What the peer takes no more of: contexts, and the first call of each that it has not made.
    pub(crate) held_by_peer: Vec<(u32, u32)>,
    /// Contexts of which the peer was told to send no more.
    pub(crate) held_here: Vec<u32>,
    /// Bytes that have left since the peer was last heard.
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
            has_parted: false,
            held_by_peer: Vec::new(),
            held_here: Vec::new(),
            bytes_since_read: 0,
        }
    }

    /// A message of so many bytes of a collective has left.
    #[inline]
    pub(crate) fn note_sent(&mut self, bytes: usize) {
        self.bytes_since_read += bytes + ENTRY_COST;
    }

    /// Whether it is time to hear whether the peer still takes what is sent ahead of its calls.
    #[inline]
    pub(crate) fn must_read_control(&self) -> bool {
        self.bytes_since_read >= CONTROL_READ_BYTES
    }

    /// Whether nothing keeps a message of a collective from leaving.
    #[inline]
    pub(crate) fn may_send_ahead(&self) -> bool {
        !self.must_read_control() && self.held_by_peer.is_empty()
    }

    /// Whether the peer takes nothing of this call.
    pub(crate) fn peer_holds(&self, header: &Header) -> bool {
        self.held_by_peer.iter().any(|(context, from)| {
            *context == header.context && header.sequence.wrapping_sub(*from).cast_signed() >= 0
        })
    }

    /// Nothing of a context is under way any more.
    pub(crate) fn forget(&mut self, context: u32) {
        self.inbox.forget(context);
        self.held_by_peer.retain(|(held, _)| *held != context);
        self.held_here.retain(|held| *held != context);
    }

    /// Wakes the peer if it sleeps and there is news for it.
    #[inline]
    pub(crate) fn ring_doorbell_if_due(&mut self) {
        if self.inbox.link.peer_needs_doorbell()
            && let Some(control) = &mut self.control
        {
            control.ring();
        }
    }

    /// The same in the middle of something, without a fence: one that has just gone to sleep is woken at its end.
    #[inline]
    pub(crate) fn ring_if_asleep(&mut self) {
        if self.inbox.link.peer_is_asleep() {
            self.ring_doorbell_if_due();
        }
    }

    /// "shm", "tcp" or "self".
    pub fn transport(&self) -> &'static str {
        self.inbox.link.transport()
    }
}

//! The way to one rank: what comes from it, the doorbell, and what it has said about itself.

use super::inbox::Inbox;
use crate::transport::AnyLink;
use crate::transport::control::Control;

/// How a peer went away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Here,
    /// It said goodbye.
    Left,
    /// Its socket closed without a word.
    Gone,
}

/// The way to one rank.
pub struct Port {
    pub(super) inbox: Inbox,
    /// `None` for the way to oneself.
    pub(super) control: Option<Control>,
    /// "rank 3 (host b, pid 4711)".
    pub(super) label: String,
    pub(super) presence: Presence,
    /// It has parted from the first communicator over these links; it may still use others.
    pub(super) has_parted: bool,
}

impl Port {
    /// `label` names the rank in messages, with host and process.
    pub fn new(link: AnyLink, control: Option<Control>, label: String) -> Port {
        Port { inbox: Inbox::new(link), control, label, presence: Presence::Here, has_parted: false }
    }

    /// Wakes the peer if it sleeps and there is news for it.
    #[inline]
    pub(super) fn ring_if_wanted(&mut self) {
        if self.inbox.link.peer_wants_bell()
            && let Some(control) = &mut self.control
        {
            control.ring();
        }
    }

    /// The same in the middle of something, without a fence: one that has just gone to sleep is woken at its end.
    #[inline]
    pub(super) fn ring_if_asleep(&mut self) {
        if self.inbox.link.peer_is_asleep() {
            self.ring_if_wanted();
        }
    }

    /// "shm", "tcp" or "self".
    pub fn transport(&self) -> &'static str {
        self.inbox.link.transport()
    }
}

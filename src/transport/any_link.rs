//! A link of whichever kind; one over shared memory without an indirect call, because small messages count them.

use std::ops::{Deref, DerefMut};

use super::Link;
use super::shm::ShmLink;

/// See the head of this file. What it does not have of its own is [`Link`]'s.
pub enum AnyLink {
    /// Over shared memory.
    Shm(Box<ShmLink>),
    /// Of another kind.
    Other(Box<dyn Link>),
}

impl AnyLink {
    /// The link itself, if it is one over shared memory: small messages take a shorter way there.
    #[inline]
    pub fn as_shm(&mut self) -> Option<&mut ShmLink> {
        match self {
            AnyLink::Shm(link) => Some(link),
            AnyLink::Other(_) => None,
        }
    }

    /// As [`Link::peer_needs_doorbell`].
    #[inline]
    pub fn peer_needs_doorbell(&mut self) -> bool {
        match self {
            AnyLink::Shm(link) => link.peer_needs_doorbell(),
            AnyLink::Other(link) => link.peer_needs_doorbell(),
        }
    }

    /// As [`Link::peer_is_asleep`].
    #[inline]
    pub fn peer_is_asleep(&self) -> bool {
        match self {
            AnyLink::Shm(link) => link.peer_is_asleep(),
            AnyLink::Other(link) => link.peer_is_asleep(),
        }
    }
}

impl Deref for AnyLink {
    type Target = dyn Link;

    #[inline]
    fn deref(&self) -> &(dyn Link + 'static) {
        match self {
            AnyLink::Shm(link) => &**link,
            AnyLink::Other(link) => &**link,
        }
    }
}

impl DerefMut for AnyLink {
    #[inline]
    fn deref_mut(&mut self) -> &mut (dyn Link + 'static) {
        match self {
            AnyLink::Shm(link) => &mut **link,
            AnyLink::Other(link) => &mut **link,
        }
    }
}

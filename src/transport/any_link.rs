//! A link of any transport. Links with a fast path are called directly, not through a virtual table: small
//! messages are short enough to feel an indirect call.

use std::ops::{Deref, DerefMut};

use super::Link;
use super::fast_path::FastPath;
use super::shm::ShmLink;

/// A link of some transport. It derefs to [`Link`] for everything that it does not define itself.
pub enum AnyLink {
    /// A link through shared memory.
    Shm(Box<ShmLink>),
    /// A link of another transport.
    Other(Box<dyn Link>),
}

impl AnyLink {
    /// The fast path of the link, if it has one.
    #[inline]
    pub fn fast_path(&mut self) -> Option<&mut impl FastPath> {
        match self {
            AnyLink::Shm(link) => Some(&mut **link),
            AnyLink::Other(_) => None,
        }
    }

    /// See [`Link::peer_needs_doorbell`].
    #[inline]
    pub fn peer_needs_doorbell(&mut self) -> bool {
        match self {
            AnyLink::Shm(link) => link.peer_needs_doorbell(),
            AnyLink::Other(link) => link.peer_needs_doorbell(),
        }
    }

    /// See [`Link::peer_is_asleep`].
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

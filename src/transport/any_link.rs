//! A link of any transport. Links with a fast path are called directly, not through a virtual table: small
//! messages are short enough to feel an indirect call.

use std::io;
use std::ops::{Deref, DerefMut};
use std::os::fd::OwnedFd;

use super::Link;
use super::fast_path::FastPath;
use super::shm::{ShmLink, UnopenedShm};
use super::silent::SilentLink;
use crate::sys::owned::Owned;
use crate::sys::socket::Socket;

/// A link of some transport. It derefs to [`Link`] for everything that it does not define itself.
pub enum AnyLink {
    /// A link through shared memory.
    Shm(Box<ShmLink>),
    /// A link through shared memory that has not been opened.
    Unopened(Box<UnopenedShm>),
    /// What stands for the link to a rank with which this one has not connected.
    Unconnected(SilentLink),
    /// A link of another transport.
    Other(Box<dyn Link>),
}

impl AnyLink {
    /// The fast path of the link, if it has one.
    #[inline]
    pub fn fast_path(&mut self) -> Option<&mut impl FastPath> {
        match self {
            AnyLink::Shm(link) => Some(&mut **link),
            AnyLink::Unopened(_) | AnyLink::Unconnected(_) | AnyLink::Other(_) => None,
        }
    }

    /// The link, if it is one through shared memory that has not been opened yet.
    pub fn unopened(&mut self) -> Option<&mut UnopenedShm> {
        match self {
            AnyLink::Unopened(link) => Some(link),
            AnyLink::Shm(_) | AnyLink::Unconnected(_) | AnyLink::Other(_) => None,
        }
    }

    /// Whether the link has not been opened yet.
    pub fn is_unopened(&self) -> bool {
        matches!(self, AnyLink::Unopened(_) | AnyLink::Unconnected(_))
    }

    /// See [`Link::take_file`].
    pub fn take_file(&mut self, file: Option<Owned<OwnedFd>>) -> io::Result<()> {
        match self {
            AnyLink::Unopened(link) => link.take_file(file),
            link => (**link).take_file(file),
        }
    }

    /// See [`Link::set_oversubscribed`].
    pub fn set_oversubscribed(&mut self, oversubscribed: bool) {
        match self {
            AnyLink::Unopened(link) => link.set_oversubscribed(oversubscribed),
            link => (**link).set_oversubscribed(oversubscribed),
        }
    }

    /// Whether the link cannot be opened yet, because the file of the lower rank has not come.
    pub fn awaits_file(&self) -> bool {
        matches!(self, AnyLink::Unopened(link) if !link.can_open())
    }

    /// Opens the link if it has not been opened yet and can be. `socket` leads to the peer's process. Returns
    /// whether the link was opened.
    pub fn open(&mut self, socket: &Socket) -> io::Result<bool> {
        let Some(unopened) = self.unopened() else { return Ok(false) };
        let Some(link) = unopened.open(socket)? else { return Ok(false) };
        *self = AnyLink::Shm(Box::new(link));
        Ok(true)
    }

    /// Whether the two ranks are connected and share memory, opened or not.
    pub fn shares_memory(&self) -> bool {
        matches!(self, AnyLink::Shm(_) | AnyLink::Unopened(_))
    }

    /// Whether the peer's arena has not come. One that has come and could not be kept is no longer pending.
    pub fn awaits_arena(&self) -> bool {
        match self {
            AnyLink::Shm(link) => link.awaits_arena(),
            AnyLink::Unopened(link) => link.awaits_arena(),
            AnyLink::Unconnected(_) | AnyLink::Other(_) => false,
        }
    }

    /// See [`Link::peer_needs_doorbell`].
    #[inline]
    pub fn peer_needs_doorbell(&mut self) -> bool {
        match self {
            AnyLink::Shm(link) => link.peer_needs_doorbell(),
            AnyLink::Unopened(_) | AnyLink::Unconnected(_) => false,
            AnyLink::Other(link) => link.peer_needs_doorbell(),
        }
    }

    /// See [`Link::peer_is_asleep`].
    #[inline]
    pub fn peer_is_asleep(&self) -> bool {
        match self {
            AnyLink::Shm(link) => link.peer_is_asleep(),
            AnyLink::Unopened(_) | AnyLink::Unconnected(_) => false,
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
            AnyLink::Unopened(link) => link.silent(),
            AnyLink::Unconnected(link) => link,
            AnyLink::Other(link) => &**link,
        }
    }
}

impl DerefMut for AnyLink {
    #[inline]
    fn deref_mut(&mut self) -> &mut (dyn Link + 'static) {
        match self {
            AnyLink::Shm(link) => &mut **link,
            AnyLink::Unopened(link) => link.silent_mut(),
            AnyLink::Unconnected(link) => link,
            AnyLink::Other(link) => &mut **link,
        }
    }
}

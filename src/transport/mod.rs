//! Transports, the ways to move bytes: an established [`Link`] to one peer. Knows no collective.
//!
//! A link carries *messages*, first in, first out. A message is cut into *fragments*, each with a [`Header`];
//! fragments of different messages may alternate, those of one message keep their order. The length of a
//! message does not travel: both sides know it from the call that the header names.
//!
//! Every transport has the same items: how to make its link, `send`, `head`, `arrival`, `take`, `consume`,
//! `descriptor`. Folders of transports have the same files: `send` and `recv` are the two halves of a link.
//! What lies above knows links ([`AnyLink`]) and, for small messages, their [`fast_path`]; it does not know
//! which transport it has.

mod any_link;
pub mod connect;
pub mod control;
pub mod failure;
pub mod fast_path;
pub mod loopback;
pub mod shm;
pub mod tcp;

pub use any_link::AnyLink;
pub use shm::{ExchangeRun, ExchangeTrial};

use std::io;
use std::os::fd::RawFd;

use crate::base::Call;

/// Context of the communicator that was made with the links.
pub const FIRST_CONTEXT: u32 = 0;

/// Flag in the context of a fragment that its sender has cancelled.
const CANCELLED: u32 = 1 << 31;
/// Upper bound of contexts: all are below.
pub const CONTEXTS: u32 = CANCELLED;

/// Header of each fragment: the conversation that it belongs to, and the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Context of the communicator, and whether this is a collective or a transfer.
    pub context: u32,
    /// Number of the call in this context; for transfers, of the transfer between these two ranks.
    pub sequence: u32,
    /// The sender's call, packed ([`crate::base::Call::pack`]).
    pub call: [u64; 2],
}

impl Header {
    /// Whether the sender has given up the call since it sent this, and has said so to all. The bytes mean
    /// nothing.
    pub fn is_cancelled(&self) -> bool {
        self.context & CANCELLED != 0
    }

    /// Whether both belong to messages of the same call. Where calls count their messages, these may differ.
    #[inline]
    pub fn is_of_call(&self, other: &Header) -> bool {
        (self.context, self.sequence) == (other.context, other.sequence) && Call::agree(self.call, other.call)
    }
}

/// What has arrived of the fragment at the head of a link.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Start of the bytes. They may be memory that a hostile peer still writes: read each once, form no
    /// reference.
    pub data: *const u8,
    /// Number of bytes that are there now.
    pub bytes: usize,
    /// Whether these are all that the fragment still has.
    pub complete: bool,
}

/// Bytes in a fragment are a multiple of this, except in the last of a message: no element is cut.
pub const FRAGMENT_GRAIN: usize = 16;

/// Policy of one message: whether a link may leave it in the sender's memory until the receiver has read it.
/// So it is copied once, by the kernel, or not at all, where the receiver has mapped the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SingleCopy {
    /// The message is always copied before its send has ended.
    Never,
    /// The message may stay where it is if the receiver has mapped that memory.
    MappedOnly,
    /// Like [`SingleCopy::MappedOnly`], and where ranks share processors, the kernel may copy it.
    IfOversubscribed,
    /// Like [`SingleCopy::IfOversubscribed`], and the kernel may copy it where the receiver waits for it and
    /// has found that to be faster.
    IfFaster,
    /// The message may stay where it is even if the kernel must copy it.
    Always,
}

/// An established path to one peer. Never blocks.
pub trait Link: Send {
    /// Offers the next `bytes` bytes of a message. `Some(n)`: n were taken and may be overwritten. `None`: no
    /// room now. An empty message is sent by one call with `bytes` 0.
    ///
    /// A message that was begun is offered again, from where it stopped, until all of it is taken. If its
    /// policy is [`SingleCopy::Never`], at least one fragment is taken whatever the receiver does, if there
    /// is room.
    ///
    /// # Safety
    /// `data` is readable for `bytes` bytes, and with any other policy until all of the message is taken.
    /// (When the call fails first, the peer may still have the kernel copy from there. It gets undefined
    /// bytes or an error, for a call that has failed.)
    unsafe fn send(
        &mut self,
        header: &Header,
        data: *const u8,
        bytes: usize,
        single_copy: SingleCopy,
    ) -> io::Result<Option<usize>>;

    /// Like [`Link::send`], but `fill` writes the bytes to where the peer reads them: to a place, from so
    /// many bytes behind the first one that is offered, so many. `None`: the link has no such memory.
    fn send_filled(
        &mut self,
        _header: &Header,
        _bytes: usize,
        _fill: &mut dyn FnMut(*mut u8, usize, usize),
    ) -> Option<io::Result<Option<usize>>> {
        None
    }

    /// Takes note that a message will not be offered again: its call has failed. What was begun of it and
    /// must be completed, so that others can go on, is kept by the link; the bytes stay true. `data` and
    /// `bytes` are its rest.
    ///
    /// # Safety
    /// `data` is readable for `bytes` bytes.
    unsafe fn abandon(&mut self, _header: &Header, _data: *const u8, _bytes: usize) {}

    /// Takes note that a message will not be offered for a while: whether that keeps nothing else from being
    /// sent. If it does, a fragment of it has begun, and it must be offered until that is over.
    fn postpone(&mut self, _header: &Header) -> bool {
        true
    }

    /// Cancels what was sent of a call and has not been read yet, where that can be done: the call has
    /// failed, and a receiver that comes late must not take it for a success.
    fn cancel_sent(&mut self, _header: &Header) {}

    /// The header of the fragment at the head, if one is there.
    fn head(&mut self) -> io::Result<Option<Header>>;

    /// The bytes of the fragment at the head that can be read in place. Only after `head` gave one. Less
    /// than the whole fragment may be there; an element may be incomplete at the end.
    fn arrival(&mut self) -> io::Result<Arrival>;

    /// Moves up to `bytes` bytes of the fragment at the head to `dst` and says how many. Only after `head`
    /// gave one. `streamed`: past the caches, because nobody reads them soon.
    ///
    /// # Safety
    /// `dst` is writable for `bytes` bytes and lies outside of the link's own memory.
    unsafe fn take(&mut self, dst: *mut u8, bytes: usize, streamed: bool) -> io::Result<usize>;

    /// Drops the first `bytes` bytes of the last arrival; a fragment without bytes left goes away. (An empty
    /// fragment goes away by `consume(0)`.) An error: they go away, but they were not what the sender meant.
    fn consume(&mut self, bytes: usize) -> io::Result<()>;

    /// Drops what has arrived of the fragment at the head, without reading it. Only after `head` gave one.
    /// Whether anything was there.
    fn discard(&mut self) -> io::Result<bool> {
        let arrival = self.arrival()?;
        self.consume(arrival.bytes)?;
        Ok(arrival.bytes > 0 || arrival.complete)
    }

    /// The descriptor on which a sleeper waits for data or room; `None`: the peer rings the doorbell.
    fn descriptor(&self) -> Option<RawFd>;

    /// Tells the peer that this rank is about to sleep (or is awake again), so that it rings the doorbell.
    fn set_sleeping(&mut self, _sleeping: bool) {}

    /// Whether the peer sleeps and needs the doorbell for what was sent or consumed since the last call.
    fn peer_needs_doorbell(&mut self) -> bool {
        false
    }

    /// Whether the peer is seen to sleep while there is something new for it. The look costs nothing, and
    /// misses a peer that has just gone to sleep: whoever asks this in the middle of something asks
    /// [`Link::peer_needs_doorbell`] at its end.
    fn peer_is_asleep(&self) -> bool {
        false
    }

    /// Tells whether ranks share processors: what is read out of the sender's memory saves the work of a rank
    /// that must give way.
    fn set_oversubscribed(&mut self, _oversubscribed: bool) {}

    /// Name of the transport: "shm", "tcp" or "self".
    fn transport(&self) -> &'static str;
}

/// Error: what a peer wrote makes no sense. The link is of no further use.
pub(crate) fn garbage(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the peer wrote nonsense: {what}"))
}

//! Transports, the ways to move bytes. A [`Link`] is an established path to one peer; it knows no collective.
//!
//! A link carries *messages*, first in, first out. A message is cut into *fragments*, each with a [`Header`].
//! Fragments of different messages may alternate; those of one message keep their order. The length of a
//! message does not travel, because both sides know it from the call that the header names.
//!
//! Every transport has the same items: how to make its link, `send`, `head`, `arrival`, `take`, `consume` and
//! `descriptor`. Folders of transports have the same files: `send` and `recv` are the two halves of a link.
//! The layers above know links ([`AnyLink`]) and, for small messages, their [`fast_path`]. They do not know
//! which transport a link uses.

mod any_link;
pub mod connect;
pub mod control;
pub mod failure;
pub mod fast_path;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod foreign_bytes;
pub mod loopback;
pub mod ofi;
pub mod shm;
mod silent;
pub mod tcp;

pub use any_link::AnyLink;
pub use shm::{ExchangeRun, ExchangeTrial};
pub use silent::SilentLink;

use std::io;
use std::os::fd::{OwnedFd, RawFd};

use crate::base::Call;
use crate::sys::owned::Owned;
use crate::sys::poll::{Interest, PollSet};
use crate::sys::socket::is_undelivered;

/// Context of the communicator that was made together with the links.
pub const FIRST_CONTEXT: u32 = 0;

/// Flag in the context of a fragment that its sender has cancelled.
const CANCELLED: u32 = 1 << 31;
/// Upper bound of contexts: every context is smaller.
pub const CONTEXTS: u32 = CANCELLED;

/// Header of each fragment: the conversation that the fragment belongs to, and the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Context of the communicator, with a bit that tells collectives from transfers.
    pub context: u32,
    /// Number of the call in this context. For a transfer, its number between these two ranks.
    pub sequence: u32,
    /// The sender's call, packed ([`crate::base::Call::pack`]).
    pub call: [u64; 2],
}

impl Header {
    /// Whether the sender has cancelled the call after sending this fragment, and has told all ranks. The
    /// bytes of such a fragment are meaningless.
    pub fn is_cancelled(&self) -> bool {
        self.context & CANCELLED != 0
    }

    /// Whether both headers belong to messages of the same call. The counts may differ where each message
    /// carries its own.
    #[inline]
    pub fn is_of_call(&self, other: &Header) -> bool {
        (self.context, self.sequence) == (other.context, other.sequence) && Call::agree(self.call, other.call)
    }
}

/// What has arrived of the fragment at the head of a link.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Start of the bytes. A hostile peer may still write to that memory: read each byte once, form no
    /// reference.
    pub data: *const u8,
    /// Number of bytes that can be read now.
    pub bytes: usize,
    /// Whether these are all the bytes that the fragment has left.
    pub complete: bool,
}

/// Every fragment but the last of a message has a multiple of this many bytes, so no element is cut.
pub const FRAGMENT_GRAIN: usize = 16;

/// Policy of one message: whether a link may leave it in the sender's memory until the receiver has read it.
/// Such a message is copied once, by the kernel, or not at all if the receiver has mapped the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SingleCopy {
    /// The message is always copied before its send has ended.
    Never,
    /// The message may stay in place if the receiver has mapped that memory.
    MappedOnly,
    /// Like [`SingleCopy::MappedOnly`]; and if ranks share processors, the kernel may copy the message.
    IfOversubscribed,
    /// Like [`SingleCopy::IfOversubscribed`]; and the kernel may copy the message if its receiver waits for
    /// it and has found single copies to be faster.
    IfFaster,
    /// The message may stay in place even if the kernel must copy it.
    Always,
}

/// An established path to one peer. Its calls never block.
pub trait Link: Send {
    /// Offers the next `bytes` bytes of a message. `Some(n)`: the link took n bytes, and the caller may
    /// overwrite them. `None`: there is no room now. An empty message is sent by one call with `bytes` 0.
    ///
    /// A message that was begun is offered again, from where it stopped, until all of it is taken. If its
    /// policy is [`SingleCopy::Never`] and there is room, the link takes at least one fragment, whatever the
    /// receiver does.
    ///
    /// # Safety
    /// `data` is readable for `bytes` bytes. With any policy but [`SingleCopy::Never`] it stays so until all
    /// of the message is taken. (If the call fails first, the peer may still have the kernel copy from there.
    /// It gets undefined bytes or an error, for a call that has failed anyway.)
    unsafe fn send(
        &mut self,
        header: &Header,
        data: *const u8,
        bytes: usize,
        single_copy: SingleCopy,
    ) -> io::Result<Option<usize>>;

    /// Like [`Link::send`], but `fill` writes the bytes directly to the memory that the peer reads. The
    /// arguments of `fill` are the target, an offset from the first offered byte, and a length. `None`: the
    /// link has no such memory.
    fn send_filled(
        &mut self,
        _header: &Header,
        _bytes: usize,
        _fill: &mut dyn FnMut(*mut u8, usize, usize),
    ) -> Option<io::Result<Option<usize>>> {
        None
    }

    /// Notes that a message will not be offered again because its call has failed. The link keeps the part of
    /// a begun fragment that must be sent for the sake of later messages, and sends those bytes unchanged.
    /// `data` and `bytes` are the rest of the message.
    ///
    /// # Safety
    /// `data` is readable for `bytes` bytes.
    unsafe fn abandon(&mut self, _header: &Header, _data: *const u8, _bytes: usize) {}

    /// Notes that a message will not be offered for a while. Returns whether other messages can be sent
    /// meanwhile. `false`: a fragment of it has begun, and the message must be offered until that fragment is
    /// sent.
    fn postpone(&mut self, _header: &Header) -> bool {
        true
    }

    /// Whether a fragment of this call has begun that must be sent before other messages: the link waits for
    /// room then, though the call is postponed.
    fn is_within_call(&self, _header: &Header) -> bool {
        false
    }

    /// Cancels, where possible, what was sent of a failed call and is not read yet. A receiver that comes
    /// late must not take it for a success.
    fn cancel_sent(&mut self, _header: &Header) {}

    /// Tells the link that many calls ask it in turns, or that they have. Between the two, a look that has
    /// found nothing need not be repeated: what comes meanwhile is found by the next turns.
    fn set_in_turns(&mut self, _in_turns: bool) {}

    /// The header of the fragment at the head of the link, if there is one.
    fn head(&mut self) -> io::Result<Option<Header>>;

    /// Whether the link has a descriptor, and that is ready to be read only when something has come at which
    /// this side has not looked.
    fn awaits_header(&self) -> bool {
        false
    }

    /// The bytes of the fragment at the head that can be read in place. Valid only after `head` returned a
    /// header. The bytes may be a part of the fragment, and may end inside an element.
    fn arrival(&mut self) -> io::Result<Arrival>;

    /// Moves up to `bytes` bytes of the fragment at the head to `dst`, and returns how many. Valid only after
    /// `head` returned a header. `streamed` writes past the caches, for bytes that nobody reads soon.
    ///
    /// # Safety
    /// `dst` is writable for `bytes` bytes and lies outside of the link's own memory.
    unsafe fn take(&mut self, dst: *mut u8, bytes: usize, streamed: bool) -> io::Result<usize>;

    /// Drops the first `bytes` bytes of the last arrival. A fragment without bytes left is removed; an empty
    /// one is removed by `consume(0)`. On an error the bytes are dropped, but they were not what the sender
    /// meant.
    fn consume(&mut self, bytes: usize) -> io::Result<()>;

    /// Drops what has arrived of the fragment at the head, without reading it. Valid only after `head`
    /// returned a header. Returns whether there was anything to drop.
    fn discard(&mut self) -> io::Result<bool> {
        let arrival = self.arrival()?;
        self.consume(arrival.bytes)?;
        Ok(arrival.bytes > 0 || arrival.complete)
    }

    /// The descriptor that is ready when something new has come. `None`: the peer rings the doorbell instead.
    fn descriptor(&self) -> Option<RawFd>;

    /// Adds the descriptors on which a sleeper waits for data or room. `false`: there are none.
    fn watch(&self, interest: Interest, set: &mut PollSet) -> bool {
        self.descriptor().map(|fd| set.add(&fd, interest)).is_some()
    }

    /// Adds the descriptor on which a sleeper waits for a header at which this side has not looked. Only
    /// where [`Link::awaits_header`].
    fn watch_for_header(&self, set: &mut PollSet) {
        self.descriptor().into_iter().for_each(|fd| _ = set.add(&fd, Interest::Read));
    }

    /// Takes a file that the peer has passed over the control channel. `None`: the descriptor could not be
    /// made here.
    fn take_file(&mut self, _file: Option<Owned<OwnedFd>>) -> io::Result<()> {
        Err(garbage("a file for which there is no use"))
    }

    /// Whether something that was sent has not come to the host of the peer.
    fn has_undelivered(&self) -> bool {
        self.descriptor().is_some_and(is_undelivered)
    }

    /// Whether the link itself notices that its peer is gone, after the last bytes of the peer.
    fn notices_its_end(&self) -> bool {
        self.descriptor().is_some()
    }

    /// Whether something that was taken moves on only when the link is asked, as [`Link::watch`] does. A
    /// sleeper watches such a link, whatever it waits for.
    fn must_be_asked(&self) -> bool {
        false
    }

    /// Number of bytes that this rank has given to the network, where messages of the control channel may
    /// overtake them. 0: they cannot.
    fn sent(&self) -> u64 {
        0
    }

    /// Number of bytes that have come from the network. What the peer had sent when its [`Link::sent`] was
    /// this number, or less, is here.
    fn received(&self) -> u64 {
        0
    }

    /// A number that changes whenever something comes from the network.
    fn arrivals(&self) -> u64 {
        self.received()
    }

    /// Tells the peer that this rank is about to sleep, so that it rings the doorbell, or that it is awake
    /// again.
    fn set_sleeping(&mut self, _sleeping: bool) {}

    /// Whether the peer sleeps and needs the doorbell for what was sent or consumed since the last call.
    fn peer_needs_doorbell(&mut self) -> bool {
        false
    }

    /// Whether the peer is seen to sleep while something new awaits it. This check is cheap, and can miss a
    /// peer that has just gone to sleep. A caller that uses it halfway calls [`Link::peer_needs_doorbell`] at
    /// the end.
    fn peer_is_asleep(&self) -> bool {
        false
    }

    /// Tells the link whether ranks share processors. A receiver that reads in the sender's memory then saves
    /// the work of a rank that has to give way.
    fn set_oversubscribed(&mut self, _oversubscribed: bool) {}

    /// Name of the transport: "shm", "tcp", "ofi" or "self".
    fn transport(&self) -> &'static str;
}

/// An error for bytes of a peer that make no sense. The link must not be used any more.
pub(crate) fn garbage(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the peer wrote nonsense: {what}"))
}

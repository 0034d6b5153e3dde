//! A link over several TCP connections: a main connection, and others that carry long messages in *stripes*.
//!
//! The main connection is like that of a [`super::TcpLink`]. A long message is announced there, and its bytes
//! follow over the other connections, cut into numbered stripes. Each of those connections takes the next
//! stripe as soon as it has room, so a fast one carries more than a slow one. On each of them the numbers
//! rise. The receiver finds the next stripe at the head of one of them, and reads it directly to its place.
//! The others are not read meanwhile, so their sockets take much ahead. Otherwise the sender's congestion
//! control would find each of them slow on a long path, and would send slowly for a long time.
//!
//! Small messages stay on the main connection, and pass the stripes of other conversations on both sides.
//! What passes keeps the order that [`Link`] promises: a fragment never passes one of its own conversation,
//! nor one that nobody has looked at.
//!
//! A side may keep long messages on the main connection until that is found to be too small for the path
//! ([`need`]). The receiver takes both.
//!
//! If one connection fails, the link fails. Its error says which.
//!
//! Decision and figures: docs/adr/0010-tcp-connections.md.

mod failure;
#[cfg(any(test, feature = "fuzzing"))]
pub(super) mod foreign_bytes;
mod need;
mod recv;
mod send;
#[cfg(test)]
mod tests;

use std::io;
use std::os::fd::{AsRawFd, RawFd};

use super::super::{Arrival, Header, Link, SingleCopy};
use crate::sys::poll::{Interest, PollSet};
use crate::sys::socket::{Socket, is_undelivered};
use recv::StripeReceiver;
use send::StripeSender;

/// Bytes that may come over a connection while another one has the next stripe. A sender's kernel usually
/// holds no more.
const AHEAD_BYTES: usize = 4 << 20;

/// A link over several TCP connections.
pub struct StripedLink {
    main: Socket,
    stripes: Vec<Socket>,
    send: StripeSender,
    recv: StripeReceiver,
}

impl StripedLink {
    /// Makes a link on connected, authenticated sockets. The peer has those for stripes in the same order.
    /// `at_need`: long messages of this side use the main connection until that is too small for the path.
    /// The peer may differ. The error is a lack of memory.
    pub fn new(main: Socket, stripes: Vec<Socket>, at_need: bool) -> io::Result<StripedLink> {
        main.tune_for_data();
        for stripe in &stripes {
            stripe.tune_for_data();
            stripe.receive_ahead(AHEAD_BYTES);
        }
        let (send, recv) = (StripeSender::new(stripes.len(), at_need), StripeReceiver::new(stripes.len())?);
        Ok(StripedLink { main, stripes, send, recv })
    }
}

impl Link for StripedLink {
    unsafe fn send(
        &mut self,
        header: &Header,
        data: *const u8,
        bytes: usize,
        _single_copy: SingleCopy,
    ) -> io::Result<Option<usize>> {
        // SAFETY: the caller vouches for `data`.
        unsafe { self.send.send(&self.main, &self.stripes, header, data, bytes) }
    }

    unsafe fn abandon(&mut self, header: &Header, data: *const u8, bytes: usize) {
        // SAFETY: the caller vouches for `data`.
        unsafe { self.send.abandon(header, data, bytes) }
    }

    fn postpone(&mut self, header: &Header) -> bool {
        self.send.postpone(header)
    }

    fn is_within_call(&self, header: &Header) -> bool {
        self.send.is_within_call(header)
    }

    fn set_in_turns(&mut self, in_turns: bool) {
        self.recv.set_in_turns(in_turns);
    }

    fn head(&mut self) -> io::Result<Option<Header>> {
        self.recv.head(&self.main, &self.stripes)
    }

    fn awaits_header(&self) -> bool {
        self.recv.awaits_header()
    }

    fn arrival(&mut self) -> io::Result<Arrival> {
        self.recv.arrival(&self.main, &self.stripes)
    }

    unsafe fn take(&mut self, dst: *mut u8, bytes: usize, _streamed: bool) -> io::Result<usize> {
        // SAFETY: the caller vouches for `dst`; the buffers are the link's own memory.
        unsafe { self.recv.take(&self.main, &self.stripes, dst, bytes) }
    }

    fn consume(&mut self, bytes: usize) -> io::Result<()> {
        self.recv.consume(bytes);
        Ok(())
    }

    fn sent(&self) -> u64 {
        self.send.sent()
    }

    fn received(&self) -> u64 {
        self.recv.received()
    }

    fn arrivals(&self) -> u64 {
        self.recv.arrivals()
    }

    fn descriptor(&self) -> Option<RawFd> {
        Some(self.main.as_raw_fd())
    }

    fn watch(&self, interest: Interest, set: &mut PollSet) -> bool {
        if interest != Interest::Write {
            self.recv.watch(&self.main, &self.stripes, set);
        }
        if interest != Interest::Read {
            self.send.watch(&self.main, &self.stripes, set);
        }
        true
    }

    fn has_undelivered(&self) -> bool {
        [&self.main].into_iter().chain(&self.stripes).any(|socket| is_undelivered(socket.as_raw_fd()))
    }

    fn transport(&self) -> &'static str {
        "tcp"
    }
}

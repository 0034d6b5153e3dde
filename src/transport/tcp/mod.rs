//! `tcp`: the transport over one non-blocking connection to a peer.
//!
//! A message is cut into fragments, each with a `wire` header that leaves in one segment with its payload.
//! `send` and `recv` are the two halves of a link. Neither ever waits, and each look at an idle connection is
//! one system call.
//!
//! One connection carries both directions and messages of all sizes. Decision and reasons:
//! docs/adr/0010-tcp-connections.md.

#[cfg(any(test, feature = "fuzzing"))]
pub(super) mod foreign_bytes;
mod recv;
mod send;
pub mod striped;
mod wire;

use std::io;
use std::os::fd::{AsRawFd, RawFd};

use super::{Arrival, Header, Link, SingleCopy};
use crate::sys::socket::Socket;
use recv::RecvBuffer;
use send::SendQueue;

/// A link over TCP.
pub struct TcpLink {
    socket: Socket,
    send: SendQueue,
    recv: RecvBuffer,
}

impl TcpLink {
    /// Makes a link on a connected, authenticated socket. The error is a lack of memory.
    pub fn new(socket: Socket) -> io::Result<TcpLink> {
        socket.tune_for_data();
        Ok(TcpLink { socket, send: SendQueue::default(), recv: RecvBuffer::new()? })
    }
}

impl Link for TcpLink {
    unsafe fn send(
        &mut self,
        header: &Header,
        data: *const u8,
        bytes: usize,
        _single_copy: SingleCopy,
    ) -> io::Result<Option<usize>> {
        // SAFETY: the caller vouches for `data`.
        unsafe { self.send.send(&self.socket, header, data, bytes) }
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
        self.recv.head(&self.socket)
    }

    fn awaits_header(&self) -> bool {
        self.recv.awaits_header()
    }

    fn arrival(&mut self) -> io::Result<Arrival> {
        self.recv.arrival(&self.socket)
    }

    unsafe fn take(&mut self, dst: *mut u8, bytes: usize, _streamed: bool) -> io::Result<usize> {
        // SAFETY: the caller vouches for `dst`; the buffer is the link's own memory.
        unsafe { self.recv.take(&self.socket, dst, bytes) }
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

    fn descriptor(&self) -> Option<RawFd> {
        Some(self.socket.as_raw_fd())
    }

    fn transport(&self) -> &'static str {
        "tcp"
    }
}

#[cfg(test)]
mod tests;

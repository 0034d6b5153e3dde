//! The receiving half of a connection: a buffer that may hold several messages, and a way around it.
//!
//! - A look for a header reads little: the header and all of a small message, perhaps of several, in one
//!   system call.
//! - Payload that is to be reduced is read into the buffer, much at a time, and reduced from there.
//! - Payload that is only stored is read straight to its place. The same call reads the next header into the
//!   buffer, but none of the payload behind it. So the next fragment goes straight to its place, too.

use std::io;

use super::super::{Arrival, Header, garbage};
use super::wire::{HEADER_BYTES, decode, decode_announcement, is_announcement};
use crate::sys::socket::Socket;
use crate::sys::zeroed::zeroed;

/// Bytes of the buffer. They fit into the L2 cache until they are reduced.
pub(super) const BUFFER_BYTES: usize = 256 << 10;
/// Most bytes that a look for a header reads. Small messages are then complete, and of a large one only this
/// beginning is copied twice. Figures: docs/lab/constants.md.
pub(super) const LOOK_BYTES: usize = 64 << 10;

/// Bytes that have come from the peer and are not consumed yet.
pub(super) struct RecvBuffer {
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    /// The fragment at the head: its header, and the number of payload bytes that are not consumed yet.
    head: Option<(Header, usize)>,
    /// See [`super::super::Link::received`].
    received: u64,
    /// While calls ask in turns: whether the socket had nothing in this round.
    is_dry: Option<bool>,
    /// Whether a look for a header has found the end, or an error.
    has_ended: bool,
}

impl RecvBuffer {
    pub fn new() -> io::Result<RecvBuffer> {
        let buffer = zeroed(BUFFER_BYTES)?.into_boxed_slice();
        Ok(RecvBuffer { buffer, start: 0, end: 0, head: None, received: 0, is_dry: None, has_ended: false })
    }

    /// See [`super::super::Link::awaits_header`].
    pub fn awaits_header(&self) -> bool {
        self.head.is_none() && self.buffered() < HEADER_BYTES && !self.has_ended
    }

    /// See [`super::super::Link::set_in_turns`].
    pub fn set_in_turns(&mut self, in_turns: bool) {
        self.is_dry = in_turns.then_some(false);
    }

    /// Notes how many bytes have come.
    #[inline]
    fn note(&mut self, arrived: usize) {
        self.received += arrived as u64;
        self.is_dry = self.is_dry.map(|is_dry| is_dry || arrived == 0);
    }

    pub fn received(&self) -> u64 {
        self.received
    }

    pub fn buffered(&self) -> usize {
        self.end - self.start
    }

    /// Reads up to `most` bytes behind what is buffered. Returns whether anything arrived.
    #[inline]
    fn fill(&mut self, socket: &Socket, most: usize) -> io::Result<bool> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.start > self.buffer.len() / 2 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        let room = &mut self.buffer[self.end..];
        if room.is_empty() || self.is_dry == Some(true) {
            return Ok(false);
        }
        let most = most.min(room.len());
        let arrived = bytes_of(socket.read(&mut room[..most])?)?;
        self.end += arrived;
        self.note(arrived);
        Ok(arrived > 0)
    }

    #[inline]
    pub fn head(&mut self, socket: &Socket) -> io::Result<Option<Header>> {
        self.head_within(socket, LOOK_BYTES)
    }

    /// Like [`RecvBuffer::head`], but a look reads at most this many bytes.
    #[inline]
    pub fn head_within(&mut self, socket: &Socket, most: usize) -> io::Result<Option<Header>> {
        if let Some((header, _)) = self.head {
            return Ok(Some(header));
        }
        if !self.look(socket, most)? {
            return Ok(None);
        }
        let (header, payload) = decode(self.next_wire())?;
        self.start += HEADER_BYTES;
        self.head = Some((header, payload));
        Ok(Some(header))
    }

    /// Looks for the next header. Returns whether all of it is buffered.
    #[inline]
    pub fn look(&mut self, socket: &Socket, most: usize) -> io::Result<bool> {
        while self.buffered() < HEADER_BYTES {
            match self.fill(socket, most) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(error) => {
                    self.has_ended = true;
                    return Err(error);
                }
            }
        }
        Ok(true)
    }

    #[inline]
    fn next_wire(&self) -> &[u8; HEADER_BYTES] {
        self.buffer[self.start..].first_chunk().expect("a header is buffered")
    }

    /// Takes out the announcement that is next, if it is one. A look has found the next header.
    pub fn take_announcement(&mut self) -> io::Result<Option<(Header, usize)>> {
        if !is_announcement(self.next_wire()) {
            return Ok(None);
        }
        let announced = decode_announcement(self.next_wire())?;
        self.start += HEADER_BYTES;
        Ok(Some(announced))
    }

    /// Number of bytes that have come up to the first announcement that is buffered and not taken out, its
    /// header included. `None`: there is none.
    pub fn first_announcement(&self) -> Option<u64> {
        let mut at = self.start + self.head.map_or(0, |(_, left)| left);
        while let Some(wire) = self.buffer[..self.end].get(at..).and_then(<[u8]>::first_chunk) {
            at += HEADER_BYTES;
            if is_announcement(wire) {
                return Some(self.received - (self.end - at) as u64);
            }
            at += decode(wire).ok()?.1;
        }
        None
    }

    /// The fragment at the head, if its header was read: the header, and the number of bytes that are not
    /// consumed yet.
    pub fn known_head(&self) -> Option<(Header, usize)> {
        self.head
    }

    #[inline]
    pub fn arrival(&mut self, socket: &Socket) -> io::Result<Arrival> {
        let (_, left) = self.head.ok_or_else(|| garbage("no fragment"))?;
        if self.buffered() < left {
            // The next header comes with it, but no payload of the next fragment, so nothing has to be moved
            // up later.
            self.fill(socket, left - self.buffered() + HEADER_BYTES)?;
        }
        let bytes = left.min(self.buffered());
        Ok(Arrival { data: self.buffer[self.start..].as_ptr(), bytes, complete: bytes == left })
    }

    /// # Safety
    /// `dst` is writable for `bytes` bytes and lies outside of the buffer.
    #[inline]
    pub unsafe fn take(&mut self, socket: &Socket, dst: *mut u8, bytes: usize) -> io::Result<usize> {
        let (header, left) = self.head.ok_or_else(|| garbage("no fragment"))?;
        let want = left.min(bytes);
        let buffered = want.min(self.buffered());
        if buffered > 0 || want == 0 {
            // SAFETY: `buffered` bytes are in the buffer; the caller vouches for `dst`, which lies outside of
            // it.
            unsafe { std::ptr::copy_nonoverlapping(self.buffer[self.start..].as_ptr(), dst, buffered) };
            self.consume(buffered);
            return Ok(buffered);
        }
        if self.is_dry == Some(true) {
            return Ok(0);
        }
        // If this read covers all of the fragment, the next header may come with it. The buffer is empty
        // here; otherwise `want` bytes would be there.
        let behind = if want == left { HEADER_BYTES } else { 0 };
        let next = &mut self.buffer[..behind];
        // SAFETY: the caller vouches for `bytes` writable bytes at `dst` outside of the buffer, and `want` is
        // no more than that.
        let arrived = bytes_of(unsafe { socket.read_two(dst, want, next) }?)?;
        self.note(arrived);
        let of_payload = arrived.min(want);
        (self.start, self.end) = (0, arrived - of_payload);
        self.head = (of_payload < left).then_some((header, left - of_payload));
        Ok(of_payload)
    }

    #[inline]
    pub fn consume(&mut self, bytes: usize) {
        let Some((header, left)) = self.head else { return };
        debug_assert!(bytes <= left && bytes <= self.buffered());
        self.start += bytes;
        self.head = (bytes < left).then_some((header, left - bytes));
    }

    /// Whether a part of the fragment at the head is not consumed.
    #[cfg(any(test, feature = "fuzzing"))]
    pub fn is_in_fragment(&self) -> bool {
        self.head.is_some()
    }

    /// Whether everything that has come is consumed.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.head.is_none() && self.buffered() == 0
    }
}

/// Bytes of a read that did not fail. The end of the stream is a failure, because no rank closes before it
/// has said goodbye.
#[inline]
fn bytes_of(read: Option<usize>) -> io::Result<usize> {
    match read {
        None => Ok(0),
        Some(0) => Err(io::ErrorKind::UnexpectedEof.into()),
        Some(n) => Ok(n),
    }
}

//! The sending half of a connection. It cuts messages into fragments, and resumes where the socket stopped.

use std::io;

use super::super::Header;
use super::wire::{FRAGMENT_BYTES, HEADER_BYTES, encode};
use crate::sys::socket::Socket;

/// Payload up to which header and payload are first copied together: one plain `send` is cheaper than two
/// parts.
const TOGETHER_BYTES: usize = 1 << 10;

/// A fragment of which the socket has accepted only a part.
struct Unfinished {
    wire: [u8; HEADER_BYTES],
    wire_sent: usize,
    header: Header,
    payload_left: usize,
}

/// How far the header of a fragment has come whose payload goes elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Announcement {
    /// Nothing is sent: there is no room, or it is not the turn of the message.
    Refused,
    /// A part is sent.
    Begun,
    /// All is sent.
    Sent,
}

/// What is on its way to the peer: at most one begun fragment, and the message that goes next.
#[derive(Default)]
pub(super) struct SendQueue {
    unfinished: Option<Unfinished>,
    /// The message that was first refused because of another one's fragment. It goes next. Otherwise the
    /// message that fills the connection would be offered first, and would begin its next fragment at once.
    next: Option<Header>,
    /// The rest of a fragment whose call has failed. It goes first. It is usually empty.
    abandoned: Vec<u8>,
    /// See [`super::super::Link::sent`].
    sent: u64,
}

impl SendQueue {
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// See [`super::super::Link::send`].
    ///
    /// # Safety
    /// `data` is readable for `bytes` bytes.
    #[inline]
    pub unsafe fn send(
        &mut self,
        socket: &Socket,
        header: &Header,
        data: *const u8,
        bytes: usize,
    ) -> io::Result<Option<usize>> {
        let new = || (encode(header, bytes.min(FRAGMENT_BYTES)), bytes.min(FRAGMENT_BYTES));
        match self.fragment_of(socket, header, new)? {
            // SAFETY: the caller vouches for `data`.
            Some(fragment) => unsafe { self.push(socket, fragment, data, bytes) },
            None => Ok(None),
        }
    }

    /// Sends the header of a fragment whose payload goes elsewhere, or the rest of it.
    pub fn announce(
        &mut self,
        socket: &Socket,
        header: &Header,
        wire: [u8; HEADER_BYTES],
    ) -> io::Result<Announcement> {
        let Some(fragment) = self.fragment_of(socket, header, || (wire, 0))? else {
            return Ok(Announcement::Refused);
        };
        // SAFETY: no byte is read behind the header.
        match unsafe { self.push(socket, fragment, std::ptr::null(), 0) }? {
            Some(_) => Ok(Announcement::Sent),
            None if self.is_within(header) => Ok(Announcement::Begun),
            None => Ok(Announcement::Refused),
        }
    }

    /// Whether a fragment of this message was begun and is not complete.
    pub fn is_within(&self, header: &Header) -> bool {
        self.unfinished.as_ref().is_some_and(|fragment| fragment.header == *header)
    }

    /// See [`super::super::Link::is_within_call`].
    pub fn is_within_call(&self, header: &Header) -> bool {
        self.unfinished.as_ref().is_some_and(|fragment| fragment.header.is_of_call(header))
    }

    /// The fragment of a message that goes on now. `new` makes its header, and says how many bytes follow.
    /// `None`: it is not the turn of this message.
    #[inline]
    fn fragment_of(
        &mut self,
        socket: &Socket,
        header: &Header,
        new: impl FnOnce() -> ([u8; HEADER_BYTES], usize),
    ) -> io::Result<Option<Unfinished>> {
        if !self.abandoned.is_empty() && !self.send_abandoned(socket)? {
            return Ok(None);
        }
        match self.unfinished.take() {
            Some(other) if other.header != *header => {
                self.unfinished = Some(other);
                self.next.get_or_insert(*header);
                Ok(None)
            }
            Some(mine) => Ok(Some(mine)),
            // A refused message is offered again until it is taken, so this state ends.
            None if self.next.is_some_and(|next| next != *header) => Ok(None),
            None => {
                let (wire, payload_left) = new();
                Ok(Some(Unfinished { wire, wire_sent: 0, header: *header, payload_left }))
            }
        }
    }

    /// Sends some of a fragment. Returns the number of payload bytes taken, as `send` does.
    ///
    /// # Safety
    /// `data` is readable for `bytes` bytes.
    #[inline]
    unsafe fn push(
        &mut self,
        socket: &Socket,
        mut fragment: Unfinished,
        data: *const u8,
        bytes: usize,
    ) -> io::Result<Option<usize>> {
        let header = fragment.header;
        let payload = fragment.payload_left.min(bytes);
        let wire = &fragment.wire[fragment.wire_sent..];
        let sent = if payload <= TOGETHER_BYTES {
            let mut together = [0; HEADER_BYTES + TOGETHER_BYTES];
            together[..wire.len()].copy_from_slice(wire);
            // SAFETY: the caller vouches for `bytes` readable bytes, and `payload` is no more than that; the
            // target is this new array, which has room for both.
            unsafe { std::ptr::copy_nonoverlapping(data, together[wire.len()..].as_mut_ptr(), payload) };
            socket.write(&together[..wire.len() + payload])
        } else {
            // SAFETY: the caller vouches for `bytes` readable bytes, and `payload` is no more than that.
            unsafe { socket.write_two(wire, data, payload) }
        };
        let sent = sent?.unwrap_or(0);
        self.sent += sent as u64;
        if sent > 0 && self.next == Some(header) {
            self.next = None;
        }
        let of_wire = sent.min(wire.len());
        let of_payload = sent - of_wire;
        fragment.wire_sent += of_wire;
        fragment.payload_left -= of_payload;
        if fragment.payload_left == 0 && fragment.wire_sent == HEADER_BYTES {
            return Ok(Some(of_payload));
        }
        // Nothing is kept of a fragment that was not begun, so a shorter message may go first.
        if fragment.wire_sent > 0 {
            self.unfinished = Some(fragment);
        }
        Ok((of_payload > 0).then_some(of_payload))
    }

    /// See [`super::super::Link::abandon`].
    ///
    /// # Safety
    /// `data` is readable for `bytes` bytes.
    pub unsafe fn abandon(&mut self, header: &Header, data: *const u8, bytes: usize) {
        if self.next == Some(*header) {
            self.next = None;
        }
        let Some(fragment) = self.unfinished.take_if(|fragment| fragment.header == *header) else { return };
        let payload = fragment.payload_left.min(bytes);
        self.abandoned.extend(&fragment.wire[fragment.wire_sent..]);
        // SAFETY: the caller vouches for `bytes` readable bytes, and `payload` is no more than that; nobody
        // writes them before the call has ended.
        self.abandoned.extend(unsafe { std::slice::from_raw_parts(data, payload) });
    }

    /// See [`super::super::Link::postpone`].
    pub fn postpone(&mut self, header: &Header) -> bool {
        if self.next == Some(*header) {
            self.next = None;
        }
        self.unfinished.as_ref().is_none_or(|fragment| fragment.header != *header)
    }

    /// Sends more of the abandoned fragment. Returns whether all of it is sent.
    #[cold]
    fn send_abandoned(&mut self, socket: &Socket) -> io::Result<bool> {
        let sent = socket.write(&self.abandoned)?.unwrap_or(0);
        self.sent += sent as u64;
        self.abandoned.drain(..sent);
        Ok(self.abandoned.is_empty())
    }

    /// Whether a fragment was begun and is not complete.
    #[cfg(test)]
    pub fn is_in_a_fragment(&self) -> bool {
        self.unfinished.is_some()
    }
}

//! The sending half: cuts announced fragments into stripes, and gives them to the connections that have room.

use std::io;
use std::ops::Range;

use super::super::super::{FRAGMENT_GRAIN, Header};
use super::super::send::{Announcement, SendQueue};
use super::super::wire::{HEADER_BYTES, STRIPED_BYTES, encode_announcement, encode_stripe};
use super::failure::of_connection;
use super::need::LaneNeed;
use crate::log_line;
use crate::sys::poll::{Interest, PollSet};
use crate::sys::socket::Socket;

/// Length from which a message is sent in stripes. A test needs small ones.
pub(super) const STRIPED_FROM: usize = if cfg!(test) { 4 << 10 } else { 64 << 10 };
/// Largest payload of a stripe.
pub(super) const STRIPE_BYTES: usize = if cfg!(test) { 1 << 10 } else { 512 << 10 };

/// A stripe of which its connection has accepted only a part.
struct Stripe {
    wire: [u8; HEADER_BYTES],
    wire_sent: usize,
    /// Position of the next byte in the fragment.
    at: usize,
    left: usize,
}

/// An announced fragment.
struct Announced {
    header: Header,
    is_announced: bool,
    bytes: usize,
    /// Bytes that are cut into stripes.
    cut: usize,
    /// Bytes that the caller knows to be taken. All before them are sent.
    taken: usize,
    /// The bytes behind `taken` of a message whose call has failed, from the byte where it failed.
    kept: Option<(usize, Vec<u8>)>,
}

/// What is on its way to the peer: besides the main connection, at most one announced fragment, and the
/// message that is announced next.
pub(super) struct StripeSender {
    main: SendQueue,
    /// Whether the main connection last had no room.
    main_is_full: bool,
    announced: Option<Announced>,
    next: Option<Header>,
    /// The begun stripe of each connection.
    begun: Vec<Option<Stripe>>,
    /// Number of the next stripe.
    number: u32,
    /// While long messages use the main connection: what tells when to use the lanes.
    need: Option<LaneNeed>,
}

impl StripeSender {
    /// `at_need`: long messages use the main connection until lanes are needed.
    pub fn new(connections: usize, at_need: bool) -> StripeSender {
        StripeSender {
            need: at_need.then(LaneNeed::default),
            main: SendQueue::default(),
            main_is_full: false,
            announced: None,
            next: None,
            begun: (0..connections).map(|_| None).collect(),
            number: 0,
        }
    }

    /// Bytes of the main connection. A receiver that has them has the announcements of all stripes.
    pub fn sent(&self) -> u64 {
        self.main.sent()
    }

    /// See [`super::super::super::Link::send`].
    ///
    /// # Safety
    /// `data` is readable for `bytes` bytes.
    pub unsafe fn send(
        &mut self,
        main: &Socket,
        stripes: &[Socket],
        header: &Header,
        data: *const u8,
        bytes: usize,
    ) -> io::Result<Option<usize>> {
        self.send_kept(stripes)?;
        if !self.is_announced_by(header) {
            let is_long = bytes >= STRIPED_FROM;
            if !is_long || self.main.is_within(header) || self.need.is_some() {
                // SAFETY: the caller vouches for `data`.
                let sent = unsafe { self.main.send(main, header, data, bytes) }?;
                self.main_is_full = sent.is_none();
                if is_long {
                    self.note_long(main, sent.unwrap_or(0));
                }
                return Ok(sent);
            }
            if self.announced.is_some() || self.next.is_some_and(|next| next != *header) {
                self.next.get_or_insert(*header);
                // It waits for stripes, and no small message for it.
                self.main.postpone(header);
                return Ok(None);
            }
        }
        if !self.announce(main, header, bytes)? {
            return Ok(None);
        }
        // SAFETY: the caller vouches for the rest of the message.
        unsafe { self.send_stripes(stripes, data, bytes) }
    }

    /// Notes that the main connection has taken bytes of a long message.
    #[inline]
    fn note_long(&mut self, main: &Socket, bytes: usize) {
        let Some(need) = &mut self.need else { return };
        if need.note_taken(bytes, || main.times()) {
            self.need = None;
            let peer = main.peer_ip().map_or_else(|error| error.to_string(), |ip| ip.to_string());
            log_line!(Debug, "tcp: the path to {peer} holds more than a connection; long messages use lanes");
        }
    }

    fn is_announced_by(&self, header: &Header) -> bool {
        self.announced.as_ref().is_some_and(|fragment| fragment.kept.is_none() && fragment.header == *header)
    }

    /// Announces a fragment, unless that is done. Returns whether stripes may follow.
    fn announce(&mut self, main: &Socket, header: &Header, bytes: usize) -> io::Result<bool> {
        if self.announced.as_ref().is_some_and(|fragment| fragment.is_announced) {
            return Ok(true);
        }
        let bytes = bytes.min(STRIPED_BYTES);
        let state = self.main.announce(main, header, encode_announcement(header, bytes))?;
        self.main_is_full = state != Announcement::Sent;
        if state != Announcement::Refused {
            let new = Announced { header: *header, is_announced: false, bytes, cut: 0, taken: 0, kept: None };
            self.announced.get_or_insert(new).is_announced = state == Announcement::Sent;
            self.next = None;
        }
        Ok(state == Announcement::Sent)
    }

    /// Sends stripes of the announced fragment until its next bytes are taken, or no connection has room.
    ///
    /// # Safety
    /// `data` is the fragment from the first byte that is not taken, readable for `bytes` bytes.
    unsafe fn send_stripes(
        &mut self,
        stripes: &[Socket],
        data: *const u8,
        bytes: usize,
    ) -> io::Result<Option<usize>> {
        let Some(fragment) = &self.announced else { return Ok(None) };
        let (from, all) = (fragment.taken, fragment.bytes);
        let until = all.min(from + bytes);
        loop {
            let mut has_moved = false;
            for (at, socket) in stripes.iter().enumerate() {
                // SAFETY: the caller vouches for `data`, from the byte at `from` to that at `until`.
                let moved = unsafe { self.send_stripe(at, socket, data, from..until) };
                has_moved |= moved.map_err(|error| of_connection(at, stripes.len(), error))?;
            }
            let cut = self.announced.as_ref().map_or(all, |fragment| fragment.cut);
            let end = self.begun.iter().flatten().map(|stripe| stripe.at).min().unwrap_or(cut);
            self.announced.iter_mut().for_each(|fragment| fragment.taken = end);
            self.announced.take_if(|_| end == all);
            if end > from || !has_moved {
                return Ok((end > from).then_some(end - from));
            }
        }
    }

    /// Sends some of the begun stripe of a connection, or of a new one. Returns whether there was room.
    ///
    /// # Safety
    /// `data` is readable, and is this part of the announced fragment.
    unsafe fn send_stripe(
        &mut self,
        at: usize,
        socket: &Socket,
        data: *const u8,
        part: Range<usize>,
    ) -> io::Result<bool> {
        let Some(fragment) = &mut self.announced else { return Ok(false) };
        let begun = self.begun[at].take();
        let is_new = begun.is_none();
        let Some(mut stripe) = begun.or_else(|| fragment.cut_stripe(part.end, self.number)) else {
            return Ok(false);
        };
        let end = stripe.at + stripe.left;
        let offered = end.min(part.end).saturating_sub(stripe.at);
        let wire = &stripe.wire[stripe.wire_sent..];
        let start = data.wrapping_add(stripe.at - part.start);
        // SAFETY: from a byte behind those that are taken to one within the part, for which the caller
        // vouches.
        let sent = unsafe { socket.write_two(wire, start, offered) }?.unwrap_or(0);
        if sent == 0 && is_new {
            // Another connection may have room for it.
            return Ok(false);
        }
        if is_new {
            fragment.cut = end;
            self.number = self.number.wrapping_add(1);
        }
        let of_wire = sent.min(wire.len());
        stripe.wire_sent += of_wire;
        stripe.at += sent - of_wire;
        stripe.left -= sent - of_wire;
        if stripe.left > 0 || stripe.wire_sent < HEADER_BYTES {
            self.begun[at] = Some(stripe);
        }
        Ok(sent > 0)
    }

    /// Sends more of a fragment whose call has failed.
    #[inline]
    fn send_kept(&mut self, stripes: &[Socket]) -> io::Result<()> {
        if self.announced.as_ref().is_some_and(|fragment| fragment.kept.is_some()) {
            self.send_all_kept(stripes)?;
        }
        Ok(())
    }

    #[cold]
    fn send_all_kept(&mut self, stripes: &[Socket]) -> io::Result<()> {
        while let Some(Announced { taken, kept: Some((from, bytes)), .. }) = &self.announced {
            let rest = &bytes[taken - from..];
            let (data, len) = (rest.as_ptr(), rest.len());
            // SAFETY: the rest of a vector that belongs to the fragment. It is dropped with the fragment,
            // once all is sent, and not changed before.
            if unsafe { self.send_stripes(stripes, data, len) }?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// See [`super::super::super::Link::abandon`].
    ///
    /// # Safety
    /// `data` is readable for `bytes` bytes.
    pub unsafe fn abandon(&mut self, header: &Header, data: *const u8, bytes: usize) {
        self.next.take_if(|next| next == header);
        // SAFETY: the caller vouches for `data`.
        unsafe { self.main.abandon(header, data, bytes) };
        if self.is_announced_by(header)
            && let Some(fragment) = &mut self.announced
        {
            let rest = (fragment.bytes - fragment.taken).min(bytes);
            // SAFETY: the caller vouches for `bytes` readable bytes, and `rest` is no more than that; nobody
            // writes them before the call has ended.
            let kept = unsafe { std::slice::from_raw_parts(data, rest) }.to_vec();
            fragment.kept = Some((fragment.taken, kept));
        }
    }

    /// See [`super::super::super::Link::postpone`].
    pub fn postpone(&mut self, header: &Header) -> bool {
        self.next.take_if(|next| next == header);
        self.main.postpone(header) && !self.is_announced_by(header)
    }

    /// See [`super::super::super::Link::is_within_call`].
    pub fn is_within_call(&self, header: &Header) -> bool {
        let is_announced = |fragment: &Announced| fragment.header.is_of_call(header);
        self.main.is_within_call(header) || self.announced.as_ref().is_some_and(is_announced)
    }

    /// Adds the connections whose room messages wait for.
    pub fn watch(&self, main: &Socket, stripes: &[Socket], set: &mut PollSet) {
        let fragment = self.announced.as_ref().filter(|fragment| fragment.is_announced);
        if fragment.is_none() || self.main_is_full {
            set.add(main, Interest::Write);
        }
        let is_cut = fragment.is_none_or(|fragment| fragment.cut == fragment.bytes);
        for (socket, begun) in stripes.iter().zip(&self.begun) {
            if begun.is_some() || !is_cut {
                set.add(socket, Interest::Write);
            }
        }
    }
}

impl Announced {
    /// The next stripe, no further than `until`. It counts as cut only once a part of it is sent.
    fn cut_stripe(&self, until: usize, number: u32) -> Option<Stripe> {
        let mut left = until.saturating_sub(self.cut).min(STRIPE_BYTES);
        if self.cut + left < self.bytes {
            left -= left % FRAGMENT_GRAIN;
        }
        let wire = encode_stripe(number, left);
        (left > 0).then_some(Stripe { wire, wire_sent: 0, at: self.cut, left })
    }
}

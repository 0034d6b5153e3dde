//! The receiving half: announcements come over the main connection, and their bytes in stripes over the
//! others.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

use super::super::super::{Arrival, Header, garbage};
use super::super::recv::{LOOK_BYTES, RecvBuffer};
use super::super::wire::{HEADER_BYTES, stripe_number};
use super::failure::of_connection;
use crate::sys::clock;
use crate::sys::poll::{Interest, PollSet};
use crate::sys::socket::Socket;

/// Most announcements that are taken in before the stripes of the first have come.
const MOST_ANNOUNCED: usize = 64;

/// How long the next stripe may come over another connection after one has ended. The connections of a peer
/// that goes end one after the other, and a packet that was lost twice has come by then.
const OTHER_END_TIME: Duration = Duration::from_secs(3);

/// A fragment whose payload comes in stripes.
struct Announced {
    header: Header,
    /// Payload bytes that are not consumed.
    left: usize,
    /// Whether its receiver has looked at it, or at an earlier fragment of the same conversation.
    is_open: bool,
    /// Position behind its announcement on the main connection.
    position: u64,
}

impl Announced {
    fn is_with(&self, header: &Header) -> bool {
        (self.header.context, self.header.sequence) == (header.context, header.sequence)
    }
}

/// The fragment that `head` has returned last.
#[derive(Clone, Copy)]
enum Head {
    Main,
    /// The announced fragment at this place. Only the first can have bytes.
    Announced(usize),
}

/// What has come from the peer and is not consumed.
pub(super) struct StripeReceiver {
    main: RecvBuffer,
    stripes: Vec<RecvBuffer>,
    announced: VecDeque<Announced>,
    head: Head,
    /// Number of the next stripe.
    number: u32,
    /// The connection that has the next stripe, if it was found.
    found: Option<usize>,
    /// The connection that had the stripe before.
    last: usize,
    /// When a connection was found to have ended, while the next stripe was missed.
    ended_at: Option<Instant>,
}

impl StripeReceiver {
    pub fn new(connections: usize) -> io::Result<StripeReceiver> {
        Ok(StripeReceiver {
            main: RecvBuffer::new()?,
            stripes: (0..connections).map(|_| RecvBuffer::new()).collect::<io::Result<_>>()?,
            announced: VecDeque::new(),
            head: Head::Main,
            number: 0,
            found: None,
            last: connections - 1,
            ended_at: None,
        })
    }

    /// See [`super::super::super::Link::awaits_header`].
    pub fn awaits_header(&self) -> bool {
        self.main.awaits_header() && self.announced.len() < MOST_ANNOUNCED
    }

    /// See [`super::super::super::Link::set_in_turns`].
    pub fn set_in_turns(&mut self, in_turns: bool) {
        self.main.set_in_turns(in_turns);
        self.stripes.iter_mut().for_each(|stripe| stripe.set_in_turns(in_turns));
    }

    /// See [`super::super::super::Link::received`]. An announcement has come once all of its stripes have.
    pub fn received(&self) -> u64 {
        let first = self.announced.front().map(|first| first.position);
        first.or_else(|| self.main.first_announcement()).map_or(self.main.received(), |at| at - 1)
    }

    pub fn arrivals(&self) -> u64 {
        self.main.received() + self.stripes.iter().map(RecvBuffer::received).sum::<u64>()
    }

    pub fn head(&mut self, main: &Socket, stripes: &[Socket]) -> io::Result<Option<Header>> {
        let of_main = self.head_of_main(main);
        self.head = Head::Main;
        if self.announced.is_empty() {
            return of_main;
        }
        match of_main {
            Ok(Some(header)) if self.may_pass(&header) => return Ok(Some(header)),
            // The stripes may have been sent before the end.
            Err(error) if error.kind() != ErrorKind::UnexpectedEof => return Err(error),
            _ => {}
        }
        let at = match self.announced.iter().position(|one| !one.is_open) {
            // The first is shown where it has bytes, and another, at which nobody has looked, meanwhile.
            Some(at) if at > 0 && self.find_stripe(stripes)?.is_none() => at,
            _ => 0,
        };
        self.head = Head::Announced(at);
        Ok(Some(self.announced[at].header))
    }

    /// The fragment at the head of the main connection. Takes in the announcements before it.
    fn head_of_main(&mut self, main: &Socket) -> io::Result<Option<Header>> {
        while self.main.known_head().is_none() {
            if self.announced.len() == MOST_ANNOUNCED || !self.main.look(main, LOOK_BYTES)? {
                return Ok(None);
            }
            let Some((header, left)) = self.main.take_announcement()? else { break };
            let position = self.main.received() - self.main.buffered() as u64;
            let is_open = self.announced.iter().any(|earlier| earlier.is_with(&header));
            self.announced.push_back(Announced { header, left, is_open, position });
        }
        self.main.head(main)
    }

    /// Whether a fragment of the main connection may pass what was announced before it.
    fn may_pass(&self, header: &Header) -> bool {
        self.announced.iter().all(|earlier| earlier.is_open && !earlier.is_with(header))
    }

    /// Finds the connection that has the next stripe.
    fn find_stripe(&mut self, sockets: &[Socket]) -> io::Result<Option<usize>> {
        if self.found.is_some() {
            return Ok(self.found);
        }
        let Some(first) = self.announced.front() else { return Ok(None) };
        let count = sockets.len();
        let (mut ended, mut error) = (0, None);
        // The connections take stripes by turns, where all have room.
        for at in (self.last + 1..count).chain(0..=self.last) {
            let named = |error| of_connection(at, count, error);
            match self.stripes[at].head_within(&sockets[at], HEADER_BYTES) {
                Ok(None) => {}
                Ok(Some(header)) => {
                    let left = self.stripes[at].known_head().map_or(0, |(_, left)| left);
                    let ahead = stripe_number(&header).map_err(named)?.wrapping_sub(self.number);
                    if ahead == 0 && (left == 0 || left > first.left) || ahead.cast_signed() < 0 {
                        return Err(named(garbage("a stripe of another length or number")));
                    }
                    if ahead == 0 {
                        (self.found, self.last, self.ended_at) = (Some(at), at, None);
                        return Ok(self.found);
                    }
                }
                Err(source) if source.kind() == ErrorKind::UnexpectedEof => {
                    ended += 1;
                    error = Some((at, source));
                }
                Err(source) => return Err(named(source)),
            }
        }
        error.map_or(Ok(None), |(at, source)| self.miss_stripe(at, source, ended == count, count))
    }

    /// Decides what it means that the next stripe is missed and a connection has ended.
    fn miss_stripe(
        &mut self,
        at: usize,
        source: io::Error,
        have_all_ended: bool,
        count: usize,
    ) -> io::Result<Option<usize>> {
        if have_all_ended {
            return Err(of_connection(at, count, source));
        }
        // A peer that goes closes all. What it has sent before comes over those that have not ended.
        if clock::since(*self.ended_at.get_or_insert_with(clock::now)) < OTHER_END_TIME {
            return Ok(None);
        }
        let closed =
            io::Error::new(ErrorKind::ConnectionAborted, "the peer closed it, and no other connection");
        Err(of_connection(at, count, closed))
    }

    /// Notes that the fragment at the head is looked at. Returns the connection that has bytes of it.
    fn open(&mut self, at: usize, stripes: &[Socket]) -> io::Result<Option<usize>> {
        let Some(fragment) = self.announced.get_mut(at) else { return Err(garbage("no fragment")) };
        fragment.is_open = true;
        if at == 0 { self.find_stripe(stripes) } else { Ok(None) }
    }

    pub fn arrival(&mut self, main: &Socket, stripes: &[Socket]) -> io::Result<Arrival> {
        let at = match self.head {
            Head::Main => return self.main.arrival(main),
            Head::Announced(at) => at,
        };
        let Some(from) = self.open(at, stripes)? else {
            return Ok(Arrival { data: std::ptr::NonNull::dangling().as_ptr(), bytes: 0, complete: false });
        };
        let arrival = self.stripes[from].arrival(&stripes[from]);
        let arrival = arrival.map_err(|error| of_connection(from, stripes.len(), error))?;
        let is_last = self.announced.front().is_some_and(|first| first.left == arrival.bytes);
        Ok(Arrival { complete: arrival.complete && is_last, ..arrival })
    }

    /// # Safety
    /// `dst` is writable for `bytes` bytes and lies outside of the buffers.
    pub unsafe fn take(
        &mut self,
        main: &Socket,
        stripes: &[Socket],
        dst: *mut u8,
        bytes: usize,
    ) -> io::Result<usize> {
        let at = match self.head {
            // SAFETY: the caller vouches for `dst`.
            Head::Main => return unsafe { self.main.take(main, dst, bytes) },
            Head::Announced(at) => at,
        };
        let Some(from) = self.open(at, stripes)? else { return Ok(0) };
        // SAFETY: the caller vouches for `dst`.
        let taken = unsafe { self.stripes[from].take(&stripes[from], dst, bytes) };
        let taken = taken.map_err(|error| of_connection(from, stripes.len(), error))?;
        self.note_consumed(from, taken);
        Ok(taken)
    }

    pub fn consume(&mut self, bytes: usize) {
        match (self.head, self.found) {
            (Head::Main, _) => self.main.consume(bytes),
            (Head::Announced(0), Some(from)) => {
                self.stripes[from].consume(bytes);
                self.note_consumed(from, bytes);
            }
            (Head::Announced(_), _) => debug_assert_eq!(bytes, 0, "more than the last arrival"),
        }
    }

    /// Notes that bytes of the next stripe are consumed.
    fn note_consumed(&mut self, from: usize, bytes: usize) {
        if self.stripes[from].known_head().is_none() {
            self.found = None;
            self.number = self.number.wrapping_add(1);
        }
        if let Some(first) = self.announced.front_mut() {
            // A stripe is no longer than the rest of its fragment.
            first.left -= bytes;
            if first.left == 0 {
                self.announced.pop_front();
            }
        }
    }

    /// Adds the connections over which something may come. One that has ended is always ready.
    pub fn watch(&self, main: &Socket, stripes: &[Socket], set: &mut PollSet) {
        if self.announced.is_empty() || self.awaits_header() {
            set.add(main, Interest::Read);
        }
        for (at, socket) in stripes.iter().enumerate().filter(|_| !self.announced.is_empty()) {
            let is_watched = match self.found {
                Some(found) => found == at,
                None => self.stripes[at].known_head().is_none(),
            };
            if is_watched {
                set.add(socket, Interest::Read);
            }
        }
    }

    /// Whether everything that has come is consumed.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.announced.is_empty() && self.main.is_empty() && self.stripes.iter().all(RecvBuffer::is_empty)
    }
}

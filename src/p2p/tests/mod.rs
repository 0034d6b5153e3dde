//! Tests of two ranks in one thread, connected by a link that takes little at a time.

mod bounds;
mod noncontiguous;
mod orders;
mod protocol;
mod references;

use std::collections::VecDeque;
use std::io;
use std::os::fd::RawFd;
use std::sync::Arc;

use parking_lot::Mutex;

use super::*;
use crate::base::{Datatype, Rank};
use crate::transport::{Arrival, Header, Link, SingleCopy};

type Queue = Arc<Mutex<VecDeque<(Header, Vec<u8>)>>>;

/// Most fragments that are under way.
const MOST_FRAGMENTS: usize = 4;
const FRAGMENT_BYTES: usize = 50_000;
/// Bytes of a fragment that have arrived when it is looked at.
const PIECE_BYTES: usize = 30_000;

/// One end of a link.
struct SmallLink {
    out: Queue,
    back: Queue,
    consumed: usize,
    /// Whether the sender has ended, so that what it has exposed can no longer be read.
    is_broken: bool,
}

fn link_pair() -> [SmallLink; 2] {
    let (a, b) = (Queue::default(), Queue::default());
    let end = |out: &Queue, back: &Queue| SmallLink {
        out: out.clone(),
        back: back.clone(),
        consumed: 0,
        is_broken: false,
    };
    [end(&a, &b), end(&b, &a)]
}

impl Link for SmallLink {
    unsafe fn send(
        &mut self,
        header: &Header,
        data: *const u8,
        bytes: usize,
        _single_copy: SingleCopy,
    ) -> io::Result<Option<usize>> {
        let mut out = self.out.lock();
        if out.len() == MOST_FRAGMENTS {
            return Ok(None);
        }
        let n = bytes.min(FRAGMENT_BYTES);
        let mut copy = vec![0; n];
        // SAFETY: the caller vouches for `bytes` readable bytes; the vector is new and has `n`.
        unsafe { std::ptr::copy(data, copy.as_mut_ptr(), n) };
        out.push_back((*header, copy));
        Ok(Some(n))
    }

    fn head(&mut self) -> io::Result<Option<Header>> {
        Ok(self.back.lock().front().map(|(header, _)| *header))
    }

    fn arrival(&mut self) -> io::Result<Arrival> {
        let back = self.back.lock();
        let rest = &back.front().unwrap().1[self.consumed..];
        let bytes = rest.len().min(PIECE_BYTES);
        Ok(Arrival { data: rest.as_ptr(), bytes, complete: bytes == rest.len() })
    }

    unsafe fn take(&mut self, dst: *mut u8, bytes: usize, _streamed: bool) -> io::Result<usize> {
        if self.is_broken {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let arrival = self.arrival()?;
        let n = bytes.min(arrival.bytes);
        // SAFETY: `n` bytes have arrived and stay until `consume`; the caller vouches for `dst`.
        unsafe { std::ptr::copy_nonoverlapping(arrival.data, dst, n) };
        self.consume(n)?;
        Ok(n)
    }

    fn consume(&mut self, bytes: usize) -> io::Result<()> {
        self.consumed += bytes;
        let mut back = self.back.lock();
        if self.consumed == back.front().unwrap().1.len() {
            back.pop_front();
            self.consumed = 0;
        }
        Ok(())
    }

    fn descriptor(&self) -> Option<RawFd> {
        None
    }

    fn transport(&self) -> &'static str {
        "small"
    }
}

/// Ranks 0 and 1.
struct Pair {
    sides: [Conversation; 2],
    links: [SmallLink; 2],
}

impl Pair {
    fn new() -> Pair {
        Pair { sides: [0, 1].map(|own| Conversation::new(9, own, 2)), links: link_pair() }
    }

    /// One turn of a rank, if it needs one with the other. Returns whether anything moved.
    fn step(&mut self, rank: usize) -> Result<bool, Fault> {
        let mut watched = Vec::new();
        self.sides[rank].watched(&mut watched);
        let peer = 1 - rank as Rank;
        if !watched.contains(&peer) {
            return Ok(false);
        }
        let pushed = self.sides[rank].push(peer, &mut self.links[rank])?;
        let pulled = self.sides[rank].pull(peer, &mut self.links[rank], Drain::Needed)?;
        assert_eq!(pulled.foreign, None);
        Ok(pushed | pulled.moved)
    }

    /// Makes a rank take in everything although it waits for nothing, as if it were in a collective.
    fn drain(&mut self, rank: usize) {
        let (side, link) = (&mut self.sides[rank], &mut self.links[rank]);
        while side.pull(1 - rank as Rank, link, Drain::Everything).unwrap().moved {}
    }

    /// Gives turns until nothing moves.
    fn settle(&mut self) {
        while self.step(0).unwrap() | self.step(1).unwrap() {}
    }

    fn send(&mut self, from: usize, tag: Tag, data: &[u8]) -> Ticket {
        self.start(from, tag, data, false)
    }

    fn start(&mut self, from: usize, tag: Tag, data: &[u8], is_synchronous: bool) -> Ticket {
        let what = OutgoingMessage {
            to: 1 - from as Rank,
            tag,
            datatype: Datatype::Byte,
            count: data.len() as u64,
            data: data.as_ptr(),
            is_synchronous,
        };
        // SAFETY: the tests keep the data until their end.
        unsafe { self.sides[from].start_send(&what) }
    }

    fn receive(&mut self, at: usize, selector: Selector, room: &mut [u8]) -> Ticket {
        // SAFETY: the tests keep the room until their end, and look at it after the outcome.
        unsafe { self.sides[at].start_receive(selector, buffer(room)) }.unwrap()
    }

    /// The status of an operation that has ended without an error.
    fn status(&mut self, at: usize, ticket: Ticket) -> Option<Status> {
        self.sides[at].take_outcome(ticket).map(|outcome| outcome.unwrap().status)
    }
}

fn buffer(room: &mut [u8]) -> RecvBuffer {
    let (data, count) = (room.as_mut_ptr(), room.len() as u64);
    RecvBuffer { data, datatype: Datatype::Byte, count, is_lenient: false }
}

/// Bytes that depend on `seed`, so that they show where they come from.
fn bytes(seed: usize, len: usize) -> Vec<u8> {
    const PERIOD: usize = 251 * 256;
    let period: Vec<u8> = (0..len.min(PERIOD)).map(|i| (i / 251 * 7 + i + seed * 31) as u8).collect();
    // Copies are made whole, because Miri needs seconds to compute a megabyte.
    let mut all = period.repeat(len.div_ceil(PERIOD));
    all.truncate(len);
    all
}

fn from(source: Rank, tag: Tag) -> Selector {
    Selector::new(Some(source), Some(tag))
}

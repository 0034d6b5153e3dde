//! `tcp`: one non-blocking connection to a peer.
//!
//! A fragment on the wire is a header of 32 bytes and its payload; header and payload leave in one
//! segment. Payload that is to be reduced is read into a buffer of the link and reduced from there; payload that
//! only has to be somewhere is read straight to its place.

use std::io;
use std::os::fd::{AsRawFd, RawFd};

use super::{Arrival, FRAGMENT_GRAIN, Header, Link, garbage};
use crate::sys::socket::Socket;

const HEADER_BYTES: usize = 32;
const MAGIC: u32 = 0x414e_5943;
/// Largest payload of one fragment: large messages let small ones pass between fragments.
const FRAGMENT_BYTES: usize = 1 << 20;
/// What one read takes at most; stays in the L2 cache while it is reduced.
const BUFFER_BYTES: usize = 256 << 10;

/// A fragment of which the socket has taken only a part.
struct Unfinished {
    wire: [u8; HEADER_BYTES],
    wire_sent: usize,
    header: Header,
    payload_left: usize,
}

/// A link over TCP.
pub struct TcpLink {
    socket: Socket,
    unfinished: Option<Unfinished>,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    /// The fragment at the head: its header, and how much of its payload is not consumed.
    head: Option<(Header, usize)>,
}

impl TcpLink {
    /// On a connected, authenticated socket.
    pub fn new(socket: Socket) -> TcpLink {
        let buffer = vec![0; BUFFER_BYTES].into_boxed_slice();
        TcpLink { socket, unfinished: None, buffer, start: 0, end: 0, head: None }
    }

    /// Reads more behind what is buffered. Whether anything came.
    fn fill(&mut self) -> io::Result<bool> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.start > BUFFER_BYTES / 2 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        match self.socket.read(&mut self.buffer[self.end..])? {
            None => Ok(false),
            Some(0) if self.end == BUFFER_BYTES => Ok(false),
            Some(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Some(n) => {
                self.end += n;
                Ok(true)
            }
        }
    }
}

impl Link for TcpLink {
    unsafe fn send(
        &mut self,
        header: &Header,
        data: *const u8,
        bytes: usize,
        _may_lend: bool,
    ) -> io::Result<Option<usize>> {
        let mut unfinished = match self.unfinished.take() {
            // Another message is in the middle of a fragment: its turn first.
            Some(other) if other.header != *header => {
                self.unfinished = Some(other);
                return Ok(None);
            }
            Some(mine) => mine,
            None => {
                let payload = bytes.min(FRAGMENT_BYTES);
                Unfinished {
                    wire: encode(header, payload),
                    wire_sent: 0,
                    header: *header,
                    payload_left: payload,
                }
            }
        };
        let payload = unfinished.payload_left.min(bytes);
        let wire = &unfinished.wire[unfinished.wire_sent..];
        // SAFETY: the caller vouches for `bytes` readable bytes at `data`, of which this offers at most that.
        let sent = unsafe { self.socket.write_two(wire, data, payload) };
        let sent = match sent {
            Ok(Some(n)) => n,
            Ok(None) => 0,
            Err(error) => return Err(error),
        };
        let of_wire = sent.min(wire.len());
        let of_payload = sent - of_wire;
        unfinished.wire_sent += of_wire;
        unfinished.payload_left -= of_payload;
        if unfinished.payload_left > 0 || unfinished.wire_sent < HEADER_BYTES {
            self.unfinished = Some(unfinished);
            return Ok((of_payload > 0).then_some(of_payload));
        }
        Ok(Some(of_payload))
    }

    fn head(&mut self) -> io::Result<Option<Header>> {
        if let Some((header, _)) = self.head {
            return Ok(Some(header));
        }
        while self.end - self.start < HEADER_BYTES {
            if !self.fill()? {
                return Ok(None);
            }
        }
        let wire = &self.buffer[self.start..self.start + HEADER_BYTES];
        let (header, payload) = decode(wire)?;
        self.start += HEADER_BYTES;
        self.head = Some((header, payload));
        Ok(Some(header))
    }

    fn arrival(&mut self) -> io::Result<Arrival> {
        let (_, left) = self.head.ok_or_else(|| garbage("no fragment"))?;
        if self.end - self.start < left {
            self.fill()?;
        }
        let bytes = left.min(self.end - self.start);
        Ok(Arrival { data: self.buffer[self.start..].as_ptr(), bytes, complete: bytes == left })
    }

    unsafe fn take(&mut self, dst: *mut u8, bytes: usize) -> io::Result<usize> {
        let (_, left) = self.head.ok_or_else(|| garbage("no fragment"))?;
        let want = left.min(bytes);
        let buffered = want.min(self.end - self.start);
        if buffered > 0 || want == 0 {
            // SAFETY: `buffered` bytes are in the buffer; the caller vouches for `dst`, which is not ours.
            unsafe { std::ptr::copy_nonoverlapping(self.buffer[self.start..].as_ptr(), dst, buffered) };
            self.consume(buffered);
            return Ok(buffered);
        }
        // SAFETY: the caller vouches for `bytes` writable bytes at `dst`, of which this uses at most that.
        match unsafe { self.socket.read_raw(dst, want) }? {
            None => Ok(0),
            Some(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Some(n) => {
                if n == left {
                    self.head = None;
                } else {
                    self.head = self.head.map(|(header, left)| (header, left - n));
                }
                Ok(n)
            }
        }
    }

    fn consume(&mut self, bytes: usize) {
        let Some((header, left)) = self.head else { return };
        debug_assert!(bytes <= left && bytes <= self.end - self.start);
        self.start += bytes;
        self.head = (bytes < left).then(|| (header, left - bytes));
    }

    fn descriptor(&self) -> Option<RawFd> {
        Some(self.socket.as_raw_fd())
    }

    fn transport(&self) -> &'static str {
        "tcp"
    }
}

fn encode(header: &Header, payload: usize) -> [u8; HEADER_BYTES] {
    let mut wire = [0; HEADER_BYTES];
    wire[0..4].copy_from_slice(&MAGIC.to_le_bytes());
    wire[4..8].copy_from_slice(&(payload as u32).to_le_bytes());
    wire[8..12].copy_from_slice(&header.context.to_le_bytes());
    wire[12..16].copy_from_slice(&header.sequence.to_le_bytes());
    wire[16..24].copy_from_slice(&header.call[0].to_le_bytes());
    wire[24..32].copy_from_slice(&header.call[1].to_le_bytes());
    wire
}

fn decode(wire: &[u8]) -> io::Result<(Header, usize)> {
    let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| wire[at + i]));
    let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| wire[at + i]));
    let payload = word(4) as usize;
    if word(0) != MAGIC || payload > FRAGMENT_BYTES {
        return Err(garbage("a damaged TCP header"));
    }
    Ok((Header { context: word(8), sequence: word(12), call: [long(16), long(24)] }, payload))
}

const _: () = assert!(FRAGMENT_BYTES.is_multiple_of(FRAGMENT_GRAIN));

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    fn pair() -> (TcpLink, TcpLink) {
        let (a, b) = UnixStream::pair().unwrap();
        let link = |s: UnixStream| TcpLink::new(Socket::from_fd(s.into(), true).unwrap());
        (link(a), link(b))
    }

    const HEADER: Header = Header { context: 1, sequence: 2, call: [3, 4] };

    /// Sends `message` and receives it in pieces of at most `piece`, by `take` or in place.
    fn through(message: &[u8], piece: usize, in_place: bool) -> Vec<u8> {
        let (mut a, mut b) = pair();
        let (mut sent, mut got) = (0, Vec::new());
        while got.len() < message.len() {
            let rest = &message[sent..];
            if !rest.is_empty() {
                // SAFETY: a slice is readable for its length.
                sent += unsafe { a.send(&HEADER, rest.as_ptr(), rest.len(), true) }.unwrap().unwrap_or(0);
            }
            if b.head().unwrap() != Some(HEADER) {
                continue;
            }
            if in_place {
                let arrival = b.arrival().unwrap();
                let n = arrival.bytes.min(piece);
                // SAFETY: the arrival is in the link's buffer, which nothing changes before `consume`.
                got.extend_from_slice(unsafe { std::slice::from_raw_parts(arrival.data, n) });
                b.consume(n);
            } else {
                let mut part = vec![0; piece.min(message.len() - got.len())];
                // SAFETY: a vector is writable for its length.
                let n = unsafe { b.take(part.as_mut_ptr(), part.len()) }.unwrap();
                got.extend_from_slice(&part[..n]);
            }
        }
        assert!(a.unfinished.is_none() && b.head.is_none());
        got
    }

    #[test]
    fn messages_larger_than_fragment_buffer_and_socket_arrive_whole() {
        let message: Vec<u8> = (0..3 * FRAGMENT_BYTES + 77).map(|i| (i * 7 + i / 251) as u8).collect();
        for piece in [1000, BUFFER_BYTES, 10 * FRAGMENT_BYTES] {
            for in_place in [false, true] {
                assert!(through(&message, piece, in_place) == message, "piece {piece}, in place {in_place}");
            }
        }
    }

    #[test]
    fn an_empty_message_is_seen_and_goes_away() {
        let (mut a, mut b) = pair();
        // SAFETY: no byte is read.
        assert_eq!(unsafe { a.send(&HEADER, std::ptr::null(), 0, true) }.unwrap(), Some(0));
        assert_eq!(b.head().unwrap(), Some(HEADER));
        b.consume(0);
        assert_eq!(b.head().unwrap(), None);
    }

    #[test]
    fn another_message_waits_while_a_fragment_is_unfinished() {
        let (mut a, _b) = pair();
        let big = vec![1u8; 4 << 20];
        let other = Header { sequence: 9, ..HEADER };
        // SAFETY: a vector is readable for its length.
        let n = unsafe { a.send(&HEADER, big.as_ptr(), big.len(), true) }.unwrap().unwrap();
        assert!(n < FRAGMENT_BYTES, "the socket should not take a whole fragment");
        // SAFETY: as above.
        assert_eq!(unsafe { a.send(&other, big.as_ptr(), 8, true) }.unwrap(), None);
    }

    #[test]
    fn damaged_headers_and_closed_ends_are_errors() {
        let (a, mut b) = pair();
        a.socket.write(&[7; HEADER_BYTES]).unwrap();
        assert_eq!(b.head().unwrap_err().kind(), io::ErrorKind::InvalidData);
        let (a, mut b) = pair();
        drop(a);
        assert_eq!(b.head().unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}

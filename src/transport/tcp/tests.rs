//! Tests of both halves of a link against each other, and of a link against a peer that writes nonsense.

use std::os::unix::net::UnixStream;

use super::recv::{BUFFER_BYTES, LOOK_BYTES};
use super::wire::{FRAGMENT_BYTES, HEADER_BYTES, encode};
use super::*;

const HEADER: Header = Header { context: 1, sequence: 2, call: [3, 4] };
const OTHER: Header = Header { sequence: 9, ..HEADER };

/// Bytes that a socket of `pair` holds: far fewer than a fragment has.
const TINY: usize = 4 << 10;

/// Two ends over sockets with tiny buffers, so that most writes and reads are partial.
fn pair() -> (TcpLink, TcpLink) {
    let (a, b) = UnixStream::pair().unwrap();
    let [a, b] = [a, b].map(|stream| {
        let socket = Socket::from_fd(stream.into(), true).unwrap();
        socket.set_buffers(TINY).unwrap();
        socket
    });
    (TcpLink::new(a).unwrap(), TcpLink::new(b).unwrap())
}

/// A link, and the bare socket at its other end.
fn link_and_socket() -> (TcpLink, Socket) {
    let (a, b) = UnixStream::pair().unwrap();
    let socket = Socket::from_fd(b.into(), true).unwrap();
    (TcpLink::new(Socket::from_fd(a.into(), true).unwrap()).unwrap(), socket)
}

fn message(bytes: usize, seed: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 7 + i / 251 + seed) as u8).collect()
}

/// Offers the rest of a message. Returns the number of bytes taken.
fn offer(link: &mut TcpLink, header: &Header, rest: &[u8]) -> Option<usize> {
    // SAFETY: a slice is readable for its length.
    unsafe { link.send(header, rest.as_ptr(), rest.len(), SingleCopy::Always) }.unwrap()
}

/// How the receiver takes bytes.
#[derive(Clone, Copy, Debug)]
enum By {
    Take,
    Arrival,
    /// The receiver first takes bytes in place, as after a small look, then straight to their place.
    Turns,
}

/// Receives at most `most` bytes of the fragment at the head, if there is one of `header`.
fn receive(link: &mut TcpLink, header: &Header, most: usize, in_place: bool) -> Vec<u8> {
    if link.head().unwrap() != Some(*header) {
        return Vec::new();
    }
    if in_place {
        let arrival = link.arrival().unwrap();
        let n = arrival.bytes.min(most);
        // SAFETY: the arrival is in the link's buffer, which nothing changes before `consume`.
        let part = unsafe { std::slice::from_raw_parts(arrival.data, n) }.to_vec();
        link.consume(n).unwrap();
        return part;
    }
    let mut part = vec![0; most];
    // SAFETY: a vector is writable for its length.
    let n = unsafe { link.take(part.as_mut_ptr(), most, false) }.unwrap();
    part.truncate(n);
    part
}

/// Sends `message` and receives it in pieces of at most `piece`.
fn through(message: &[u8], piece: usize, by: By) -> Vec<u8> {
    let (mut a, mut b) = pair();
    let (mut sent, mut got, mut turn) = (0, Vec::new(), 0);
    while got.len() < message.len() {
        if sent < message.len() {
            sent += offer(&mut a, &HEADER, &message[sent..]).unwrap_or(0);
        }
        turn += 1;
        let in_place = match by {
            By::Take => false,
            By::Arrival => true,
            By::Turns => turn % 3 == 0,
        };
        got.extend(receive(&mut b, &HEADER, piece.min(message.len() - got.len()), in_place));
    }
    assert!(!a.send.is_in_a_fragment() && b.recv.is_empty());
    got
}

#[test]
fn messages_larger_than_fragment_buffer_and_socket_arrive_whole() {
    let message = message(2 * FRAGMENT_BYTES + 77, 1);
    for piece in [1000, BUFFER_BYTES, 10 * FRAGMENT_BYTES] {
        for by in [By::Take, By::Arrival, By::Turns] {
            assert!(through(&message, piece, by) == message, "piece {piece}, by {by:?}");
        }
    }
}

#[test]
fn messages_of_every_length_around_a_limit_arrive_whole() {
    for limit in [1, HEADER_BYTES, 1 << 10, TINY, LOOK_BYTES, BUFFER_BYTES] {
        for bytes in limit.saturating_sub(HEADER_BYTES + 1)..limit + HEADER_BYTES + 1 {
            // Every length near the small limits, a few near the large ones.
            if bytes == 0 || limit > TINY && !bytes.is_multiple_of(16) {
                continue;
            }
            let message = message(bytes, limit);
            for by in [By::Take, By::Arrival] {
                assert!(through(&message, usize::MAX >> 1, by) == message, "{bytes} bytes, by {by:?}");
            }
        }
    }
}

#[test]
fn a_header_that_comes_byte_by_byte_is_read_once_it_is_complete() {
    let (mut link, peer) = link_and_socket();
    let mut wire = encode(&HEADER, 3).to_vec();
    wire.extend(b"abc");
    for (at, byte) in wire.iter().enumerate() {
        assert_eq!(link.head().unwrap().is_some(), at >= HEADER_BYTES, "after {at} bytes");
        peer.write(&[*byte]).unwrap();
    }
    assert_eq!(receive(&mut link, &HEADER, 3, false), b"abc");
    assert!(link.recv.is_empty());
}

#[test]
fn several_messages_of_one_segment_come_out_one_by_one() {
    let (mut link, peer) = link_and_socket();
    let mut wire = Vec::new();
    for (header, text) in [(HEADER, "one"), (OTHER, ""), (HEADER, "three")] {
        wire.extend(encode(&header, text.len()));
        wire.extend(text.bytes());
    }
    peer.write(&wire).unwrap();
    assert_eq!(receive(&mut link, &HEADER, 3, true), b"one");
    assert_eq!(receive(&mut link, &OTHER, 0, false), b"");
    assert_eq!(receive(&mut link, &HEADER, 5, false), b"three");
    assert_eq!(link.head().unwrap(), None);
}

#[test]
fn a_large_fragment_brings_the_next_header_but_none_of_its_payload() {
    let (mut link, peer) = link_and_socket();
    let bytes = LOOK_BYTES + 5000;
    let mut wire = encode(&HEADER, bytes).to_vec();
    wire.extend(message(bytes, 0));
    wire.extend(encode(&OTHER, 100));
    wire.extend(message(100, 5));
    peer.write(&wire).unwrap();
    let mut got = Vec::new();
    while got.len() < bytes {
        got.extend(receive(&mut link, &HEADER, bytes - got.len(), false));
    }
    assert!(got == message(bytes, 0));
    assert_eq!(link.recv.buffered(), HEADER_BYTES);
    assert_eq!(receive(&mut link, &OTHER, 100, false), message(100, 5));
}

#[test]
fn an_empty_message_arrives_and_is_consumed() {
    let (mut a, mut b) = pair();
    // SAFETY: no byte is read.
    assert_eq!(unsafe { a.send(&HEADER, std::ptr::null(), 0, SingleCopy::Always) }.unwrap(), Some(0));
    assert_eq!(b.head().unwrap(), Some(HEADER));
    b.consume(0).unwrap();
    assert_eq!(b.head().unwrap(), None);
}

#[test]
fn another_message_waits_for_the_end_of_the_fragment_and_not_of_the_message() {
    let (mut a, mut b) = pair();
    let (large, small) = (message(3 * FRAGMENT_BYTES, 0), message(8, 1));
    let mut sent = offer(&mut a, &HEADER, &large).unwrap();
    assert!(sent < FRAGMENT_BYTES, "the socket should not take a whole fragment");
    assert_eq!(offer(&mut a, &OTHER, &small), None);
    while a.send.is_in_a_fragment() {
        receive(&mut b, &HEADER, usize::MAX >> 20, true);
        sent += offer(&mut a, &HEADER, &large[sent..]).unwrap_or(0);
    }
    assert_eq!(sent, FRAGMENT_BYTES);
    assert_eq!(offer(&mut a, &HEADER, &large[sent..]), None, "the one that waited is next");
    while offer(&mut a, &OTHER, &small).is_none() {
        receive(&mut b, &HEADER, BUFFER_BYTES, true);
    }
    assert!(offer(&mut a, &HEADER, &large[sent..]).is_some());
    while b.head().unwrap() == Some(HEADER) {
        receive(&mut b, &HEADER, BUFFER_BYTES, true);
    }
    assert_eq!(receive(&mut b, &OTHER, 8, false), small);
}

#[test]
fn a_postponed_message_lets_others_pass_except_in_the_middle_of_a_fragment() {
    let (mut a, mut b) = pair();
    let (large, small) = (message(2 * FRAGMENT_BYTES, 0), message(8, 1));
    let mut sent = offer(&mut a, &HEADER, &large).unwrap();
    assert!(!a.postpone(&HEADER), "a fragment has begun");
    // A refused message goes next. When it is postponed too, the link does not wait for it.
    assert_eq!(offer(&mut a, &OTHER, &small), None);
    assert!(a.postpone(&OTHER));
    while a.send.is_in_a_fragment() {
        receive(&mut b, &HEADER, BUFFER_BYTES, true);
        sent += offer(&mut a, &HEADER, &large[sent..]).unwrap_or(0);
    }
    assert_eq!(sent, FRAGMENT_BYTES);
    assert!(a.postpone(&HEADER), "at the end of a fragment");
    while offer(&mut a, &OTHER, &small).is_none() {
        receive(&mut b, &HEADER, BUFFER_BYTES, true);
    }
    while b.head().unwrap() == Some(HEADER) {
        receive(&mut b, &HEADER, BUFFER_BYTES, true);
    }
    assert_eq!(receive(&mut b, &OTHER, 8, false), small);
    assert!(offer(&mut a, &HEADER, &large[sent..]).is_some(), "it goes on later");
}

#[test]
fn a_message_that_found_no_room_at_all_lets_a_shorter_one_pass() {
    let (mut a, mut b) = pair();
    // Fragments of one byte fill the socket until no header has room.
    let mut filled = 0;
    while offer(&mut a, &HEADER, b"x").is_some() {
        filled += 1;
    }
    assert!(filled > 0 && !a.send.is_in_a_fragment(), "a Unix socket takes so little all at once");
    while filled > 0 {
        filled -= receive(&mut b, &HEADER, 1, false).len();
    }
    assert_eq!(offer(&mut a, &OTHER, b"yz"), Some(2));
    assert_eq!(receive(&mut b, &OTHER, 2, false), b"yz");
}

#[test]
fn damaged_headers_and_closed_ends_are_errors() {
    let (mut link, peer) = link_and_socket();
    peer.write(&[7; HEADER_BYTES]).unwrap();
    assert_eq!(link.head().unwrap_err().kind(), io::ErrorKind::InvalidData);
    let (mut link, peer) = link_and_socket();
    drop(peer);
    assert_eq!(link.head().unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
}

#[test]
fn an_end_in_the_middle_of_a_fragment_is_an_error_after_the_bytes_that_came() {
    let (mut link, peer) = link_and_socket();
    let mut wire = encode(&HEADER, 100).to_vec();
    wire.extend(message(40, 0));
    peer.write(&wire).unwrap();
    drop(peer);
    assert_eq!(receive(&mut link, &HEADER, 100, false), message(40, 0));
    assert_eq!(link.head().unwrap(), Some(HEADER));
    let mut rest = [0; 60];
    // SAFETY: an array is writable for its length.
    let error = unsafe { link.take(rest.as_mut_ptr(), rest.len(), false) }.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    assert_eq!(link.arrival().unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
}

#[test]
fn a_fragment_never_grows_beyond_the_length_in_its_header() {
    let mut seed = 1u64;
    for _ in 0..200 {
        let (mut link, peer) = link_and_socket();
        let mut wire = encode(&HEADER, 24).to_vec();
        wire.extend(message(24, 0));
        for _ in 0..40 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            wire.push((seed >> 56) as u8);
        }
        peer.write(&wire).unwrap();
        assert_eq!(receive(&mut link, &HEADER, usize::MAX >> 40, true), message(24, 0));
        // Forty random bytes are not a header (one in 2^32 has the magic word).
        assert_eq!(link.head().unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}

//! Tests of both halves against each other over sockets that hold little, and against a peer that breaks the
//! protocol or a connection.

use std::io::ErrorKind;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use super::super::wire::{
    FRAGMENT_BYTES, HEADER_BYTES, STRIPED_BYTES, encode, encode_announcement, encode_stripe,
};
use super::send::{STRIPE_BYTES, STRIPED_FROM};
use super::*;
use crate::sys::clock::tests::with_clock;

const HEADER: Header = Header { context: 1, sequence: 2, call: [3, 4] };
const OTHER: Header = Header { sequence: 9, ..HEADER };
const THIRD: Header = Header { context: 5, ..HEADER };

/// Bytes that a socket holds: about as many as a stripe has.
const TINY: usize = 4 << 10;

fn sockets(bytes: usize) -> (Socket, Socket) {
    let (a, b) = UnixStream::pair().unwrap();
    let [a, b] = [a, b].map(|stream| Socket::from_fd(stream.into(), true).unwrap());
    a.set_buffers(bytes).unwrap();
    b.set_buffers(bytes).unwrap();
    (a, b)
}

/// Two ends with connections that hold so many bytes each.
fn pair(stripes: &[usize]) -> (StripedLink, StripedLink) {
    pair_that(false, stripes)
}

/// Like `pair`. `at_need`: the first end uses the main connection for some long messages, and then the lanes.
fn pair_that(at_need: bool, stripes: &[usize]) -> (StripedLink, StripedLink) {
    let (main_a, main_b) = sockets(TINY);
    let (a, b) = stripes.iter().map(|bytes| sockets(*bytes)).unzip();
    (StripedLink::new(main_a, a, at_need).unwrap(), StripedLink::new(main_b, b, false).unwrap())
}

/// A link with three lanes, and the bare sockets at its other end.
fn link_and_sockets() -> (StripedLink, Socket, Vec<Socket>) {
    let (main, peer) = sockets(1 << 16);
    let (stripes, peers) = (0..3).map(|_| sockets(1 << 16)).unzip();
    (StripedLink::new(main, stripes, false).unwrap(), peer, peers)
}

fn message(bytes: usize, seed: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 7 + i / 251 + seed) as u8).collect()
}

/// Offers the rest of a message. Returns the number of bytes taken.
fn offer(link: &mut StripedLink, header: &Header, rest: &[u8]) -> Option<usize> {
    // SAFETY: a slice is readable for its length.
    unsafe { link.send(header, rest.as_ptr(), rest.len(), SingleCopy::Always) }.unwrap()
}

/// Receives what has come of the fragment at the head, if that has this header.
fn receive(link: &mut StripedLink, header: &Header, most: usize, in_place: bool) -> Vec<u8> {
    if link.head().unwrap() != Some(*header) {
        return Vec::new();
    }
    take(link, most, in_place).unwrap()
}

fn take(link: &mut StripedLink, most: usize, in_place: bool) -> io::Result<Vec<u8>> {
    if in_place {
        let arrival = link.arrival()?;
        let n = arrival.bytes.min(most);
        // SAFETY: the arrival is in a buffer of the link, which nothing changes before `consume`.
        let part = unsafe { std::slice::from_raw_parts(arrival.data, n) }.to_vec();
        link.consume(n)?;
        return Ok(part);
    }
    let mut part = vec![0; most];
    // SAFETY: a vector is writable for its length.
    let n = unsafe { link.take(part.as_mut_ptr(), most, false) }?;
    part.truncate(n);
    Ok(part)
}

/// Sends `message` and receives it in pieces of at most `piece`.
fn through((a, b): &mut (StripedLink, StripedLink), message: &[u8], piece: usize, in_place: bool) {
    let (mut sent, mut got) = (0, Vec::new());
    while got.len() < message.len() {
        if sent < message.len() {
            sent += offer(a, &HEADER, &message[sent..]).unwrap_or(0);
        }
        got.extend(receive(b, &HEADER, piece.min(message.len() - got.len()), in_place));
    }
    assert!(got == message, "{} bytes, piece {piece}, in place: {in_place}", message.len());
    assert!(b.recv.is_empty());
    assert_eq!(a.sent(), b.received());
}

#[test]
fn messages_of_all_lengths_arrive_whole_over_any_number_of_connections() {
    for stripes in [&[TINY][..], &[TINY, TINY], &[TINY, 1 << 16, TINY]] {
        let mut links = pair(stripes);
        for limit in [STRIPED_FROM, STRIPED_FROM + STRIPE_BYTES, 8 * STRIPE_BYTES, 300 << 10] {
            for bytes in [limit - 1, limit, limit + 1, limit + 77] {
                for (piece, in_place) in [(1000, false), (1 << 20, false), (1000, true), (1 << 20, true)] {
                    through(&mut links, &message(bytes, limit), piece, in_place);
                }
            }
        }
    }
}

#[test]
fn a_message_during_which_lanes_become_needed_arrives_whole() {
    // The first fragment goes over the main connection.
    for bytes in [FRAGMENT_BYTES + (20 << 10), FRAGMENT_BYTES + 100_001] {
        let mut links = pair_that(true, &[TINY, 1 << 16]);
        through(&mut links, &message(bytes, 1), 1000, false);
        assert!(links.1.arrivals() > links.1.received(), "lanes were used");
        through(&mut links, &message(bytes, 2), 1 << 20, true);
    }
}

#[test]
fn two_long_messages_pass_each_other_while_lanes_become_needed() {
    for seed in 0..8 {
        let (mut a, mut b) = pair_that(true, &[TINY, TINY]);
        let messages = [FRAGMENT_BYTES + 90_000, 70_000 + 1000 * seed].map(|bytes| message(bytes, seed));
        let messages = [(HEADER, &messages[0]), (THIRD, &messages[1])];
        let (mut sent, mut got) = ([0; 2], [Vec::new(), Vec::new()]);
        while (0..2).any(|at| got[at].len() < messages[at].1.len()) {
            for (at, (header, bytes)) in messages.iter().enumerate() {
                if sent[at] < bytes.len() {
                    sent[at] += offer(&mut a, header, &bytes[sent[at]..]).unwrap_or(0);
                }
                got[at].extend(receive(&mut b, header, 5000, seed % 2 == 0));
            }
        }
        assert!((0..2).all(|at| got[at] == *messages[at].1) && b.recv.is_empty());
    }
}

#[test]
fn a_message_that_nobody_takes_does_not_wake_those_who_wait_for_a_header() {
    let (mut a, mut b) = pair(&[1 << 16]);
    offer(&mut a, &HEADER, &message(STRIPED_FROM, 1)).unwrap();
    assert_eq!(b.head().unwrap(), Some(HEADER));
    assert!(b.awaits_header());
    let mut set = PollSet::new();
    b.watch_for_header(&mut set);
    set.look().unwrap();
    assert!(!set.is_any_ready());
    b.watch(Interest::Read, &mut set);
    set.look().unwrap();
    assert!(set.is_any_ready(), "its bytes are there for whoever takes it");
}

#[test]
fn a_message_longer_than_an_announcement_arrives_whole() {
    through(&mut pair(&[1 << 16, 1 << 16]), &message(STRIPED_BYTES + 100, 3), 1 << 20, false);
}

#[test]
fn a_message_that_is_offered_in_parts_arrives_whole() {
    let (mut a, mut b) = pair(&[TINY, TINY]);
    let message = message(100 << 10, 1);
    let (mut sent, mut got) = (0, Vec::new());
    while got.len() < message.len() {
        let part = &message[sent..(sent + 6000).min(message.len())];
        sent += if part.is_empty() { 0 } else { offer(&mut a, &HEADER, part).unwrap_or(0) };
        got.extend(receive(&mut b, &HEADER, 1 << 20, false));
    }
    assert!(got == message);
}

#[test]
fn a_small_message_passes_a_long_one_on_both_sides() {
    let (mut a, mut b) = pair(&[TINY, TINY]);
    let long = message(200 << 10, 1);
    let mut sent = 0;
    while let Some(taken) = offer(&mut a, &HEADER, &long[sent..]) {
        sent += taken;
    }
    assert!(sent < long.len(), "the connections hold less");
    assert_eq!(offer(&mut a, &OTHER, b"small"), Some(5));
    assert_eq!(b.head().unwrap(), Some(HEADER), "nobody has looked at the long message");
    let mut got = take(&mut b, 100, false).unwrap();
    assert_eq!(receive(&mut b, &OTHER, 5, false), b"small");
    // One that comes later passes, too.
    assert_eq!(offer(&mut a, &THIRD, b"third"), Some(5));
    assert_eq!(receive(&mut b, &THIRD, 5, true), b"third");
    while got.len() < long.len() {
        sent += if sent < long.len() { offer(&mut a, &HEADER, &long[sent..]).unwrap_or(0) } else { 0 };
        got.extend(receive(&mut b, &HEADER, 1 << 20, false));
    }
    assert!(got == long);
}

#[test]
fn a_message_does_not_pass_one_of_its_own_conversation() {
    let (mut a, mut b) = pair(&[1 << 16, 1 << 16]);
    let long = message(STRIPED_FROM, 1);
    // Each lane takes one stripe at a time.
    for at in (0..long.len()).step_by(2 * STRIPE_BYTES) {
        assert_eq!(offer(&mut a, &HEADER, &long[at..]), Some(2 * STRIPE_BYTES));
    }
    assert_eq!(offer(&mut a, &HEADER, b"next"), Some(4));
    assert!(a.sent() > b.received());
    let first = receive(&mut b, &HEADER, 100, false);
    assert_eq!(first, long[..100]);
    assert!(b.received() < a.sent(), "the rest of the first message has not come");
    let mut got = first;
    while got.len() < long.len() {
        got.extend(receive(&mut b, &HEADER, long.len() - got.len(), true));
    }
    assert!(got == long);
    assert_eq!(receive(&mut b, &HEADER, 100, false), b"next");
    assert_eq!(b.received(), a.sent());
}

#[test]
fn a_second_long_message_is_shown_while_the_first_has_no_bytes() {
    let (mut link, main, stripes) = link_and_sockets();
    write(&main, &encode_announcement(&HEADER, 100));
    write(&main, &encode_announcement(&OTHER, 50));
    write(&main, &[&encode(&THIRD, 2)[..], b"ok"].concat());
    assert_eq!(link.head().unwrap(), Some(HEADER));
    assert_eq!(take(&mut link, 100, true).unwrap(), b"");
    assert_eq!(link.head().unwrap(), Some(OTHER));
    write(&stripes[2], &[&encode_stripe(0, 100)[..], &message(100, 0)].concat());
    assert_eq!(link.head().unwrap(), Some(HEADER), "it has bytes now");
    assert_eq!(receive(&mut link, &HEADER, 40, false).len(), 40);
    write(&stripes[0], &[&encode_stripe(1, 50)[..], &message(50, 0)].concat());
    assert_eq!(receive(&mut link, &HEADER, 60, false).len(), 60);
    assert_eq!(link.head().unwrap(), Some(OTHER), "nobody has looked at it, so nothing passes it");
    assert_eq!(receive(&mut link, &OTHER, 20, false).len(), 20);
    assert_eq!(receive(&mut link, &THIRD, 2, false), b"ok");
    assert_eq!(receive(&mut link, &OTHER, 50, false).len(), 30);
    assert_eq!(link.head().unwrap(), None);
    assert!(link.recv.is_empty());
}

#[test]
fn a_message_whose_call_has_failed_is_sent_to_its_end_as_far_as_it_was_announced() {
    let (mut a, mut b) = pair(&[TINY, TINY]);
    let long = message(200 << 10, 1);
    let sent = offer(&mut a, &HEADER, &long).unwrap();
    // SAFETY: a slice is readable for its length.
    unsafe { a.abandon(&HEADER, long[sent..].as_ptr(), long.len() - sent) };
    let next = message(20 << 10, 5);
    let (mut sent, mut got, mut others) = (0, Vec::new(), Vec::new());
    while others.len() < next.len() {
        sent += if sent < next.len() { offer(&mut a, &OTHER, &next[sent..]).unwrap_or(0) } else { 0 };
        got.extend(receive(&mut b, &HEADER, 1 << 20, false));
        others.extend(receive(&mut b, &OTHER, 1 << 20, false));
    }
    assert!(got == long && others == next);
}

#[test]
fn a_sleeper_wakes_for_what_comes_and_for_room_and_for_nothing_else() {
    let (mut a, mut b) = pair(&[TINY, TINY]);
    let is_ready = |link: &StripedLink, interest| {
        let mut set = PollSet::new();
        assert!(link.watch(interest, &mut set));
        set.wait(Some(crate::sys::clock::now())).unwrap();
        set.is_any_ready()
    };
    assert!(!is_ready(&b, Interest::Read) && is_ready(&a, Interest::Write));
    let long = message(200 << 10, 1);
    let (mut sent, mut got) = (0, Vec::<u8>::new());
    while got.len() < long.len() {
        while let Some(taken) = (sent < long.len()).then(|| offer(&mut a, &HEADER, &long[sent..])).flatten() {
            sent += taken;
        }
        assert!(sent == long.len() || !is_ready(&a, Interest::Write));
        assert!(is_ready(&b, Interest::Read), "{} bytes have come", got.len());
        while !{
            let part = receive(&mut b, &HEADER, 1 << 20, false);
            got.extend(&part);
            part.is_empty()
        } {}
        assert!(!is_ready(&b, Interest::Read), "{} bytes are taken", got.len());
        assert!(sent == long.len() || is_ready(&a, Interest::Write));
    }
    assert!(got == long);
}

fn write(socket: &Socket, bytes: &[u8]) {
    assert_eq!(socket.write(bytes).unwrap(), Some(bytes.len()));
}

#[test]
fn a_lane_that_is_cut_fails_the_link_by_name_once_no_other_brings_what_is_missed() {
    with_clock(|clock| {
        let (mut link, main, mut stripes) = link_and_sockets();
        write(&main, &encode_announcement(&HEADER, 100));
        drop(stripes.remove(1));
        assert_eq!(link.head().unwrap(), Some(HEADER));
        assert_eq!(take(&mut link, 100, false).unwrap(), b"");
        write(&stripes[0], &[&encode_stripe(0, 40)[..], &message(40, 0)].concat());
        assert_eq!(receive(&mut link, &HEADER, 100, false).len(), 40);
        assert_eq!(take(&mut link, 100, false).unwrap(), b"");
        clock.advance(Duration::from_secs(4));
        let error = take(&mut link, 100, false).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionAborted);
        assert!(error.to_string().contains("lane 2 of 3: the peer closed it"), "{error}");
    });
}

#[test]
fn the_end_of_all_connections_fails_the_link_after_what_came_before() {
    let (mut link, main, stripes) = link_and_sockets();
    write(&main, &encode_announcement(&HEADER, 100));
    write(&stripes[2], &[&encode_stripe(0, 40)[..], &message(40, 0)].concat());
    drop((main, stripes));
    assert_eq!(receive(&mut link, &HEADER, 100, false).len(), 40);
    assert_eq!(link.head().unwrap(), Some(HEADER));
    assert_eq!(take(&mut link, 100, false).unwrap_err().kind(), ErrorKind::UnexpectedEof);
}

#[test]
fn a_send_over_a_lane_that_is_cut_names_it() {
    let (mut link, _main, mut stripes) = link_and_sockets();
    drop(stripes.remove(2));
    let long = message(STRIPED_FROM, 0);
    // SAFETY: a slice is readable for its length.
    let error = unsafe { link.send(&HEADER, long.as_ptr(), long.len(), SingleCopy::Never) }.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    assert!(error.to_string().contains("lane 3 of 3"), "{error}");
}

#[test]
fn stripes_that_were_not_announced_so_are_refused() {
    let nonsense: [&[u8]; 5] = [
        &encode_stripe(0, 101),
        &encode_stripe(0, 0),
        &encode_stripe(u32::MAX, 50),
        &encode(&HEADER, 50),
        &[7; HEADER_BYTES],
    ];
    for wire in nonsense {
        let (mut link, main, stripes) = link_and_sockets();
        write(&main, &encode_announcement(&HEADER, 100));
        write(&stripes[1], wire);
        assert_eq!(link.head().unwrap(), Some(HEADER));
        let error = take(&mut link, 100, false).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(error.to_string().contains("lane 2 of 3"), "{error}");
    }
}

#[test]
fn an_announcement_that_is_damaged_is_refused() {
    for wire in [encode_announcement(&HEADER, STRIPED_BYTES + 1), encode_announcement(&HEADER, 0)] {
        let (mut link, main, _stripes) = link_and_sockets();
        write(&main, &wire);
        assert_eq!(link.head().unwrap_err().kind(), ErrorKind::InvalidData);
    }
}

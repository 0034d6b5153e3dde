//! Tests of a pair of links over one memory, and of a peer that breaks the protocol.

mod exposure;
mod fast_path;

use std::io;

use super::control_line::{Content, Extent, FRAGMENT_BYTES, HALF_FRAGMENT_BYTES};
use super::protocol::Ordering;
use super::*;
use crate::sys::shared_memory::SharedMemory;
use crate::transport::fast_path::{FastPath, FragmentSize, Peek};
use crate::transport::{Header, Link, SingleCopy};

const SLOTS: usize = 32;
const HEADER: Header = Header { context: 1, sequence: 2, call: [3, 4] };

fn pair() -> (ShmLink, ShmLink) {
    let (one, fd) = SharedMemory::create(layout::pair_bytes(SLOTS)).unwrap();
    let two = SharedMemory::open(fd, layout::pair_bytes(SLOTS)).unwrap();
    let this_process = std::process::id() as libc::pid_t;
    let mut lower = ShmLink::new(one, SLOTS, 0, Some(this_process)).unwrap();
    let mut higher = ShmLink::new(two, SLOTS, 1, Some(this_process)).unwrap();
    // Large messages are exposed then.
    lower.set_oversubscribed(true);
    higher.set_oversubscribed(true);
    (lower, higher)
}

fn send(link: &mut ShmLink, bytes: &[u8]) -> Option<usize> {
    // SAFETY: a slice is readable for its length.
    unsafe { link.send(&HEADER, bytes.as_ptr(), bytes.len(), SingleCopy::Never) }.unwrap()
}

fn receive(link: &mut ShmLink) -> Option<Vec<u8>> {
    link.head().unwrap()?;
    let mut bytes = vec![0; link.arrival().unwrap().bytes];
    // SAFETY: a vector is writable for its length.
    assert_eq!(unsafe { link.take(bytes.as_mut_ptr(), bytes.len(), false) }.unwrap(), bytes.len());
    Some(bytes)
}

#[test]
fn fragments_of_every_kind_of_length_arrive_in_both_directions() {
    let (mut a, mut b) = pair();
    for len in [0, 1, 31, 32, 33, 64, 4096, HALF_FRAGMENT_BYTES, FRAGMENT_BYTES - 1, FRAGMENT_BYTES] {
        let bytes: Vec<u8> = (0..len).map(|i| (i * 31 + len) as u8).collect();
        for _ in 0..SLOTS + 3 {
            assert_eq!(send(&mut a, &bytes), Some(len));
            assert_eq!(b.head().unwrap(), Some(HEADER));
            assert_eq!(receive(&mut b).as_ref(), (len > 0).then_some(&bytes).or(Some(&vec![])));
            assert_eq!(send(&mut b, &bytes), Some(len));
            assert!(receive(&mut a).is_some_and(|got| got == bytes));
        }
    }
    assert_eq!(receive(&mut b), None);
}

#[test]
fn long_messages_arrive_whole_among_short_ones_in_either_direction() {
    let (mut a, mut b) = pair();
    for link in [&mut a, &mut b] {
        link.set_oversubscribed(false);
    }
    let long: Vec<u8> = (0..3 << 20).map(|i| (i / 7 % 251) as u8).collect();
    for short in [0, 1, 14, 15, 16, 17, 31, 32, 33, 100] {
        let (mut sent, mut received) = (Vec::new(), Vec::new());
        // Before the long message begins, some short ones are read and reported, some are read and
        // unreported, and some are unread.
        let messages = (0..short).map(|i| vec![i as u8; 5000]).chain([long.clone()]);
        for (i, message) in messages.enumerate() {
            let mut done = 0;
            while done < message.len() {
                match send(&mut a, &message[done..]) {
                    Some(n) => done += n,
                    None => received.extend(receive(&mut b).expect("nobody would ever go on")),
                }
            }
            sent.extend(message);
            if i % 2 == 0 {
                received.extend(receive(&mut b).unwrap_or_default());
            }
        }
        while let Some(bytes) = receive(&mut b) {
            received.extend(bytes);
        }
        assert!(received == sent);
        // One direction carries twice as many messages as the other.
        if short % 2 == 1 {
            std::mem::swap(&mut a, &mut b);
        }
    }
}

#[test]
fn a_full_ring_refuses_until_a_quarter_was_read_or_one_slot_if_the_sender_sleeps() {
    for sleeps in [false, true] {
        let (mut a, mut b) = pair();
        for i in 0..SLOTS {
            assert_eq!(send(&mut a, &[i as u8]), Some(1));
        }
        a.set_sleeping(sleeps);
        let needed = if sleeps { 1 } else { SLOTS / 4 };
        for i in 0..needed {
            assert_eq!(send(&mut a, &[99]), None);
            assert_eq!(receive(&mut b), Some(vec![i as u8]));
        }
        for _ in 0..needed {
            assert_eq!(send(&mut a, &[99]), Some(1));
        }
        assert_eq!(send(&mut a, &[99]), None);
        for expected in (needed..SLOTS).map(|i| i as u8).chain(vec![99; needed]) {
            assert_eq!(receive(&mut b), Some(vec![expected]));
        }
    }
}

#[test]
fn a_sender_that_sleeps_after_a_slot_was_read_is_noticed_at_the_next_slot() {
    let (mut a, mut b) = pair();
    for _ in 0..SLOTS {
        assert_eq!(send(&mut a, &[1]), Some(1));
    }
    assert!(receive(&mut b).is_some() && !b.peer_needs_doorbell());
    a.set_sleeping(true);
    assert_eq!(send(&mut a, &[2]), None);
    assert!(receive(&mut b).is_some() && b.peer_needs_doorbell());
    assert_eq!([send(&mut a, &[2]), send(&mut a, &[2]), send(&mut a, &[2])], [Some(1), Some(1), None]);
}

#[test]
fn only_a_sleeping_peer_needs_the_doorbell_and_only_for_something_new() {
    let (mut a, mut b) = pair();
    send(&mut a, &[1]);
    assert!(!a.peer_is_asleep());
    assert!(!a.peer_needs_doorbell());
    b.set_sleeping(true);
    assert!(!a.peer_is_asleep());
    assert!(!a.peer_needs_doorbell(), "nothing was sent since");
    send(&mut a, &[2]);
    assert!(a.peer_is_asleep(), "and a look does not answer for the doorbell");
    assert!(a.peer_needs_doorbell());
    assert!(!a.peer_is_asleep(), "it was told");
    b.set_sleeping(false);
    a.set_sleeping(true);
    receive(&mut b);
    assert!(b.peer_needs_doorbell(), "a slot was released");
}

#[test]
fn the_distance_of_the_peer_is_sampled_in_long_messages_too() {
    let (mut a, mut b) = pair();
    a.set_oversubscribed(false);
    let message = vec![7; 2 * FRAGMENT_BYTES];
    // SAFETY: a vector is readable for its length.
    let post = |link: &mut ShmLink| unsafe {
        link.post(&HEADER, message.as_ptr(), message.len(), FragmentSize::Full)
    };
    // This is as many buffers as may be in flight; the producer has to look then.
    for _ in 0..layout::quota(SLOTS) / 2 {
        assert_eq!(a.distance.last(), 0);
        assert!(post(&mut a));
        while receive(&mut b).is_some() {}
    }
    assert!(post(&mut a));
    assert_eq!(a.distance.last(), layout::quota(SLOTS) as u64);
}

#[test]
fn the_distance_of_the_peer_is_sampled_even_where_both_sides_send() {
    let (mut a, mut b) = pair();
    for _ in 0..layout::quota(SLOTS) / 4 {
        assert_eq!(a.distance.last(), 0);
        for (from, to) in [(0, 1), (1, 0)] {
            let links = [&mut a, &mut b];
            assert_eq!(send(links[from], &[1; 100]), Some(100));
            assert!(receive(links[to]).is_some());
        }
    }
    assert_eq!(a.distance.last(), (layout::quota(SLOTS) / 4) as u64);
}

#[test]
fn a_long_message_leads_by_so_many_buffers_and_shorter_ones_by_all_that_are_free() {
    let (mut a, mut b) = pair();
    a.set_oversubscribed(false);
    let long = vec![3; 2 * FRAGMENT_BYTES];
    for _ in 0..layout::lead(SLOTS) {
        assert_eq!(send(&mut a, &long), Some(FRAGMENT_BYTES));
    }
    assert_eq!(send(&mut a, &long), None);
    for _ in layout::lead(SLOTS)..layout::quota(SLOTS) {
        assert_eq!(send(&mut a, &long[..HALF_FRAGMENT_BYTES]), Some(HALF_FRAGMENT_BYTES));
    }
    assert_eq!((send(&mut a, &[4; 33]), send(&mut a, &[4; 32])), (None, Some(32)));
    while receive(&mut b).is_some() {}
    assert_eq!(send(&mut a, &long), Some(FRAGMENT_BYTES));
}

#[test]
fn a_fragment_longer_than_its_buffer_or_in_none_of_the_senders_is_an_error() {
    let too_long = Extent { bytes: FRAGMENT_BYTES + 1, buffer: 0 };
    let buffers = layout::quota(SLOTS) as u16;
    let [ours, nobodys] = [buffers, 2 * buffers].map(|buffer| Extent { bytes: 33, buffer });
    for extent in [too_long, ours, nobodys] {
        let (mut a, mut b) = pair();
        send(&mut a, &[1]);
        receive(&mut b);
        send(&mut a, &[1]);
        a.send.ring.line(1).write(&HEADER, Content::Copied(extent).into());
        assert_eq!(b.head().unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert!(matches!(b.peek(&HEADER, 2 * FRAGMENT_BYTES), Peek::SlowPath));
    }
}

//! Tests of messages that are read in the sender's memory, and of a peer that lies about them.

use super::super::cma::{CMA_BYTES, CmaReader};
use super::super::peer_arena::PeerArena;
use super::super::recv_ring::{Fragment, FragmentSource};
use super::super::zero_copy::{PIECE_BYTES, ZERO_COPY_BYTES, ZeroCopy};
use super::*;
use crate::memory::{Arena, Window};
use crate::sys::owned::Owned;
use crate::sys::process_memory::{ProcessStamp, RemoteProcess};

#[test]
fn a_large_message_that_may_be_exposed_is_read_where_it_is() {
    let (mut a, mut b) = pair();
    let message: Vec<u8> = (0..1_000_000u32).map(|i| (i % 251) as u8).collect();
    // Each side has heard from the other once, so it knows whether it can read the other.
    send(&mut a, &[1]);
    send(&mut b, &[2]);
    assert_eq!((receive(&mut a), receive(&mut b)), (Some(vec![2]), Some(vec![1])));
    let expose = |link: &mut ShmLink, from: usize| {
        let rest = &message[from..];
        // SAFETY: the message outlives both links.
        unsafe { link.send(&HEADER, rest.as_ptr(), rest.len(), SingleCopy::Always) }.unwrap()
    };
    assert_eq!(expose(&mut a, 0), None, "nothing is taken before it is read");
    let (mut sent, mut got) = (0, Vec::new());
    while got.len() < message.len() {
        assert_eq!(b.head().unwrap(), Some(HEADER));
        if got.len() % 2 == 0 {
            let arrival = b.arrival().unwrap();
            let n = arrival.bytes.min(100_001);
            // SAFETY: the arrival is in a buffer of the link that nothing changes before `consume`.
            got.extend_from_slice(unsafe { std::slice::from_raw_parts(arrival.data, n) });
            b.consume(n).unwrap();
        } else {
            let mut part = vec![0; 70_000.min(message.len() - got.len())];
            // SAFETY: a vector is writable for its length.
            let n = unsafe { b.take(part.as_mut_ptr(), part.len(), false) }.unwrap();
            got.extend_from_slice(&part[..n]);
        }
        sent += expose(&mut a, sent).expect("something was read");
        assert_eq!(sent, got.len());
    }
    assert!(got == message);
    assert_eq!(b.head().unwrap(), None);
    assert_eq!(send(&mut a, &[7]), Some(1));
    assert_eq!(receive(&mut b), Some(vec![7]));
}

#[test]
fn with_processors_of_their_own_messages_are_exposed_only_where_that_is_asked_for() {
    for (oversubscribed, single_copy, exposed) in [
        (false, SingleCopy::Never, false),
        (false, SingleCopy::MappedOnly, false),
        (false, SingleCopy::IfOversubscribed, false),
        (false, SingleCopy::IfFaster, false),
        (false, SingleCopy::Always, true),
        (true, SingleCopy::Never, false),
        (true, SingleCopy::MappedOnly, false),
        (true, SingleCopy::IfOversubscribed, true),
        (true, SingleCopy::IfFaster, true),
        (true, SingleCopy::Always, true),
    ] {
        let (mut a, mut b) = pair();
        send(&mut b, &[2]);
        receive(&mut a);
        send(&mut a, &[1]);
        receive(&mut b);
        a.set_oversubscribed(oversubscribed);
        let message = vec![0u8; 100_000];
        // SAFETY: the message outlives both links.
        let taken = unsafe { a.send(&HEADER, message.as_ptr(), message.len(), single_copy) }.unwrap();
        assert_eq!(taken.is_none(), exposed, "oversubscribed: {oversubscribed}, {single_copy:?}: {taken:?}");
    }
}

/// Sends a message to a peer that has made `polls` empty polls for it. Returns whether it was exposed.
fn send_to_a_waiting_peer(a: &mut ShmLink, b: &mut ShmLink, message: &[u8], polls: u32) -> bool {
    for _ in 0..polls {
        assert_eq!(b.head().unwrap(), None);
    }
    let (mut sent, mut got, mut was_exposed) = (0, Vec::new(), false);
    while got.len() < message.len() {
        let rest = &message[sent..];
        if !rest.is_empty() && !was_exposed {
            // SAFETY: the message is alive and unchanged until the end of this function.
            let taken = unsafe { a.send(&HEADER, rest.as_ptr(), rest.len(), SingleCopy::IfFaster) }.unwrap();
            was_exposed = taken.is_none();
            sent += taken.unwrap_or(0);
        }
        assert_eq!(b.head().unwrap(), Some(HEADER));
        let mut part = vec![0; message.len() - got.len()];
        // SAFETY: the vector has that many bytes.
        let n = unsafe { b.take(part.as_mut_ptr(), part.len(), false) }.unwrap();
        got.extend_from_slice(&part[..n]);
    }
    if was_exposed {
        // SAFETY: as above.
        let read = unsafe { a.send(&HEADER, message.as_ptr(), message.len(), SingleCopy::IfFaster) };
        assert_eq!(read.unwrap(), Some(message.len()));
    }
    assert!(got == message);
    was_exposed
}

#[test]
fn a_receiver_tries_both_ways_and_states_its_choice_only_while_it_waits() {
    let (mut a, mut b) = pair();
    send(&mut b, &[2]);
    receive(&mut a);
    send(&mut a, &[1]);
    receive(&mut b);
    a.set_oversubscribed(false);
    b.set_oversubscribed(false);
    let message: Vec<u8> = (0..100_000u32).map(|at| (at % 251) as u8).collect();
    let exposed: Vec<bool> = (0..24).map(|_| send_to_a_waiting_peer(&mut a, &mut b, &message, 100)).collect();
    assert_eq!(exposed, [[false; 4], [true; 4]].concat().repeat(3));
    // All later messages go the faster way, and a receiver that has not waited is sent everything at once.
    let ways: Vec<bool> = (0..5).map(|_| send_to_a_waiting_peer(&mut a, &mut b, &message, 100)).collect();
    assert!(ways.iter().all(|way| *way == ways[0]), "{ways:?}");
    b.memory.own_single_copy().preferred.store(u32::MAX, Ordering::Relaxed);
    assert!(!send_to_a_waiting_peer(&mut a, &mut b, &message, 1));
    assert!(!send_to_a_waiting_peer(&mut a, &mut b, &message[..1000], 100));
}

#[test]
fn a_peer_that_counts_more_than_was_exposed_is_found_out() {
    let (mut a, mut b) = pair();
    send(&mut b, &[2]);
    receive(&mut a);
    send(&mut a, &[1]);
    receive(&mut b);
    let message = vec![0u8; 100_000];
    // SAFETY: the message outlives both links.
    let expose =
        |a: &mut ShmLink| unsafe { a.send(&HEADER, message.as_ptr(), message.len(), SingleCopy::Always) };
    assert_eq!(expose(&mut a).unwrap(), None);
    b.recv.ring.bytes_read.store(100_001, Ordering::Relaxed);
    assert_eq!(expose(&mut a).unwrap_err().kind(), io::ErrorKind::InvalidData);
}

#[test]
fn a_message_at_an_unmapped_address_is_an_error() {
    let (mut a, mut b) = pair();
    send(&mut a, &[1]);
    let line = a.send.ring.line(0);
    line.write_location(8, 1 << 20);
    line.write(&HEADER, Content::PeerMemory.into());
    assert_eq!(b.head().unwrap(), Some(HEADER));
    assert!(b.arrival().is_err());
}

#[test]
fn memory_of_the_arena_is_read_from_process_to_process_without_a_copy() {
    let arena = Box::leak(Box::new(Arena::new(None).unwrap()));
    let (mut a, mut b) = pair();
    let bytes = 3 * PIECE_BYTES + 4321;
    let start = arena.allocate(bytes + 100).unwrap().wrapping_add(77);
    for at in 0..bytes {
        // SAFETY: inside of the allocation.
        unsafe { start.wrapping_add(at).write((at % 251) as u8) };
    }
    let expose = |a: &mut ShmLink, from: usize| {
        let rest = start.wrapping_add(from);
        // SAFETY: the message outlives both links.
        unsafe { a.send(&HEADER, rest, bytes - from, SingleCopy::Always) }.unwrap()
    };
    enable(&mut b, Arena::of_this_process().unwrap(), arena);
    assert!(!a.would_zero_copy(start, bytes), "a does not know its own arena");
    enable(&mut a, arena, Arena::of_this_process().unwrap());
    assert!(a.would_zero_copy(start, bytes) && !a.would_zero_copy(&0u8, 1));
    assert_eq!(expose(&mut a, 0), None, "nothing is taken before it is read");
    let (mut sent, mut got) = (0, Vec::new());
    while got.len() < bytes {
        assert_eq!(b.head().unwrap(), Some(HEADER));
        let arrival = b.arrival().unwrap();
        assert!(arrival.bytes <= PIECE_BYTES && arrival.complete == (arrival.bytes == bytes - got.len()));
        let mut part = vec![0; arrival.bytes.min(70_001)];
        if got.len() % 2 == 0 {
            // SAFETY: the window has as many bytes, which nobody writes now.
            unsafe { arrival.data.copy_to_nonoverlapping(part.as_mut_ptr(), part.len()) };
            b.consume(part.len()).unwrap();
        } else {
            // SAFETY: a vector is writable for its length.
            assert_eq!(unsafe { b.take(part.as_mut_ptr(), part.len(), false) }.unwrap(), part.len());
        }
        got.extend(part);
        sent += expose(&mut a, sent).expect("something was read");
        assert_eq!(sent, got.len());
    }
    assert!(got.iter().enumerate().all(|(at, byte)| *byte == (at % 251) as u8));
    assert_eq!(b.head().unwrap(), None);
    assert_eq!(send(&mut a, &[7]), Some(1));
    assert_eq!(receive(&mut b), Some(vec![7]));
}

/// Does what the two sides do when they connect: `link` gets its own arena and the peer's.
fn enable(link: &mut ShmLink, own: &'static Arena, peer: &Arena) {
    link.enable_zero_copy(ZeroCopy::new(own, Window::new(peer.descriptor().try_clone().unwrap()).unwrap()));
}

#[test]
fn memory_of_the_arena_is_not_exposed_before_the_peer_has_mapped_it() {
    let (mut a, b) = pair();
    let own = Arena::of_this_process().unwrap();
    let start = own.allocate(ZERO_COPY_BYTES).unwrap();
    enable(&mut a, own, own);
    assert!(!a.would_zero_copy(start, ZERO_COPY_BYTES));
    b.memory.own_single_copy().has_mapped.store(1, Ordering::Release);
    assert!(a.would_zero_copy(start, ZERO_COPY_BYTES));
    crate::memory::free(start).unwrap();
}

#[test]
fn a_peer_that_has_mapped_the_arena_reads_there_though_its_own_has_not_come() {
    let (mut a, mut b) = pair();
    let own = Arena::of_this_process().unwrap();
    let start = own.allocate(ZERO_COPY_BYTES).unwrap();
    // What opening does on each side.
    a.set_arena(PeerArena::Pending);
    b.set_arena(PeerArena::Pending);
    assert!(!a.would_zero_copy(start, ZERO_COPY_BYTES));
    b.take_file(Some(Owned::new(own.descriptor().try_clone().unwrap()))).unwrap();
    assert!(a.would_zero_copy(start, ZERO_COPY_BYTES) && a.awaits_arena());
    assert!(!b.would_zero_copy(start, ZERO_COPY_BYTES), "a has not mapped it");
    crate::memory::free(start).unwrap();
}

#[test]
fn after_each_receive_the_next_send_out_of_its_buffer_is_copied() {
    let (mut a, mut b) = pair();
    a.set_oversubscribed(false);
    let own = Arena::of_this_process().unwrap();
    let bytes = FRAGMENT_BYTES + 100;
    let start = own.allocate(bytes).unwrap();
    enable(&mut a, own, own);
    b.memory.own_single_copy().has_mapped.store(1, Ordering::Release);
    for _ in 0..2 {
        assert!(a.would_zero_copy(start, bytes));
        assert_eq!(send(&mut b, &[7; 100]), Some(100));
        assert_eq!(a.head().unwrap(), Some(HEADER));
        // SAFETY: the end of the allocation is writable.
        assert_eq!(unsafe { a.take(start.wrapping_add(FRAGMENT_BYTES), 100, false) }.unwrap(), 100);
        assert!(!a.would_zero_copy(start, bytes));
        for (from, sent) in [(0, FRAGMENT_BYTES), (FRAGMENT_BYTES, 100)] {
            let rest = start.wrapping_add(from);
            // SAFETY: the allocation outlives both links.
            let now = unsafe { a.send(&HEADER, rest, bytes - from, SingleCopy::IfOversubscribed) }.unwrap();
            assert_eq!(now, Some(sent), "not exposed");
        }
        while receive(&mut b).is_some() {}
    }
    crate::memory::free(start).unwrap();
}

#[test]
fn a_zero_copy_outside_of_the_peers_memory_or_from_nowhere_is_an_error() {
    let arena = Box::leak(Box::new(Arena::new(None).unwrap()));
    let len = crate::sys::shared_memory::sealed_size(arena.descriptor()).unwrap();
    for (offset, bytes) in [(len, 1), (0, len + 1), (len - 1, 2), (u64::MAX, 1), (1, u64::MAX)] {
        let (mut a, mut b) = pair();
        enable(&mut b, Arena::of_this_process().unwrap(), arena);
        lie(&mut a, offset, bytes);
        assert_eq!(b.head().unwrap_err().kind(), io::ErrorKind::InvalidData, "{offset} {bytes}");
    }
    let (mut a, mut b) = pair();
    lie(&mut a, 0, 1);
    assert_eq!(b.head().unwrap_err().kind(), io::ErrorKind::InvalidData);
}

/// Exposes a message that the sender has invented.
fn lie(link: &mut ShmLink, offset: u64, bytes: u64) {
    send(link, &[1]);
    let line = link.send.ring.line(0);
    line.write_location(offset, bytes as usize);
    line.write(&HEADER, Content::ZeroCopy.into());
}

#[test]
fn reading_exposed_memory_that_was_freed_crashes_no_rank() {
    let arena = Box::leak(Box::new(Arena::new(None).unwrap()));
    let (mut a, mut b) = pair();
    enable(&mut a, arena, Arena::of_this_process().unwrap());
    enable(&mut b, Arena::of_this_process().unwrap(), arena);
    let bytes = 8 << 20;
    let start = arena.allocate(bytes).unwrap();
    // SAFETY: readable, even when it is free.
    assert_eq!(unsafe { a.send(&HEADER, start, bytes, SingleCopy::Always) }.unwrap(), None);
    assert!(arena.free(start).unwrap());
    let mut got = vec![1; bytes];
    let mut done = 0;
    while done < bytes {
        assert_eq!(b.head().unwrap(), Some(HEADER));
        // SAFETY: the rest of a vector.
        done += unsafe { b.take(got[done..].as_mut_ptr(), bytes - done, false) }.unwrap();
    }
    assert!(got.iter().all(|byte| *byte == 0));
}

#[test]
fn bytes_of_another_process_at_the_exposed_address_are_neither_taken_nor_reduced() {
    let long = vec![7u8; 2 * CMA_BYTES];
    for reduces in [false, true] {
        let (mut a, mut b) = pair();
        // Each side has now tried whether it can read the other.
        send(&mut a, &[1]).and(receive(&mut b)).unwrap();
        send(&mut b, &[1]).and(receive(&mut a)).unwrap();
        // SAFETY: the data outlives the links.
        let sent = unsafe { a.send(&HEADER, long.as_ptr(), long.len(), SingleCopy::Always) }.unwrap();
        assert_eq!((sent, b.head().unwrap()), (None, Some(HEADER)));
        assert!(matches!(b.recv.head, Some(Fragment { source: FragmentSource::PeerMemory(_), .. })));
        // This looks as if the sender had ended and this process had its number. Only the stamp differs.
        let (pid, mut stamp) = (b.cma.peer.unwrap(), ProcessStamp::of_this_process().unwrap());
        stamp.value ^= 2;
        b.cma.reader = Some(CmaReader::new(RemoteProcess::new(pid, stamp)));
        let error = if reduces {
            b.arrival().unwrap_err()
        } else {
            let mut room = vec![0; long.len()];
            // SAFETY: a vector is writable for its length.
            unsafe { b.take(room.as_mut_ptr(), room.len(), false) }.unwrap_err()
        };
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}

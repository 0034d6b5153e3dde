//! A pair of links over one memory, and a peer that breaks the rules.

use super::layout::{Extent, FINE_BYTES, FRAGMENT_BYTES};
use super::zero_copy::ZERO_COPY_BYTES;
use super::*;
use crate::memory::{Arena, Window};
use crate::sys::process_memory::{ProcessStamp, RemoteProcess};
use crate::sys::shared_memory::SharedMemory;

const SLOTS: usize = 32;
const HEADER: Header = Header { context: 1, sequence: 2, call: [3, 4] };

fn pair() -> (ShmLink, ShmLink) {
    let (one, fd) = SharedMemory::create(layout::pair_bytes(SLOTS)).unwrap();
    let two = SharedMemory::open(fd, layout::pair_bytes(SLOTS)).unwrap();
    let this_process = std::process::id() as libc::pid_t;
    let mut lower = ShmLink::new(one, SLOTS, 0, Some(this_process)).unwrap();
    let mut higher = ShmLink::new(two, SLOTS, 1, Some(this_process)).unwrap();
    // So that large messages are lent.
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
    for len in [0, 1, 31, 32, 33, 64, 4096, FINE_BYTES, FRAGMENT_BYTES - 1, FRAGMENT_BYTES] {
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
fn long_messages_arrive_whole_between_and_behind_short_ones_whichever_way_most_go() {
    let (mut a, mut b) = pair();
    for link in [&mut a, &mut b] {
        link.set_oversubscribed(false);
    }
    let long: Vec<u8> = (0..3 << 20).map(|i| (i / 7 % 251) as u8).collect();
    for short in [0, 1, 14, 15, 16, 17, 31, 32, 33, 100] {
        let (mut sent, mut received) = (Vec::new(), Vec::new());
        // Some of them are read, and told of or not, some are not, before the long one begins.
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
        // Twice the one way, once the other.
        if short % 2 == 1 {
            std::mem::swap(&mut a, &mut b);
        }
    }
}

#[test]
fn a_full_ring_takes_nothing_and_goes_on_when_a_quarter_was_read_or_one_slot_if_it_sleeps() {
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
fn whoever_goes_to_sleep_after_a_slot_was_read_is_found_with_the_next_one() {
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
fn only_a_sleeping_peer_wants_the_bell_and_only_for_news() {
    let (mut a, mut b) = pair();
    send(&mut a, &[1]);
    assert!(!a.peer_is_asleep());
    assert!(!a.peer_needs_doorbell());
    b.set_sleeping(true);
    assert!(!a.peer_is_asleep());
    assert!(!a.peer_needs_doorbell(), "nothing was sent since");
    send(&mut a, &[2]);
    assert!(a.peer_is_asleep(), "and a look does not answer for the bell");
    assert!(a.peer_needs_doorbell());
    assert!(!a.peer_is_asleep(), "it was told");
    b.set_sleeping(false);
    a.set_sleeping(true);
    receive(&mut b);
    assert!(b.peer_needs_doorbell(), "a slot was released");
}

#[test]
fn a_large_message_that_may_be_lent_is_read_where_it_is() {
    let (mut a, mut b) = pair();
    let message: Vec<u8> = (0..1_000_000u32).map(|i| (i % 251) as u8).collect();
    // Each side has heard the other once, and so knows whether it can read it.
    send(&mut a, &[1]);
    send(&mut b, &[2]);
    assert_eq!((receive(&mut a), receive(&mut b)), (Some(vec![2]), Some(vec![1])));
    let lend = |link: &mut ShmLink, from: usize| {
        let rest = &message[from..];
        // SAFETY: the message outlives both links.
        unsafe { link.send(&HEADER, rest.as_ptr(), rest.len(), SingleCopy::Always) }.unwrap()
    };
    assert_eq!(lend(&mut a, 0), None, "nothing is taken before it is read");
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
        sent += lend(&mut a, sent).expect("something was read");
        assert_eq!(sent, got.len());
    }
    assert!(got == message);
    assert_eq!(b.head().unwrap(), None);
    assert_eq!(send(&mut a, &[7]), Some(1));
    assert_eq!(receive(&mut b), Some(vec![7]));
}

#[test]
fn with_processors_of_their_own_messages_are_offered_only_where_that_is_asked_for() {
    for (oversubscribed, single_copy, offered) in [
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
        assert_eq!(taken.is_none(), offered, "oversubscribed: {oversubscribed}, {single_copy:?}: {taken:?}");
    }
}

/// Sends a message to a peer that has looked for it in vain so often; whether it was offered.
fn send_to_one_who_waits(a: &mut ShmLink, b: &mut ShmLink, message: &[u8], looks: u32) -> bool {
    for _ in 0..looks {
        assert_eq!(b.head().unwrap(), None);
    }
    let (mut sent, mut got, mut was_offered) = (0, Vec::new(), false);
    while got.len() < message.len() {
        let rest = &message[sent..];
        if !rest.is_empty() && !was_offered {
            // SAFETY: the message is alive and unchanged until the end of this function.
            let taken = unsafe { a.send(&HEADER, rest.as_ptr(), rest.len(), SingleCopy::IfFaster) }.unwrap();
            was_offered = taken.is_none();
            sent += taken.unwrap_or(0);
        }
        assert_eq!(b.head().unwrap(), Some(HEADER));
        let mut part = vec![0; message.len() - got.len()];
        // SAFETY: the vector has that many bytes.
        let n = unsafe { b.take(part.as_mut_ptr(), part.len(), false) }.unwrap();
        got.extend_from_slice(&part[..n]);
    }
    if was_offered {
        // SAFETY: as above.
        let read = unsafe { a.send(&HEADER, message.as_ptr(), message.len(), SingleCopy::IfFaster) };
        assert_eq!(read.unwrap(), Some(message.len()));
    }
    assert!(got == message);
    was_offered
}

#[test]
fn who_waits_for_messages_tries_both_ways_and_says_so_but_only_while_it_waits() {
    let (mut a, mut b) = pair();
    send(&mut b, &[2]);
    receive(&mut a);
    send(&mut a, &[1]);
    receive(&mut b);
    a.set_oversubscribed(false);
    b.set_oversubscribed(false);
    let message: Vec<u8> = (0..100_000u32).map(|at| (at % 251) as u8).collect();
    let offered: Vec<bool> = (0..24).map(|_| send_to_one_who_waits(&mut a, &mut b, &message, 100)).collect();
    assert_eq!(offered, [[false; 4], [true; 4]].concat().repeat(3));
    // Whichever was faster: from now on one of them, and who has not waited is sent everything at once.
    let ways: Vec<bool> = (0..5).map(|_| send_to_one_who_waits(&mut a, &mut b, &message, 100)).collect();
    assert!(ways.iter().all(|way| *way == ways[0]), "{ways:?}");
    b.word32(layout::fetches(1)).store(u32::MAX, Ordering::Relaxed);
    assert!(!send_to_one_who_waits(&mut a, &mut b, &message, 1));
    assert!(!send_to_one_who_waits(&mut a, &mut b, &message[..1000], 100));
}

#[test]
fn a_peer_that_counts_more_than_was_offered_is_found_out() {
    let (mut a, mut b) = pair();
    send(&mut b, &[2]);
    receive(&mut a);
    send(&mut a, &[1]);
    receive(&mut b);
    let message = vec![0u8; 100_000];
    // SAFETY: the message outlives both links.
    let offer =
        |a: &mut ShmLink| unsafe { a.send(&HEADER, message.as_ptr(), message.len(), SingleCopy::Always) };
    assert_eq!(offer(&mut a).unwrap(), None);
    b.word64(layout::ring(0) + layout::FETCHED).store(100_001, Ordering::Relaxed);
    assert_eq!(offer(&mut a).unwrap_err().kind(), io::ErrorKind::InvalidData);
}

#[test]
fn an_offer_of_memory_that_is_not_there_is_an_error() {
    let (mut a, mut b) = pair();
    send(&mut a, &[1]);
    let line = layout::ring(0) + layout::line(0);
    a.word32(line + 4).store(layout::OFFER, Ordering::Relaxed);
    a.word64(line + 32).store(8, Ordering::Relaxed);
    a.word64(line + 40).store(1 << 20, Ordering::Relaxed);
    assert_eq!(b.head().unwrap(), Some(HEADER));
    assert!(b.arrival().is_err());
}

#[test]
fn memory_of_the_arena_is_lent_from_process_to_process_without_a_copy() {
    let arena = Box::leak(Box::new(Arena::new(None).unwrap()));
    let (mut a, mut b) = pair();
    let bytes = 3 * PIECE_BYTES + 4321;
    let start = arena.allocate(bytes + 100).unwrap().wrapping_add(77);
    for at in 0..bytes {
        // SAFETY: inside of the allocation.
        unsafe { start.wrapping_add(at).write((at % 251) as u8) };
    }
    let lend = |a: &mut ShmLink, from: usize| {
        let rest = start.wrapping_add(from);
        // SAFETY: the message outlives both links.
        unsafe { a.send(&HEADER, rest, bytes - from, SingleCopy::Always) }.unwrap()
    };
    share(&mut b, Arena::of_this_process().unwrap(), arena);
    assert!(!a.lends(start, bytes), "a does not know its own arena");
    share(&mut a, arena, Arena::of_this_process().unwrap());
    assert!(a.lends(start, bytes) && !a.lends(&0u8, 1));
    assert_eq!(lend(&mut a, 0), None, "nothing is taken before it is read");
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
        sent += lend(&mut a, sent).expect("something was read");
        assert_eq!(sent, got.len());
    }
    assert!(got.iter().enumerate().all(|(at, byte)| *byte == (at % 251) as u8));
    assert_eq!(b.head().unwrap(), None);
    assert_eq!(send(&mut a, &[7]), Some(1));
    assert_eq!(receive(&mut b), Some(vec![7]));
}

#[test]
fn how_far_the_peer_is_shows_in_long_messages_too() {
    let (mut a, mut b) = pair();
    a.set_oversubscribed(false);
    let message = vec![7; 2 * FRAGMENT_BYTES];
    // SAFETY: a vector is readable for its length.
    let post = |link: &mut ShmLink| unsafe {
        link.post(&HEADER, message.as_ptr(), message.len(), FragmentSize::Full)
    };
    // As many areas as may be under way; then the producer has to look.
    for _ in 0..layout::share(SLOTS) / 2 {
        assert_eq!(a.distance.last, 0);
        assert!(post(&mut a));
        while receive(&mut b).is_some() {}
    }
    assert!(post(&mut a));
    assert_eq!(a.distance.last, layout::share(SLOTS) as u64);
}

#[test]
fn how_far_the_peer_is_shows_where_both_send_and_none_has_to_look() {
    let (mut a, mut b) = pair();
    for _ in 0..layout::share(SLOTS) / 4 {
        assert_eq!(a.distance.last, 0);
        for (from, to) in [(0, 1), (1, 0)] {
            let links = [&mut a, &mut b];
            assert_eq!(send(links[from], &[1; 100]), Some(100));
            assert!(receive(links[to]).is_some());
        }
    }
    assert_eq!(a.distance.last, (layout::share(SLOTS) / 4) as u64);
}

#[test]
fn a_long_message_leads_by_so_many_areas_and_shorter_ones_by_all_that_are_free() {
    let (mut a, mut b) = pair();
    a.set_oversubscribed(false);
    let long = vec![3; 2 * FRAGMENT_BYTES];
    for _ in 0..layout::lead(SLOTS) {
        assert_eq!(send(&mut a, &long), Some(FRAGMENT_BYTES));
    }
    assert_eq!(send(&mut a, &long), None);
    for _ in layout::lead(SLOTS)..layout::share(SLOTS) {
        assert_eq!(send(&mut a, &long[..FINE_BYTES]), Some(FINE_BYTES));
    }
    assert_eq!((send(&mut a, &[4; 33]), send(&mut a, &[4; 32])), (None, Some(32)));
    while receive(&mut b).is_some() {}
    assert_eq!(send(&mut a, &long), Some(FRAGMENT_BYTES));
}

/// What the two sides do when they connect: `link` knows its own arena and has the peer's.
fn share(link: &mut ShmLink, own: &'static Arena, peer: &Arena) {
    link.share(Arenas::new(own, Window::new(peer.descriptor().try_clone().unwrap()).unwrap()));
}

#[test]
fn memory_of_the_arena_is_not_lent_before_the_peer_has_mapped_it() {
    let (mut a, b) = pair();
    let own = Arena::of_this_process().unwrap();
    let start = own.allocate(ZERO_COPY_BYTES).unwrap();
    share(&mut a, own, own);
    assert!(!a.lends(start, ZERO_COPY_BYTES));
    b.word32(layout::can_map(1)).store(1, Ordering::Release);
    assert!(a.lends(start, ZERO_COPY_BYTES));
    crate::memory::free(start).unwrap();
}

#[test]
fn what_goes_back_to_where_it_came_from_goes_through_slots_once_for_each_time_it_came() {
    let (mut a, mut b) = pair();
    a.set_oversubscribed(false);
    let own = Arena::of_this_process().unwrap();
    let bytes = FRAGMENT_BYTES + 100;
    let start = own.allocate(bytes).unwrap();
    share(&mut a, own, own);
    b.word32(layout::can_map(1)).store(1, Ordering::Release);
    for _ in 0..2 {
        assert!(a.lends(start, bytes));
        assert_eq!(send(&mut b, &[7; 100]), Some(100));
        assert_eq!(a.head().unwrap(), Some(HEADER));
        // SAFETY: the end of the allocation is writable.
        assert_eq!(unsafe { a.take(start.wrapping_add(FRAGMENT_BYTES), 100, false) }.unwrap(), 100);
        assert!(!a.lends(start, bytes));
        for (from, sent) in [(0, FRAGMENT_BYTES), (FRAGMENT_BYTES, 100)] {
            let rest = start.wrapping_add(from);
            // SAFETY: the allocation outlives both links.
            let now = unsafe { a.send(&HEADER, rest, bytes - from, SingleCopy::IfOversubscribed) }.unwrap();
            assert_eq!(now, Some(sent), "not lent");
        }
        while receive(&mut b).is_some() {}
    }
    crate::memory::free(start).unwrap();
}

#[test]
fn a_loan_outside_of_the_peers_memory_or_from_nowhere_is_an_error() {
    let arena = Box::leak(Box::new(Arena::new(None).unwrap()));
    let len = crate::sys::shared_memory::sealed_size(arena.descriptor()).unwrap();
    for (offset, bytes) in [(len, 1), (0, len + 1), (len - 1, 2), (u64::MAX, 1), (1, u64::MAX)] {
        let (mut a, mut b) = pair();
        share(&mut b, Arena::of_this_process().unwrap(), arena);
        lie(&mut a, offset, bytes);
        assert_eq!(b.head().unwrap_err().kind(), io::ErrorKind::InvalidData, "{offset} {bytes}");
    }
    let (mut a, mut b) = pair();
    lie(&mut a, 0, 1);
    assert_eq!(b.head().unwrap_err().kind(), io::ErrorKind::InvalidData);
}

/// Sends a loan that the sender has made up.
fn lie(link: &mut ShmLink, offset: u64, bytes: u64) {
    send(link, &[1]);
    let line = layout::ring(0) + layout::line(0);
    link.word64(line + 32).store(offset, Ordering::Relaxed);
    link.word64(line + 40).store(bytes, Ordering::Relaxed);
    link.word32(line + 4).store(layout::LOAN, Ordering::Relaxed);
}

#[test]
fn memory_that_is_freed_while_it_is_lent_reads_as_something_and_nobody_crashes() {
    let arena = Box::leak(Box::new(Arena::new(None).unwrap()));
    let (mut a, mut b) = pair();
    share(&mut a, arena, Arena::of_this_process().unwrap());
    share(&mut b, Arena::of_this_process().unwrap(), arena);
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
fn a_fragment_longer_than_its_area_or_in_none_of_the_senders_is_an_error() {
    let too_long = Extent { bytes: FRAGMENT_BYTES + 1, area: 0 };
    let areas = layout::share(SLOTS) as u16;
    let [ours, nobodys] = [areas, 2 * areas].map(|area| Extent { bytes: 33, area });
    for extent in [too_long, ours, nobodys] {
        let (mut a, mut b) = pair();
        send(&mut a, &[1]);
        receive(&mut b);
        send(&mut a, &[1]);
        a.word32(layout::ring(0) + layout::line(1) + 4).store(extent.encode(), Ordering::Relaxed);
        assert_eq!(b.head().unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert!(matches!(b.peek(&HEADER, 2 * FRAGMENT_BYTES), Peek::SlowPath));
    }
}

/// What `peek` gives, as often as it has something, of a message of `most` bytes; and whether it then says that the rest is
/// unusual.
fn peek_all(link: &mut ShmLink, most: usize) -> (Vec<usize>, bool) {
    let (mut lens, mut left) = (Vec::new(), most);
    loop {
        match link.peek(&HEADER, left) {
            Peek::Data(_, bytes) => {
                link.release();
                lens.push(bytes);
                left -= bytes;
                if left == 0 {
                    return (lens, false);
                }
            }
            Peek::Empty => return (lens, false),
            Peek::SlowPath => return (lens, true),
        }
    }
}

#[test]
fn a_posted_message_comes_whole_or_not_at_all_in_fragments_of_its_cut() {
    let (mut a, mut b) = pair();
    for link in [&mut a, &mut b] {
        link.set_oversubscribed(false);
    }
    // Whoever sleeps gets each slot back at once.
    a.set_sleeping(true);
    // A link looks at its peer when the first fragment is there.
    assert_eq!(send(&mut a, &[1]), Some(1));
    assert!(receive(&mut b).is_some());
    let bytes = vec![7; layout::share(SLOTS) * FRAGMENT_BYTES];
    let post = |a: &mut ShmLink, len: usize, cut| {
        // SAFETY: a vector is readable for its length, which is more.
        unsafe { a.post(&HEADER, bytes.as_ptr(), len, cut) }
    };
    for _ in 0..3 {
        assert!(post(&mut a, 0, FragmentSize::Half) && post(&mut a, FRAGMENT_BYTES + 1, FragmentSize::Full));
        assert_eq!(peek_all(&mut b, 0), (vec![0], false));
        assert_eq!(peek_all(&mut b, FRAGMENT_BYTES + 1), (vec![FRAGMENT_BYTES, 1], false));
        assert!(post(&mut a, FRAGMENT_BYTES + 1, FragmentSize::Half));
        assert_eq!(peek_all(&mut b, FRAGMENT_BYTES + 1), (vec![FINE_BYTES, FINE_BYTES, 1], false));
    }
    // These were nine areas. The peer has not given any back.
    let left = layout::share(SLOTS) - 9;
    let whole = |areas: usize| vec![FRAGMENT_BYTES; areas];
    assert!(!post(&mut a, (left + 1) * FRAGMENT_BYTES, FragmentSize::Full));
    assert!(!post(&mut a, (left + 1) * FINE_BYTES, FragmentSize::Half));
    assert!(post(&mut a, left * FRAGMENT_BYTES, FragmentSize::Full));
    assert!(
        !post(&mut a, INLINE_BYTES + 1, FragmentSize::Half) && post(&mut a, INLINE_BYTES, FragmentSize::Half)
    );
    assert_eq!(peek_all(&mut b, left * FRAGMENT_BYTES), (whole(left), false));
    assert_eq!(peek_all(&mut b, INLINE_BYTES), (vec![INLINE_BYTES], false));
    // Now it has.
    assert!(post(&mut a, 8 * FINE_BYTES, FragmentSize::Half));
    assert_eq!(peek_all(&mut b, 8 * FINE_BYTES), (vec![FINE_BYTES; 8], false));
    // As many slots as there are, and no more.
    for _ in 0..SLOTS {
        assert!(post(&mut a, 0, FragmentSize::Half));
    }
    assert!(!post(&mut a, 0, FragmentSize::Half) && !post(&mut a, FRAGMENT_BYTES, FragmentSize::Full));
    for _ in 0..SLOTS {
        assert_eq!(peek_all(&mut b, 0), (vec![0], false));
    }
    // More than was to come is somebody else's mistake, for the long way to tell.
    assert!(post(&mut a, FINE_BYTES, FragmentSize::Full));
    assert_eq!(peek_all(&mut b, FINE_BYTES - 1), (vec![], true));
}

#[test]
fn what_another_process_has_at_the_offered_address_is_neither_taken_nor_reduced() {
    let long = vec![7u8; 2 * OFFER_BYTES];
    for reduces in [false, true] {
        let (mut a, mut b) = pair();
        // So that each has tried whether it can read the other.
        send(&mut a, &[1]).and(receive(&mut b)).unwrap();
        send(&mut b, &[1]).and(receive(&mut a)).unwrap();
        // SAFETY: the data outlives the links.
        let sent = unsafe { a.send(&HEADER, long.as_ptr(), long.len(), SingleCopy::Always) }.unwrap();
        assert_eq!((sent, b.head().unwrap()), (None, Some(HEADER)));
        assert!(matches!(b.head, Some(Head { place: Place::Offered(_), .. })));
        // As if the sender had ended and this process had its number: all is where it was but the stamp.
        let (pid, mut stamp) = (b.peer.unwrap(), ProcessStamp::of_this_process().unwrap());
        stamp.value ^= 2;
        b.reader = Some(CmaReader::new(RemoteProcess::new(pid, stamp)));
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

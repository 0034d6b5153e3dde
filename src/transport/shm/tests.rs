//! A pair of links over one memory, and a peer that breaks the rules.

use super::*;
use crate::sys::shared_memory::SharedMemory;

const HEADER: Header = Header { context: 1, sequence: 2, call: [3, 4] };

fn pair() -> (ShmLink, ShmLink) {
    let (one, fd) = SharedMemory::create(layout::PAIR_BYTES).unwrap();
    let two = SharedMemory::open(fd, layout::PAIR_BYTES).unwrap();
    (ShmLink::new(one, 0), ShmLink::new(two, 1))
}

fn send(link: &mut ShmLink, bytes: &[u8]) -> Option<usize> {
    // SAFETY: a slice is readable for its length.
    unsafe { link.send(&HEADER, bytes.as_ptr(), bytes.len()) }.unwrap()
}

fn receive(link: &mut ShmLink) -> Option<Vec<u8>> {
    link.head().unwrap()?;
    let mut bytes = vec![0; link.arrival().unwrap().bytes];
    // SAFETY: a vector is writable for its length.
    assert_eq!(unsafe { link.take(bytes.as_mut_ptr(), bytes.len()) }.unwrap(), bytes.len());
    Some(bytes)
}

#[test]
fn fragments_of_every_kind_of_length_arrive_in_both_directions() {
    let (mut a, mut b) = pair();
    for len in [0, 1, 31, 32, 33, 64, 4096, SLOT_BYTES - 1, SLOT_BYTES] {
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
fn a_full_ring_takes_nothing_and_goes_on_when_one_slot_is_free() {
    let (mut a, mut b) = pair();
    for i in 0..SLOTS {
        assert_eq!(send(&mut a, &[i as u8]), Some(1));
    }
    assert_eq!(send(&mut a, &[99]), None);
    assert_eq!(receive(&mut b), Some(vec![0]));
    assert_eq!(send(&mut a, &[99]), Some(1));
    for expected in (1..SLOTS as u8).chain([99]) {
        assert_eq!(receive(&mut b), Some(vec![expected]));
    }
}

#[test]
fn only_a_sleeping_peer_wants_the_bell_and_only_for_news() {
    let (mut a, mut b) = pair();
    send(&mut a, &[1]);
    assert!(!a.peer_wants_bell());
    b.set_sleeping(true);
    assert!(!a.peer_wants_bell(), "nothing was sent since");
    send(&mut a, &[2]);
    assert!(a.peer_wants_bell());
    b.set_sleeping(false);
    a.set_sleeping(true);
    receive(&mut b);
    assert!(b.peer_wants_bell(), "a slot was released");
}

#[test]
fn a_fragment_longer_than_its_slot_is_an_error() {
    let (mut a, mut b) = pair();
    send(&mut a, &[1]);
    let length = layout::ring(0) + layout::line(0) + 4;
    a.word32(length).store(SLOT_BYTES as u32 + 1, Ordering::Relaxed);
    assert_eq!(b.head().unwrap_err().kind(), io::ErrorKind::InvalidData);
}

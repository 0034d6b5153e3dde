//! Every interleaving of two threads, by loom (crate `anyccl-models`).

use super::*;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

const SLOTS: usize = 2;

/// The first fragment takes the whole ring, the others a slot each.
fn slots_of(value: u32) -> usize {
    if value == 1 { SLOTS } else { 1 }
}

struct Ring {
    turns: [AtomicU32; SLOTS],
    data: [UnsafeCell<u32>; SLOTS],
    consumed: AtomicU64,
}

#[test]
fn every_fragment_is_read_once_and_in_order() {
    loom::model(|| {
        let ring = Arc::new(Ring {
            turns: std::array::from_fn(|_| AtomicU32::new(0)),
            data: std::array::from_fn(|_| UnsafeCell::new(0)),
            consumed: AtomicU64::new(0),
        });
        let theirs = Arc::clone(&ring);
        let producer = thread::spawn(move || {
            let mut end = Producer::new(SLOTS);
            for value in 1..=3u32 {
                // One of them goes when there is room for it, as messages of several fragments do.
                while value == 3 && !end.has_room(&theirs.consumed, 1).unwrap() {
                    thread::yield_now();
                }
                let most = slots_of(value);
                let slot = end.next_slot();
                while end.free_slots(&theirs.consumed, most).unwrap() < most {
                    thread::yield_now();
                }
                for slot in slot..slot + most {
                    // SAFETY: the slot is the producer's; loom reports any concurrent access.
                    theirs.data[slot].with_mut(|cell| unsafe { *cell = value });
                }
                end.publish(&theirs.turns[slot], most);
            }
        });
        let mut end = Consumer::new(SLOTS);
        for value in 1..=3u32 {
            let slot = end.slot();
            while !end.is_filled(&ring.turns[slot]) {
                thread::yield_now();
            }
            for slot in slot..slot + slots_of(value) {
                // SAFETY: the slot is the consumer's; loom reports any concurrent access.
                assert_eq!(ring.data[slot].with(|cell| unsafe { *cell }), value);
            }
            assert!(end.release(&ring.consumed, slots_of(value), false), "more than a quarter");
        }
        producer.join().unwrap();
    });
}

#[test]
fn no_area_is_filled_again_before_it_was_read() {
    const SLOTS: usize = 4;
    // The first and the last one have the same area.
    const FRAGMENTS: u32 = 3;
    loom::model(|| {
        let turns: [AtomicU32; SLOTS] = std::array::from_fn(|_| AtomicU32::new(0));
        let areas: [UnsafeCell<u32>; SLOTS] = std::array::from_fn(|_| UnsafeCell::new(0));
        let ring = Arc::new((turns, areas, AtomicU64::new(0)));
        let theirs = Arc::clone(&ring);
        let producer = thread::spawn(move || {
            let (turns, areas, consumed) = &*theirs;
            let mut end = Producer::new(SLOTS);
            for value in 0..FRAGMENTS {
                let slot = end.next_slot();
                assert!(end.fold(consumed, 1).unwrap());
                while end.free_slots(consumed, 1).unwrap() == 0 {
                    thread::yield_now();
                }
                // SAFETY: the area is the producer's; loom reports any concurrent access.
                areas[area(slot, true)].with_mut(|cell| unsafe { *cell = value });
                end.publish(&turns[slot], 1);
            }
        });
        let (turns, areas, consumed) = &*ring;
        let mut end = Consumer::new(SLOTS);
        for value in 0..FRAGMENTS {
            let slot = end.slot();
            while !end.is_filled(&turns[slot]) {
                thread::yield_now();
            }
            end.note_folded();
            // SAFETY: the area is the consumer's; loom reports any concurrent access.
            assert_eq!(areas[area(slot, true)].with(|cell| unsafe { *cell }), value);
            assert!(end.release(consumed, 1, false));
        }
        producer.join().unwrap();
    });
}

#[test]
fn a_sleeper_is_woken_or_sees_the_fragment() {
    loom::model(|| {
        let shared = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
        let theirs = Arc::clone(&shared);
        let publisher = thread::spawn(move || {
            theirs.0.store(1, Ordering::Release);
            must_wake(&theirs.1)
        });
        announce_sleep(&shared.1);
        let seen = shared.0.load(Ordering::Acquire) == 1;
        assert!(publisher.join().unwrap() || seen);
    });
}

#[test]
fn whoever_sleeps_for_a_slot_is_woken_or_sees_one() {
    const SLOTS: usize = 8;
    loom::model(|| {
        let shared = Arc::new((AtomicU64::new(0), AtomicU32::new(0)));
        let theirs = Arc::clone(&shared);
        // It reads all of a full ring.
        let consumer = thread::spawn(move || {
            let (consumed, sleeping) = &*theirs;
            let mut end = Consumer::new(SLOTS);
            let mut has_woken = false;
            for _ in 0..SLOTS {
                let is_asleep = sleeping.load(Ordering::Relaxed) != 0;
                has_woken |= end.release(consumed, 1, is_asleep) && must_wake(sleeping);
            }
            has_woken
        });
        let (consumed, sleeping) = &*shared;
        let mut end = Producer::new(SLOTS);
        let turn = AtomicU32::new(0);
        for _ in 0..SLOTS {
            end.publish(&turn, 1);
        }
        announce_sleep(sleeping);
        let sees_one = end.free_slots(consumed, 1).unwrap() > 0;
        assert!(consumer.join().unwrap() || sees_one);
    });
}

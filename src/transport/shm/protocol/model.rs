//! Model of the ring: loom runs every interleaving of two threads (crate `anyccl-models`).

use super::*;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

const SLOTS: usize = 2;

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
                while !end.has_room(&theirs.consumed, 1).unwrap() {
                    thread::yield_now();
                }
                let slot = end.next_slot();
                // SAFETY: the slot is the producer's; loom reports any concurrent access.
                theirs.data[slot].with_mut(|cell| unsafe { *cell = value });
                end.publish(&theirs.turns[slot], false);
            }
        });
        let mut end = Consumer::new(SLOTS, SLOTS);
        for value in 1..=3u32 {
            let slot = end.slot();
            while !end.is_filled(&ring.turns[slot]) {
                thread::yield_now();
            }
            // SAFETY: the slot is the consumer's; loom reports any concurrent access.
            assert_eq!(ring.data[slot].with(|cell| unsafe { *cell }), value);
            assert!(end.release(&ring.consumed, false, false), "more than a quarter");
        }
        producer.join().unwrap();
    });
}

#[test]
fn a_slot_that_the_reply_reports_as_consumed_is_free() {
    const SLOTS: usize = 1;
    loom::model(|| {
        // The turns of both rings, the consumed count of the first in its own word and in the reply, and its
        // data.
        let words = (AtomicU32::new(0), AtomicU32::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let shared = Arc::new((words, UnsafeCell::new(0)));
        let theirs = Arc::clone(&shared);
        let replier = thread::spawn(move || {
            let ((there, back, consumed, told), data) = &*theirs;
            let (mut end, mut reply) = (Consumer::new(SLOTS, SLOTS), Producer::new(SLOTS));
            for value in 1..=2 {
                while !end.is_filled(there) {
                    thread::yield_now();
                }
                // SAFETY: the slot is the consumer's; loom reports any concurrent access.
                assert_eq!(data.with(|cell| unsafe { *cell }), value);
                let _ = end.release(consumed, true, false);
                if value == 1 {
                    told.store(end.consumed(), Ordering::Relaxed);
                    reply.publish(back, true);
                }
            }
        });
        let ((there, back, _, told), data) = &*shared;
        let (mut end, replies) = (Producer::new(SLOTS), Consumer::new(SLOTS, SLOTS));
        for value in 1..=2 {
            if value == 2 {
                while !replies.is_filled(back) {
                    thread::yield_now();
                }
                assert!(end.must_look_for(1) && end.buffers_in_flight() == 1);
                end.note_consumed(told.load(Ordering::Relaxed)).unwrap();
            }
            assert!(!end.must_look_for(1) && end.buffers_in_flight() == 0);
            // SAFETY: the slot is the producer's; loom reports any concurrent access.
            data.with_mut(|cell| unsafe { *cell = value });
            end.publish(there, true);
        }
        replier.join().unwrap();
    });
}

#[test]
fn a_sleeper_is_woken_or_sees_the_fragment() {
    loom::model(|| {
        let shared = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
        announce_awake(&shared.1);
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
fn a_side_that_opens_its_end_late_is_rung_or_sees_the_fragment() {
    loom::model(|| {
        let shared = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
        let theirs = Arc::clone(&shared);
        let publisher = thread::spawn(move || {
            theirs.0.store(1, Ordering::Release);
            must_wake(&theirs.1)
        });
        announce_awake(&shared.1);
        announce_sleep(&shared.1);
        let seen = shared.0.load(Ordering::Acquire) == 1;
        assert!(publisher.join().unwrap() || seen);
    });
}

#[test]
fn a_producer_that_sleeps_for_a_slot_is_woken_or_sees_one() {
    const SLOTS: usize = 8;
    loom::model(|| {
        let shared = Arc::new((AtomicU64::new(0), AtomicU32::new(1)));
        let theirs = Arc::clone(&shared);
        // The consumer reads all of a full ring.
        let consumer = thread::spawn(move || {
            let (consumed, awake) = &*theirs;
            let mut end = Consumer::new(SLOTS, SLOTS);
            let mut has_woken = false;
            for _ in 0..SLOTS {
                has_woken |= end.release(consumed, false, is_asleep(awake)) && must_wake(awake);
            }
            has_woken
        });
        let (consumed, awake) = &*shared;
        let mut end = Producer::new(SLOTS);
        let turn = AtomicU32::new(0);
        for _ in 0..SLOTS {
            end.publish(&turn, false);
        }
        announce_sleep(awake);
        let sees_one = end.has_room(consumed, 1).unwrap();
        assert!(consumer.join().unwrap() || sees_one);
    });
}

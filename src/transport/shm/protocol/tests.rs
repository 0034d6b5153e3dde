//! Both ends on one thread.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;

#[test]
fn a_full_ring_gives_no_slot_until_one_is_released() {
    let (turns, consumed) = ([AtomicU32::new(0), AtomicU32::new(0)], AtomicU64::new(0));
    let (mut producer, mut consumer) = (Producer::new(2), Consumer::new(2));
    for _ in 0..5 {
        while producer.free_slots(&consumed, 1).unwrap() > 0 {
            producer.publish(&turns[producer.next_slot()], 1);
        }
        assert!(consumer.is_filled(&turns[consumer.slot()]));
        assert!(consumer.release(&consumed, 1, true));
        assert!(consumer.is_filled(&turns[consumer.slot()]));
        assert!(consumer.release(&consumed, 1, true));
        assert!(!consumer.is_filled(&turns[consumer.slot()]));
    }
}

#[test]
fn slots_come_back_a_quarter_of_the_ring_at_a_time_or_at_once() {
    let consumed = AtomicU64::new(0);
    let mut consumer = Consumer::new(16);
    let mut release = |slots, is_waiting| {
        (consumer.release(&consumed, slots, is_waiting), consumed.load(Ordering::Relaxed))
    };
    assert_eq!(
        [release(1, false), release(2, false), release(1, false)],
        [(false, 0), (false, 0), (true, 4)]
    );
    assert_eq!([release(3, false), release(1, true), release(2, false)], [(false, 4), (true, 8), (false, 8)]);
    assert_eq!(release(2, false), (true, 12));
}

#[test]
fn slots_of_folded_fragments_come_back_sooner() {
    let consumed = AtomicU64::new(0);
    let mut consumer = Consumer::new(128);
    let mut read = |slots, is_folded| {
        if is_folded {
            consumer.note_folded();
        }
        consumer.release(&consumed, slots, false)
    };
    assert!(!read(20, false) && read(1, true), "a quarter of FOLD and more");
    assert!(!read(2, true) && !read(5, false) && read(1, false), "until they are given back");
    assert!(!read(31, false) && read(1, false), "a quarter of the ring");
}

#[test]
fn slots_of_one_fragment_lie_side_by_side_and_go_together() {
    let turns: [AtomicU32; 4] = std::array::from_fn(|_| AtomicU32::new(0));
    let consumed = AtomicU64::new(0);
    let (mut producer, mut consumer) = (Producer::new(4), Consumer::new(4));
    let mut fill = |most: usize| {
        let slots = producer.free_slots(&consumed, most).unwrap();
        if slots > 0 {
            producer.publish(&turns[producer.next_slot()], slots);
        }
        slots
    };
    let mut read = |slots: usize| {
        assert!(consumer.is_filled(&turns[consumer.slot()]));
        assert!(consumer.release(&consumed, slots, true));
        consumer.is_filled(&turns[consumer.slot()])
    };
    assert_eq!((fill(1), fill(2), fill(2)), (1, 2, 1), "not past the end of the ring");
    assert_eq!(fill(1), 0);
    assert!(read(1) && read(2));
    assert_eq!((fill(2), fill(2)), (2, 1), "no more than what is free");
    assert!(read(1) && read(2));
    assert!(!read(1), "the slot passed over keeps its turn of an earlier lap");
}

#[test]
fn there_is_room_for_as_many_fragments_as_slots_are_released() {
    let (turn, consumed) = (AtomicU32::new(0), AtomicU64::new(0));
    let mut producer = Producer::new(4);
    for _ in 0..3 {
        assert!(producer.has_room(&consumed, 1).unwrap());
        producer.publish(&turn, 1);
    }
    assert!(!producer.has_room(&consumed, 2).unwrap());
    consumed.store(1, Ordering::Relaxed);
    assert!(producer.has_room(&consumed, 2).unwrap() && !producer.has_room(&consumed, 3).unwrap());
    consumed.store(4, Ordering::Relaxed);
    assert_eq!(producer.has_room(&consumed, 4), Err(Spoilt));
}

/// What is done next in a ring.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Send { most: usize, folds: bool },
    Read,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let send = |folds| (1..=2usize).prop_map(move |most| Deed::Send { most, folds });
    // Of one kind for a while.
    let run = |deed: BoxedStrategy<Deed>| prop::collection::vec(deed, 0..80);
    let runs = prop_oneof![
        run(send(false).boxed()),
        run(send(true).boxed()),
        run(Just(Deed::Read).boxed()),
        run(prop_oneof![send(false), send(true), Just(Deed::Read)].boxed()),
    ];
    prop::collection::vec(runs, 0..20).prop_map(|runs| runs.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn no_two_fragments_share_an_area_and_who_has_read_all_keeps_nobody_waiting(
        deeds in deeds(), slots in prop_oneof![Just(32usize), Just(64), Just(128)],
    ) {
        let (turn, consumed) = (AtomicU32::new(0), AtomicU64::new(0));
        let (mut producer, mut consumer) = (Producer::new(slots), Consumer::new(slots));
        let mut unread = VecDeque::new();
        let mut is_taken = vec![false; slots];
        for deed in deeds {
            match deed {
                Deed::Send { most, folds } => {
                    let is_folded = folds && producer.fold(&consumed, most).unwrap();
                    let n = producer.free_slots(&consumed, most).unwrap();
                    prop_assert!(n > 0 || !unread.is_empty(), "nobody would ever go on");
                    if n > 0 {
                        let slot = producer.next_slot();
                        let areas = area(slot, is_folded)..area(slot, is_folded) + n;
                        for area in areas.clone() {
                            prop_assert!(!std::mem::replace(&mut is_taken[area], true));
                        }
                        producer.publish(&turn, n);
                        unread.push_back((areas, is_folded));
                    }
                }
                Deed::Read => if let Some((areas, is_folded)) = unread.pop_front() {
                    if is_folded {
                        consumer.note_folded();
                    }
                    let _ = consumer.release(&consumed, areas.len(), false);
                    areas.for_each(|area| is_taken[area] = false);
                }
            }
        }
    }
}

#[test]
fn a_consumer_that_counts_too_far_is_found_out() {
    let mut producer = Producer::new(2);
    let turn = AtomicU32::new(0);
    for _ in 0..2 {
        producer.free_slots(&AtomicU64::new(0), 1).unwrap();
        producer.publish(&turn, 1);
    }
    assert_eq!(producer.free_slots(&AtomicU64::new(3), 1), Err(Spoilt));
}

//! Tests of the protocol: both ends on one thread.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;

/// Both ends of a ring of `slots` slots, the turn of a slot, and the count of consumed slots.
fn ends(slots: usize) -> (Producer, Consumer, AtomicU32, AtomicU64) {
    (Producer::new(slots), Consumer::new(slots, slots), AtomicU32::new(0), AtomicU64::new(0))
}

#[test]
fn a_full_ring_gives_no_slot_until_one_is_released() {
    let (turns, consumed) = ([AtomicU32::new(0), AtomicU32::new(0)], AtomicU64::new(0));
    let (mut producer, mut consumer) = (Producer::new(2), Consumer::new(2, 2));
    for _ in 0..5 {
        while producer.has_room(&consumed, 1).unwrap() {
            producer.publish(&turns[producer.next_slot()], false);
        }
        assert!(consumer.is_filled(&turns[consumer.slot()]));
        assert!(consumer.release(&consumed, false, true));
        assert!(consumer.is_filled(&turns[consumer.slot()]));
        assert!(consumer.release(&consumed, false, true));
        assert!(!consumer.is_filled(&turns[consumer.slot()]));
    }
}

#[test]
fn the_producer_learns_of_released_slots_after_a_quarter_of_the_ring_or_of_the_lead_or_at_once() {
    let consumed = AtomicU64::new(0);
    let mut consumer = Consumer::new(16, 8);
    let mut release = |has_buffer, is_waiting| {
        (consumer.release(&consumed, has_buffer, is_waiting), consumed.load(Ordering::Relaxed))
    };
    let slots = [(); 4].map(|()| release(false, false));
    assert_eq!(slots, [(false, 0), (false, 0), (false, 0), (true, 4)]);
    let buffers = [true, false, true].map(|has_buffer| release(has_buffer, false));
    assert_eq!(buffers, [(false, 4), (false, 4), (true, 7)]);
    assert_eq!([release(true, true), release(true, false)], [(true, 8), (false, 8)]);
    assert_eq!([release(true, false), release(true, false)], [(true, 10), (false, 10)]);
}

#[test]
fn there_is_room_for_as_many_fragments_as_slots_are_released() {
    let (mut producer, _, turn, consumed) = ends(4);
    for _ in 0..3 {
        assert!(producer.has_room(&consumed, 1).unwrap());
        producer.publish(&turn, false);
    }
    assert!(!producer.has_room(&consumed, 2).unwrap());
    consumed.store(1, Ordering::Relaxed);
    assert!(producer.has_room(&consumed, 2).unwrap() && !producer.has_room(&consumed, 3).unwrap());
    consumed.store(4, Ordering::Relaxed);
    assert_eq!(producer.has_room(&consumed, 4), Err(CorruptRing));
}

#[test]
fn a_consumer_that_counts_too_far_is_found_out_and_one_that_counts_back_is_not_believed() {
    let (mut producer, _, turn, consumed) = ends(2);
    producer.publish(&turn, true);
    producer.publish(&turn, true);
    assert_eq!(producer.note_consumed(2), Ok(()));
    assert_eq!((producer.look(&consumed), producer.note_consumed(1)), (Ok(()), Ok(())));
    assert_eq!(producer.buffers_in_flight(), 0);
    assert_eq!(
        (producer.note_consumed(3), producer.look(&AtomicU64::new(3))),
        (Err(CorruptRing), Err(CorruptRing))
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 500 }) })]

    /// Steps. `Some` sends a fragment, with a buffer or without. `None` reads one; now and then the producer
    /// learns of it.
    #[test]
    fn buffers_in_flight_are_those_that_the_producer_does_not_know_to_be_read(
        deeds in prop::collection::vec((prop::option::of(any::<bool>()), any::<bool>()), 0..200),
    ) {
        let (mut producer, mut consumer, turn, consumed) = ends(8);
        let mut unheard = VecDeque::new();
        let mut unread = 0;
        for (sends, hears) in deeds {
            match sends {
                Some(has_buffer) => if producer.has_room(&consumed, 1).unwrap() {
                    producer.publish(&turn, has_buffer);
                    unheard.push_back(has_buffer);
                    unread += 1;
                }
                None => if unread > 0 {
                    let has_buffer = unheard[unheard.len() - unread];
                    let _ = consumer.release(&consumed, has_buffer, false);
                    unread -= 1;
                }
            }
            if hears {
                producer.note_consumed(consumer.consumed()).unwrap();
                unheard.drain(..unheard.len() - unread);
            }
            let exact = unheard.iter().filter(|has_buffer| **has_buffer).count();
            let read = unheard.iter().rev().take(unread).filter(|has_buffer| **has_buffer).count();
            // A look at the consumed count may have told the producer more.
            prop_assert!((read..=exact).contains(&producer.buffers_in_flight()));
            prop_assert!(!hears || producer.buffers_in_flight() == exact);
        }
    }
}

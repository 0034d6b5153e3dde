//! The lock-free part of the shared-memory ring: whose turn is a slot?
//!
//! A ring has `slots` slots, used in order, one producer, one consumer; position k is slot k mod slots in lap k div slots. A
//! fragment takes one slot, or several side by side, and is known by its first. Each slot has a *turn*: the lap
//! in which it was last the first of a fragment, counted from 1. The consumer counts the slots that it has *consumed* in
//! one word, which the producer reads only when the ring seems full.
//!
//! - Producer: fills the slots from k on, then stores `turn = lap of k` for k alone (Release).
//! - Consumer: sees `turn == lap of k` (Acquire), reads n slots, then stores `consumed = k+n` (Release), or leaves that to one of the
//!   next fragments. How many they are, the fragment says.
//! - Producer: may fill slot k again in the next lap when `consumed > k` (Acquire).
//!
//! A slot that was passed over keeps the turn of an earlier lap, which nobody waits for any more.
//!
//! So a small message costs one cache line in one direction, and most of them do not make the reader wait until its own
//! stores can be seen: slots are given back [several at a time](Consumer::release). The atomics are loom's in its model
//! (crate `anyccl-models`).
//!
//! Sleeping: a rank that is about to sleep stores `sleeping = 1`, then a SeqCst fence, then looks at the
//! ring once more. The other side publishes, then a SeqCst fence, then reads `sleeping`. One of the two
//! must see the other's store, so no wake-up is lost. With slots that are not given back yet, a look without a fence is enough: a
//! sleeper that it misses waits for fragments that are still to be read.

#[cfg(loom)]
pub use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// The consumer counted further than the producer: the shared memory is spoilt.
#[derive(Debug, PartialEq, Eq)]
pub struct Spoilt;

/// The filling end.
#[derive(Debug)]
pub struct Producer {
    /// Slots as a power of two: no division on the way of a message.
    shift: u32,
    next: u64,
    /// Lower bound of what is consumed.
    seen: u64,
}

impl Producer {
    /// At the start of a ring of `slots` slots, a power of two.
    pub fn new(slots: usize) -> Producer {
        Producer { shift: shift(slots), next: 0, seen: 0 }
    }

    /// Whether it takes a look at what is consumed to know that so many slots are free.
    #[inline]
    pub fn must_look_for(&self, slots: usize) -> bool {
        self.next - self.seen + slots as u64 > 1u64 << self.shift
    }

    /// The slot to be filled next. It is free unless one [`Producer::must_look_for`] it.
    #[inline]
    pub fn next_slot(&self) -> usize {
        slot(self.next, self.shift)
    }

    /// How many slots from the next one on are free and lie side by side: up to `most`.
    #[inline]
    pub fn free_slots(&mut self, consumed: &AtomicU64, most: usize) -> Result<usize, Spoilt> {
        if self.must_look_for(most) {
            self.look(consumed)?;
        }
        let slots = 1 << self.shift;
        let free = slots - (self.next - self.seen) as usize;
        Ok(most.min(free).min(slots - self.next_slot()))
    }

    /// Whether the next `slots` slots are free.
    #[inline]
    pub fn has_room(&mut self, consumed: &AtomicU64, slots: usize) -> Result<bool, Spoilt> {
        if self.must_look_for(slots) {
            self.look(consumed)?;
        }
        Ok(!self.must_look_for(slots))
    }

    /// Reads what is consumed.
    #[inline]
    fn look(&mut self, consumed: &AtomicU64) -> Result<(), Spoilt> {
        let seen = consumed.load(Ordering::Acquire);
        if seen > self.next || seen < self.seen {
            return Err(Spoilt);
        }
        self.seen = seen;
        Ok(())
    }

    /// How often the ring was gone through before the next slot.
    #[inline]
    pub fn lap(&self) -> u64 {
        self.next >> self.shift
    }

    /// Hands so many of the slots that [`Producer::free_slots`] gave to the consumer; `turn` is that of the first.
    #[inline]
    pub fn publish(&mut self, turn: &AtomicU32, slots: usize) {
        turn.store(turn_of(self.lap()), Ordering::Release);
        self.next += slots as u64;
    }
}

/// The reading end.
#[derive(Debug)]
pub struct Consumer {
    /// Slots as a power of two: no division on the way of a message.
    shift: u32,
    next: u64,
    /// What the producer was told last.
    released: u64,
}

/// A consumer gives slots back so often in a lap.
const BATCHES: u64 = 4;

impl Consumer {
    /// At the start of a ring of `slots` slots, a power of two.
    pub fn new(slots: usize) -> Consumer {
        Consumer { shift: shift(slots), next: 0, released: 0 }
    }

    /// The slot to be read next.
    #[inline]
    pub fn slot(&self) -> usize {
        slot(self.next, self.shift)
    }

    /// Whether that slot is filled; `turn` is that slot's.
    #[inline]
    pub fn is_filled(&self, turn: &AtomicU32) -> bool {
        turn.load(Ordering::Acquire) == turn_of(self.next >> self.shift)
    }

    /// Has done with the fragment in so many slots. Whether slots were given back: at once if the producer `is_waiting`, else when a
    /// quarter of the ring has been read since.
    ///
    /// So a producer that is out of slots waits for fragments that have not been read: with all of them read, three quarters of the
    /// slots are free.
    #[inline]
    #[must_use]
    pub fn release(&mut self, consumed: &AtomicU64, slots: usize, is_waiting: bool) -> bool {
        self.next += slots as u64;
        let is_due = is_waiting || (self.next - self.released) * BATCHES >= 1 << self.shift;
        if is_due {
            self.released = self.next;
            consumed.store(self.next, Ordering::Release);
        }
        is_due
    }
}

fn shift(slots: usize) -> u32 {
    assert!(slots.is_power_of_two());
    slots.trailing_zeros()
}

#[inline]
fn slot(position: u64, shift: u32) -> usize {
    (position & ((1 << shift) - 1)) as usize
}

#[inline]
fn turn_of(lap: u64) -> u32 {
    (lap as u32).wrapping_add(1)
}

/// Says that this side is about to sleep. Look at everything once more afterwards.
pub fn announce_sleep(sleeping: &AtomicU32) {
    sleeping.store(1, Ordering::Relaxed);
    fence(Ordering::SeqCst);
}

/// Whether the other side sleeps and must be woken for what was published before this call.
#[inline]
pub fn must_wake(sleeping: &AtomicU32) -> bool {
    fence(Ordering::SeqCst);
    sleeping.load(Ordering::Relaxed) != 0
}

#[cfg(all(test, loom))]
mod model {
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
}

#[cfg(all(test, not(loom)))]
mod tests {
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
        assert_eq!(
            [release(3, false), release(1, true), release(2, false)],
            [(false, 4), (true, 8), (false, 8)]
        );
        assert_eq!(release(2, false), (true, 12));
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
}

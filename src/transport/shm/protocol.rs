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

/// Slots whose data areas serve all slots for *folded* fragments: that of slot k lies in area k mod FOLD.
///
/// No area is used twice at a time, as no more than FOLD slots are under way from the moment a fragment is folded until all
/// that were are consumed. Within FOLD slots in a row, all areas differ: those of folded fragments, those of others, whose area is that
/// of their slot, and area FOLD, into which a folded fragment of two slots may reach.
#[cfg(not(all(test, loom)))]
pub const FOLD: usize = 32;
#[cfg(all(test, loom))]
pub const FOLD: usize = 2;

/// The area in which the data of a slot lies.
#[inline]
pub const fn area(slot: usize, is_folded: bool) -> usize {
    if is_folded { slot % FOLD } else { slot }
}

/// The filling end.
#[derive(Debug)]
pub struct Producer {
    /// Slots as a power of two: no division on the way of a message.
    shift: u32,
    next: u64,
    /// Lower bound of what is consumed.
    seen: u64,
    /// Most slots under way: all, or FOLD while folded fragments are.
    limit: u64,
    /// No folded fragment ends later.
    folded: u64,
}

impl Producer {
    /// At the start of a ring of `slots` slots, a power of two.
    pub fn new(slots: usize) -> Producer {
        Producer { shift: shift(slots), next: 0, seen: 0, limit: slots as u64, folded: 0 }
    }

    /// Whether folded fragments are under way, as far as is known.
    #[inline]
    pub fn is_folding(&self) -> bool {
        self.limit < 1 << self.shift
    }

    /// Whether the next fragment, of so many slots at most, may be folded as soon as they are free: if only few are under way, or
    /// others are folded already. Then, until it is consumed, no more than FOLD slots are under way.
    ///
    /// Where many others are under way, it does not wait until they are few: the consumer may have read them, and wait for more before
    /// it gives them back.
    pub fn fold(&mut self, consumed: &AtomicU64, most: usize) -> Result<bool, Spoilt> {
        let (fold, most) = (FOLD as u64, most as u64);
        if self.next - self.seen + most > fold {
            self.look(consumed)?;
        }
        if !self.is_folding() && (fold >= self.limit || self.next - self.seen + most > fold) {
            return Ok(false);
        }
        self.limit = fold;
        self.folded = self.next + most;
        Ok(true)
    }

    /// Whether it takes a look at what is consumed to know that so many slots are free.
    #[inline]
    pub fn must_look_for(&self, slots: usize) -> bool {
        self.next - self.seen + slots as u64 > self.limit
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
        let free = (self.limit - (self.next - self.seen)) as usize;
        Ok(most.min(free).min((1 << self.shift) - self.next_slot()))
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
        if seen >= self.folded {
            self.limit = 1 << self.shift;
        }
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
    /// It need not be told of fewer slots.
    batch: u64,
    /// The same while no fragment is folded.
    whole_batch: u64,
}

/// A consumer gives slots back so often in a lap, and in FOLD slots where some are folded.
const BATCHES: usize = 4;

impl Consumer {
    /// At the start of a ring of `slots` slots, a power of two.
    pub fn new(slots: usize) -> Consumer {
        let batch = (slots / BATCHES) as u64;
        Consumer { shift: shift(slots), next: 0, released: 0, batch, whole_batch: batch }
    }

    /// The fragment at the head is folded.
    #[inline]
    pub fn note_folded(&mut self) {
        self.batch = self.whole_batch.min((FOLD / BATCHES) as u64);
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
    /// quarter of the ring, or of FOLD if there were folded ones, has been read since.
    ///
    /// So a producer that is out of slots waits for fragments that have not been read: with all of them read, three quarters of the
    /// slots that may be under way are free.
    #[inline]
    #[must_use]
    pub fn release(&mut self, consumed: &AtomicU64, slots: usize, is_waiting: bool) -> bool {
        self.next += slots as u64;
        let is_due = is_waiting || self.next - self.released >= self.batch;
        if is_due {
            self.released = self.next;
            self.batch = self.whole_batch;
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
}

#[cfg(all(test, not(loom)))]
mod tests {
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
        assert_eq!(
            [release(3, false), release(1, true), release(2, false)],
            [(false, 4), (true, 8), (false, 8)]
        );
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
}

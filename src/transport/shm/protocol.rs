//! The lock-free part of the shared-memory ring: whose turn is a slot?
//!
//! A ring has `slots` slots, used in order, one producer, one consumer, one fragment in each; position k is slot k mod slots in
//! lap k div slots. Each slot has a *turn*: the lap in which it was filled last, counted from 1. The consumer counts the slots that it has *consumed*
//! in one word, which the producer reads only when the ring seems full.
//!
//! - Producer: fills slot k, then stores `turn = lap of k` (Release).
//! - Consumer: sees `turn == lap of k` (Acquire), reads the slot, then stores `consumed = k+1` (Release), or leaves that to one of the
//!   next fragments.
//! - Producer: may fill slot k again in the next lap when `consumed > k` (Acquire).
//!
//! The data of longer fragments lies in areas ([`super::pool`]). The producer knows which slots had one, so what is consumed also tells
//! how many areas are under way. A fragment with an area also says what its sender has consumed of the other ring: where both
//! send, neither has to fetch that word.
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
pub struct CorruptRing;

/// The filling end.
#[derive(Debug)]
pub struct Producer {
    /// Slots as a power of two: no division on the way of a message.
    shift: u32,
    next: u64,
    /// Lower bound of what is consumed.
    seen: u64,
    /// BouncePool handed over before the next slot, and before each slot under way.
    areas: u32,
    areas_before: Box<[u32]>,
}

impl Producer {
    /// At the start of a ring of `slots` slots, a power of two.
    pub fn new(slots: usize) -> Producer {
        Producer { shift: shift(slots), next: 0, seen: 0, areas: 0, areas_before: vec![0; slots].into() }
    }

    /// Whether it takes a look at what is consumed to know that so many slots are free.
    #[inline]
    pub fn must_look_for(&self, slots: usize) -> bool {
        self.next - self.seen + slots as u64 > 1 << self.shift
    }

    /// The slot to be filled next. It is free unless one [`Producer::must_look_for`] it.
    #[inline]
    pub fn next_slot(&self) -> usize {
        slot(self.next, self.shift)
    }

    /// Whether the next `slots` slots are free.
    #[inline]
    pub fn has_room(&mut self, consumed: &AtomicU64, slots: usize) -> Result<bool, CorruptRing> {
        if self.must_look_for(slots) {
            self.look(consumed)?;
        }
        Ok(!self.must_look_for(slots))
    }

    /// Reads what is consumed.
    #[inline]
    pub fn look(&mut self, consumed: &AtomicU64) -> Result<(), CorruptRing> {
        self.hear(consumed.load(Ordering::Acquire))
    }

    /// Has learnt what was consumed when the consumer sent something that this side has seen (Acquire).
    #[inline]
    pub fn hear(&mut self, consumed: u64) -> Result<(), CorruptRing> {
        if consumed > self.next {
            return Err(CorruptRing);
        }
        // Of two ways by which it is told, one may be behind.
        self.seen = self.seen.max(consumed);
        Ok(())
    }

    /// The slots that the consumer has not given back, as far as it has told. It may have read them.
    #[cfg(not(loom))]
    pub fn unread(&self) -> impl Iterator<Item = usize> + use<> {
        let shift = self.shift;
        (self.seen..self.next).map(move |at| slot(at, shift))
    }

    /// How many areas are under way: at most so many have not been read.
    #[inline]
    pub fn areas_under_way(&self) -> usize {
        if self.seen == self.next {
            return 0;
        }
        self.areas.wrapping_sub(self.areas_before[slot(self.seen, self.shift)]) as usize
    }

    /// Hands the next slot, whose `turn` it is, to the consumer.
    #[inline]
    pub fn publish(&mut self, turn: &AtomicU32, has_area: bool) {
        turn.store(turn_of(self.next >> self.shift), Ordering::Release);
        self.areas_before[slot(self.next, self.shift)] = self.areas;
        self.areas = self.areas.wrapping_add(u32::from(has_area));
        self.next += 1;
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
    /// BouncePool that were read since.
    areas: usize,
    /// The producer need not be told of fewer slots, and fewer areas.
    batch: u64,
    area_batch: usize,
}

/// A producer is told so often in a lap, or in as many areas as may be under way of a long message.
const BATCHES: usize = 4;

impl Consumer {
    /// At the start of a ring of `slots` slots, a power of two, in whose long messages up to `lead` areas are under way.
    pub fn new(slots: usize, lead: usize) -> Consumer {
        let (batch, area_batch) = ((slots / BATCHES) as u64, lead / BATCHES);
        Consumer { shift: shift(slots), next: 0, released: 0, areas: 0, batch, area_batch }
    }

    /// How many slots were read.
    #[inline]
    pub fn consumed(&self) -> u64 {
        self.next
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

    /// Has done with the fragment in that slot. Whether the producer was told: at once if it `is_waiting`, else when a
    /// quarter of the ring or of the lead has been read since.
    ///
    /// So a producer that is out of slots waits for fragments that have not been read: with all of them read, three quarters of the
    /// slots, or of the lead, are free.
    #[inline]
    #[must_use]
    pub fn release(&mut self, consumed: &AtomicU64, has_area: bool, is_waiting: bool) -> bool {
        self.next += 1;
        self.areas += usize::from(has_area);
        let is_due = is_waiting || self.next - self.released >= self.batch || self.areas >= self.area_batch;
        if is_due {
            self.released = self.next;
            self.areas = 0;
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

// By path, as another crate compiles this file too, from elsewhere.
#[cfg(all(test, loom))]
#[path = "protocol/model.rs"]
mod model;
#[cfg(all(test, not(loom)))]
#[path = "protocol/tests.rs"]
mod tests;

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

// By path, as another crate compiles this file too, from elsewhere.
#[cfg(all(test, loom))]
#[path = "protocol/model.rs"]
mod model;
#[cfg(all(test, not(loom)))]
#[path = "protocol/tests.rs"]
mod tests;

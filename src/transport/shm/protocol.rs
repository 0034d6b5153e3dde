//! Protocol of a shared-memory ring, the lock-free part: whose turn is a slot?
//!
//! A ring has `slots` slots, used in order, one producer, one consumer, one fragment in each. Position k is
//! slot k mod slots in lap k div slots. Each slot has a *turn*: the lap in which it was filled last, counted
//! from 1. The consumer counts the slots that it has *consumed* in one word, which the producer reads only
//! when the ring seems full.
//!
//! - Producer: fills slot k, then stores `turn = lap of k` (Release).
//! - Consumer: sees `turn == lap of k` (Acquire), reads the slot, then stores `consumed = k+1` (Release), or
//!   leaves that to one of the next fragments.
//! - Producer: may fill slot k again in the next lap when `consumed > k` (Acquire).
//!
//! The payload of a longer fragment lies in a bounce buffer ([`super::pool`]). The producer knows which slots
//! had one, so the count of consumed slots also tells how many buffers are in flight. A fragment with a
//! buffer also says what its sender has consumed of the other ring: where both send, neither has to fetch
//! that word.
//!
//! So a small message costs one cache line in one direction. Most of them do not make the reader wait until
//! its own stores can be seen, because slots are released [several at a time](Consumer::release). The atomics
//! are loom's in its model (crate `anyccl-models`).
//!
//! Sleeping: a rank that is about to sleep stores `sleeping = 1`, then a SeqCst fence, then looks at the ring
//! once more. The other side publishes, then a SeqCst fence, then reads `sleeping`. One of the two must see
//! the other's store, so no wake-up is lost. With slots that are read and not released yet, a look without a
//! fence is enough: a sleeper that it misses waits for fragments that are still to be read.

#[cfg(loom)]
pub use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// Error: the consumer has counted further than the producer, so the shared memory is corrupt.
#[derive(Debug, PartialEq, Eq)]
pub struct CorruptRing;

/// The filling end.
#[derive(Debug)]
pub struct Producer {
    /// Logarithm of the number of slots: no division on the way of a message.
    shift: u32,
    next: u64,
    /// Lower bound of what is consumed.
    seen: u64,
    /// Number of bounce buffers handed over before the next slot, and before each slot in flight.
    buffers: u32,
    buffers_before: Box<[u32]>,
}

impl Producer {
    /// Makes the filling end at the start of a ring of `slots` slots, a power of two.
    pub fn new(slots: usize) -> Producer {
        Producer { shift: shift(slots), next: 0, seen: 0, buffers: 0, buffers_before: vec![0; slots].into() }
    }

    /// Whether only a look at what is consumed can tell that so many slots are free.
    #[inline]
    pub fn must_look_for(&self, slots: usize) -> bool {
        self.next - self.seen + slots as u64 > 1 << self.shift
    }

    /// The slot to be filled next. It is free unless the producer [must look for
    /// it](Producer::must_look_for).
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

    /// Reads the count of consumed slots.
    #[inline]
    pub fn look(&mut self, consumed: &AtomicU64) -> Result<(), CorruptRing> {
        self.note_consumed(consumed.load(Ordering::Acquire))
    }

    /// Notes the count of consumed slots that the consumer has sent with something that this side has seen
    /// (Acquire).
    #[inline]
    pub fn note_consumed(&mut self, consumed: u64) -> Result<(), CorruptRing> {
        if consumed > self.next {
            return Err(CorruptRing);
        }
        // There are two ways by which it is told, and one may be behind.
        self.seen = self.seen.max(consumed);
        Ok(())
    }

    /// The slots that the consumer has not released, as far as it has told. It may have read them.
    #[cfg(not(loom))]
    pub fn unread(&self) -> impl Iterator<Item = usize> + use<> {
        let shift = self.shift;
        (self.seen..self.next).map(move |at| slot(at, shift))
    }

    /// Number of bounce buffers in flight: at most so many have not been read.
    #[inline]
    pub fn buffers_in_flight(&self) -> usize {
        if self.seen == self.next {
            return 0;
        }
        self.buffers.wrapping_sub(self.buffers_before[slot(self.seen, self.shift)]) as usize
    }

    /// Hands the next slot, whose `turn` it is, to the consumer.
    #[inline]
    pub fn publish(&mut self, turn: &AtomicU32, has_buffer: bool) {
        turn.store(turn_of(self.next >> self.shift), Ordering::Release);
        self.buffers_before[slot(self.next, self.shift)] = self.buffers;
        self.buffers = self.buffers.wrapping_add(u32::from(has_buffer));
        self.next += 1;
    }
}

/// The reading end.
#[derive(Debug)]
pub struct Consumer {
    /// Logarithm of the number of slots: no division on the way of a message.
    shift: u32,
    next: u64,
    /// Count of consumed slots that the producer was told last.
    released: u64,
    /// Number of bounce buffers that were read since.
    buffers: usize,
    /// Number of slots, and of bounce buffers, of which the producer is told at the latest.
    batch: u64,
    buffer_batch: usize,
}

/// How often a producer is told in a lap, or in as many buffers as may be in flight of a long message.
const BATCHES: usize = 4;

impl Consumer {
    /// Makes the reading end at the start of a ring of `slots` slots, a power of two. Up to `lead` bounce
    /// buffers of long messages are in flight.
    pub fn new(slots: usize, lead: usize) -> Consumer {
        let (batch, buffer_batch) = ((slots / BATCHES) as u64, lead / BATCHES);
        Consumer { shift: shift(slots), next: 0, released: 0, buffers: 0, batch, buffer_batch }
    }

    /// Number of slots that were read.
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

    /// Releases the slot, whose fragment was read. Whether the producer was told: at once if it `is_waiting`,
    /// else when a quarter of the ring or of the lead has been read since.
    ///
    /// So a producer that is out of slots waits for fragments that have not been read: with all of them read,
    /// three quarters of the slots, or of the lead, are free.
    #[inline]
    #[must_use]
    pub fn release(&mut self, consumed: &AtomicU64, has_buffer: bool, is_waiting: bool) -> bool {
        self.next += 1;
        self.buffers += usize::from(has_buffer);
        let is_due =
            is_waiting || self.next - self.released >= self.batch || self.buffers >= self.buffer_batch;
        if is_due {
            self.released = self.next;
            self.buffers = 0;
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

/// Announces that this side is about to sleep. It must look at everything once more afterwards.
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

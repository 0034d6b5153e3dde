//! Protocol of a shared-memory ring, the lock-free part: which side owns a slot.
//!
//! A ring has `slots` slots, used in order, one producer and one consumer, and one fragment per slot.
//! Position k is slot k mod slots in lap k div slots. Each slot has a *turn*: the lap in which it was last
//! filled, counted from 1. The consumer counts the slots that it has *consumed* in one word, which the
//! producer reads only when the ring seems full.
//!
//! - Producer: fills slot k, then stores `turn = lap of k` (Release).
//! - Consumer: sees `turn == lap of k` (Acquire), reads the slot, then stores `consumed = k+1` (Release), or
//!   leaves that store to one of the next fragments.
//! - Producer: may fill slot k again in the next lap when `consumed > k` (Acquire).
//!
//! The payload of a longer fragment lies in a bounce buffer ([`super::pool`]). The producer knows which slots
//! had one, so the count of consumed slots also tells how many buffers are in flight. A fragment with a
//! buffer also carries its sender's count of the other ring. Where both sides send, neither has to read that
//! word.
//!
//! So a small message costs one cache line in one direction. Most messages do not make the reader wait until
//! its own stores are visible, because it releases slots [several at a time](Consumer::release). The atomics
//! are loom's in the model (crate `anyccl-models`).
//!
//! Sleeping: a rank that is about to sleep stores `awake = 0`, executes a SeqCst fence, and looks at the
//! ring once more. The other side publishes, executes a SeqCst fence, and reads `awake`. One of the two
//! must see the other's store, so no wake-up is lost. A consumer with slots that are read and not released
//! may look at `awake` without a fence. If it misses a sleeper, that sleeper waits for fragments that are
//! still to be read.

#[cfg(loom)]
pub use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// The consumer has counted further than the producer, so the shared memory is corrupt.
#[derive(Debug, PartialEq, Eq)]
pub struct CorruptRing;

/// The filling end of a ring.
#[derive(Debug)]
pub struct Producer {
    /// Logarithm of the number of slots, so that no message needs a division.
    shift: u32,
    next: u64,
    /// Lower bound of the number of consumed slots.
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

    /// Whether only a look at the count of consumed slots can tell that the next `slots` slots are free.
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

    /// Notes a count of consumed slots that the consumer sent along with something that this side has seen
    /// (Acquire).
    #[inline]
    pub fn note_consumed(&mut self, consumed: u64) -> Result<(), CorruptRing> {
        if consumed > self.next {
            return Err(CorruptRing);
        }
        // The count arrives in two ways, and one may lag behind the other.
        self.seen = self.seen.max(consumed);
        Ok(())
    }

    /// The slots that the consumer has not released, as far as the producer knows. The consumer may have read
    /// them.
    #[cfg(not(loom))]
    pub fn unread(&self) -> impl Iterator<Item = usize> + use<> {
        let shift = self.shift;
        (self.seen..self.next).map(move |at| slot(at, shift))
    }

    /// Number of bounce buffers in flight: an upper bound of those that are not read yet.
    #[inline]
    pub fn buffers_in_flight(&self) -> usize {
        if self.seen == self.next {
            return 0;
        }
        self.buffers.wrapping_sub(self.buffers_before[slot(self.seen, self.shift)]) as usize
    }

    /// Hands the next slot to the consumer. `turn` is the turn of that slot.
    #[inline]
    pub fn publish(&mut self, turn: &AtomicU32, has_buffer: bool) {
        turn.store(turn_of(self.next >> self.shift), Ordering::Release);
        self.buffers_before[slot(self.next, self.shift)] = self.buffers;
        self.buffers = self.buffers.wrapping_add(u32::from(has_buffer));
        self.next += 1;
    }
}

/// The reading end of a ring.
#[derive(Debug)]
pub struct Consumer {
    /// Logarithm of the number of slots, so that no message needs a division.
    shift: u32,
    next: u64,
    /// Count of consumed slots that the producer was last told.
    released: u64,
    /// Number of bounce buffers that were read since then.
    buffers: usize,
    /// Limits of the slots and the bounce buffers that may be read before the producer is told.
    batch: u64,
    buffer_batch: usize,
}

/// How often the producer is told per lap, or per as many buffers as may be in flight for a long message.
const BATCHES: usize = 4;

impl Consumer {
    /// Makes the reading end at the start of a ring of `slots` slots, a power of two. Long messages have up
    /// to `lead` bounce buffers in flight.
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

    /// Whether the next slot is filled. `turn` is the turn of that slot.
    #[inline]
    pub fn is_filled(&self, turn: &AtomicU32) -> bool {
        turn.load(Ordering::Acquire) == turn_of(self.next >> self.shift)
    }

    /// Releases the next slot, whose fragment was read. Returns whether the producer was told. It is told at
    /// once if it `is_waiting`, else when a quarter of the ring or of the lead has been read since.
    ///
    /// So a producer that is out of slots waits for fragments that have not been read. Once all are read,
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
pub fn announce_sleep(awake: &AtomicU32) {
    awake.store(0, Ordering::Relaxed);
    fence(Ordering::SeqCst);
}

/// Announces that this side is awake. New memory, which holds 0, belongs to a side that sleeps: it has not
/// looked there yet.
pub fn announce_awake(awake: &AtomicU32) {
    awake.store(1, Ordering::Relaxed);
}

/// Whether the other side is seen to sleep. This look may miss a side that has just gone to sleep.
#[inline]
pub fn is_asleep(awake: &AtomicU32) -> bool {
    awake.load(Ordering::Relaxed) == 0
}

/// Whether the other side sleeps and must be woken for what was published before this call.
#[inline]
pub fn must_wake(awake: &AtomicU32) -> bool {
    fence(Ordering::SeqCst);
    is_asleep(awake)
}

// The module is named by path because another crate also compiles this file, from elsewhere.
#[cfg(all(test, loom))]
#[path = "protocol/model.rs"]
mod model;
#[cfg(all(test, not(loom)))]
#[path = "protocol/tests.rs"]
mod tests;

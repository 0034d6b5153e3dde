//! Pool of bounce buffers, which are recycled between the two sides of a pair.
//!
//! The payload of a longer fragment lies in a *bounce buffer*, which passes to the reader with the fragment.
//! The reader later fills it with its own payload. It fills the buffer first that it has read last. So most
//! stores go to lines that the writer has just read, and few go to lines that the other side must give up
//! first. Few buffers are touched, and they stay in the caches. (Figures: docs/lab/constants.md.)
//!
//! Each side begins with its *quota*, half of all buffers. If more data goes one way than the other, buffers
//! gather on one side, which then [returns](BouncePool::rebalance) some without a fragment. The buffers of a
//! side are those that are free there, those in flight from it, and those that were returned to it.
//!
//! A side rebalances after reading a quarter of its quota. If it then has more than one and a half quotas, it
//! returns all buffers above one and a quarter. A side has at most its quota in flight, so it has enough free
//! buffers to return. The other side therefore always keeps a quarter of its quota, and it never waits for
//! anything but the reading of its own messages.
//!
//! Each direction has a ring of entries for returned buffers, with one entry per buffer, so it is never full.
//! The entry at position k is buffer | turn << 16, where turn counts the laps from 1.

use super::protocol::{AtomicU32, Ordering};

/// The bounce buffers that one side may fill.
#[derive(Debug)]
pub struct BouncePool {
    /// Free buffers; the last one is filled next.
    free: Vec<u16>,
    /// Whether a buffer is free on this side, for the buffers of both sides.
    is_free: Box<[bool]>,
    /// Number of the peer's entries that this side has read.
    collected: u32,
    /// Number of entries that this side has written.
    returned: u32,
    /// Number of buffers that were read since the last rebalancing.
    released: usize,
}

impl BouncePool {
    /// Makes the pool of the lower (0) or the higher (1) side. Each side has `quota` buffers.
    pub fn new(side: usize, quota: usize) -> BouncePool {
        let own = side * quota..(side + 1) * quota;
        let mut free = Vec::with_capacity(2 * quota);
        free.extend(own.clone().rev().map(|buffer| buffer as u16));
        let is_free = (0..2 * quota).map(|buffer| own.contains(&buffer)).collect();
        BouncePool { free, is_free, collected: 0, returned: 0, released: 0 }
    }

    fn quota(&self) -> usize {
        self.is_free.len() / 2
    }

    /// Takes the buffer that is to be filled next.
    #[inline]
    pub fn pop(&mut self) -> Option<u16> {
        let buffer = self.free.pop()?;
        self.is_free[usize::from(buffer)] = false;
        Some(buffer)
    }

    /// Number of free buffers, without a look at those that the peer has returned.
    #[inline]
    pub fn free(&self) -> usize {
        self.free.len()
    }

    /// Whether `buffers` buffers are free, including those that the peer has returned.
    #[inline]
    pub fn has(&mut self, buffers: usize, from_peer: &[AtomicU32]) -> bool {
        if self.free() < buffers {
            self.collect(from_peer);
        }
        self.free() >= buffers
    }

    /// Whether the peer can have filled that buffer.
    #[inline]
    pub fn may_arrive(&self, buffer: u16) -> bool {
        self.is_free.get(usize::from(buffer)) == Some(&false)
    }

    /// Frees a buffer that was read and [may have arrived](BouncePool::may_arrive). Returns whether it is
    /// time to [rebalance](BouncePool::rebalance).
    #[inline]
    #[must_use]
    pub fn release(&mut self, buffer: u16) -> bool {
        // A peer that breaks the protocol may have returned the buffer as well.
        if !std::mem::replace(&mut self.is_free[usize::from(buffer)], true) {
            self.free.push(buffer);
        }
        self.released += 1;
        self.released >= self.quota() / 4
    }

    /// Whether this side has more buffers than it may keep, if `in_flight` of them are in flight.
    pub fn has_surplus(&self, in_flight: usize) -> bool {
        self.free() + in_flight > self.quota() + self.quota() / 2
    }

    /// Collects the buffers that the peer has returned. If this side then has too many, returns some. The
    /// result says whether it did. `in_flight` is the number of buffers that the peer may not have read yet.
    pub fn rebalance(&mut self, in_flight: usize, from_peer: &[AtomicU32], to_peer: &[AtomicU32]) -> bool {
        self.released = 0;
        self.collect(from_peer);
        if !self.has_surplus(in_flight) {
            return false;
        }
        let kept = (self.quota() + self.quota() / 4).saturating_sub(in_flight);
        let more = kept.min(self.free.len())..;
        // The buffers that were read last are returned, so a stream in one direction uses few buffers.
        for buffer in self.free.drain(more) {
            self.is_free[usize::from(buffer)] = false;
            let entry = turn(self.returned, to_peer.len()) << 16 | u32::from(buffer);
            to_peer[slot(self.returned, to_peer.len())].store(entry, Ordering::Release);
            self.returned = self.returned.wrapping_add(1);
        }
        true
    }

    /// Takes the buffers that the peer has returned. There are at most as many as entries; a peer that writes
    /// entries without end must not keep this side here.
    #[cold]
    fn collect(&mut self, from_peer: &[AtomicU32]) {
        for _ in 0..from_peer.len() {
            let entry = from_peer[slot(self.collected, from_peer.len())].load(Ordering::Acquire);
            if entry >> 16 != turn(self.collected, from_peer.len()) {
                return;
            }
            self.collected = self.collected.wrapping_add(1);
            let buffer = entry as u16;
            if self.may_arrive(buffer) {
                self.is_free[usize::from(buffer)] = true;
                // They go behind the buffers that this side has read itself.
                self.free.insert(0, buffer);
            }
        }
    }
}

fn slot(position: u32, entries: usize) -> usize {
    position as usize & (entries - 1)
}

/// The turn of an entry. It is never 0, because new memory holds 0.
fn turn(position: u32, entries: usize) -> u32 {
    (position >> entries.trailing_zeros() & 0x7fff) + 1
}

// The module is named by path because another crate also compiles this file, from elsewhere.
#[cfg(all(test, loom))]
#[path = "pool/model.rs"]
mod model;
#[cfg(all(test, not(loom)))]
#[path = "pool/tests.rs"]
mod tests;

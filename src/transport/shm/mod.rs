//! `shm`: two ranks of one host, through memory that both map.
//!
//! The memory is a sealed `memfd`, passed over the pair's Unix socket: no name in any file system,
//! nothing left behind by kill -9. Each direction is a ring of slots (`layout`, `protocol`). The
//! receiver reads, and reduces, straight out of the slot.
//!
//! What the peer writes is foreign: each field is loaded once, then checked; payload is handed on as a raw
//! pointer, never as a reference.

mod layout;
mod protocol;
mod segment;

use std::io;
use std::os::fd::RawFd;
use std::sync::atomic::Ordering;

use self::layout::{INLINE_BYTES, SLOT_BYTES, SLOTS};
use self::protocol::{AtomicU32, AtomicU64, Consumer, Producer};
use super::{Arrival, Header, Link, garbage};
use crate::sys::memory_copy::copy_to_shared;
use crate::sys::shared_memory::SharedMemory;

pub use segment::{accept, offer};

/// The fragment at the head of the incoming ring.
#[derive(Clone, Copy)]
struct Head {
    header: Header,
    data: *const u8,
    bytes: usize,
    consumed: usize,
}

/// A link through shared memory.
pub struct ShmLink {
    memory: SharedMemory,
    /// 0: the lower rank of the pair, 1: the higher.
    side: usize,
    producer: Producer,
    consumer: Consumer,
    head: Option<Head>,
    /// Something was published or released since the last look at the peer's sleeping flag.
    bell_due: bool,
}

// SAFETY: the raw pointer in `head` points into `memory`, which the link owns and which any thread may
// use; all access goes through `&mut self`.
unsafe impl Send for ShmLink {}

impl ShmLink {
    /// `memory` is zeroed, PAIR_BYTES long, mapped by exactly two links, one for each side.
    fn new(memory: SharedMemory, side: usize) -> ShmLink {
        assert!(memory.len() >= layout::PAIR_BYTES && side < 2);
        ShmLink {
            memory,
            side,
            producer: Producer::new(SLOTS),
            consumer: Consumer::new(SLOTS),
            head: None,
            bell_due: false,
        }
    }

    fn at(&self, offset: usize) -> *mut u8 {
        debug_assert!(offset < self.memory.len());
        // SAFETY: every offset is made by `layout` from a slot below SLOTS and a side below 2, hence inside
        // the mapping, whose length `new` has checked.
        unsafe { self.memory.start().add(offset) }
    }

    fn word32(&self, offset: usize) -> &AtomicU32 {
        // SAFETY: inside the mapping (see `at`), which lives as long as `self`; offsets are multiples of 4 on
        // a page-aligned start. The word is only ever used as an atomic, by this process and by the peer.
        unsafe { AtomicU32::from_ptr(self.at(offset).cast()) }
    }

    fn word64(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: as in `word32`, with offsets that are multiples of 8.
        unsafe { AtomicU64::from_ptr(self.at(offset).cast()) }
    }
}

impl Link for ShmLink {
    #[inline]
    unsafe fn send(&mut self, header: &Header, data: *const u8, bytes: usize) -> io::Result<Option<usize>> {
        let ring = layout::ring(self.side);
        // SAFETY: as in `word64`; written out so that the borrow does not tie up `self.producer`.
        let consumed = unsafe { AtomicU64::from_ptr(self.at(ring).cast()) };
        let Some(slot) = self.producer.free_slot(consumed).map_err(|_| garbage("consumed too much"))? else {
            return Ok(None);
        };
        let bytes = bytes.min(SLOT_BYTES);
        let line = ring + layout::line(slot);
        if bytes <= INLINE_BYTES {
            // SAFETY: the caller vouches for `data`; the target is the 32 bytes of a control line that is
            // ours until it is published, inside the mapping.
            unsafe { std::ptr::copy_nonoverlapping(data, self.at(line + 32), bytes) };
        } else {
            // SAFETY: the caller vouches for `data`; the target is a data area of SLOT_BYTES that is ours
            // until it is published, inside the mapping, and no user buffer overlaps our mapping.
            unsafe { copy_to_shared(self.at(ring + layout::data(slot)), data, bytes) };
        }
        self.word32(line + 4).store(bytes as u32, Ordering::Relaxed);
        self.word32(line + 8).store(header.context, Ordering::Relaxed);
        self.word32(line + 12).store(header.sequence, Ordering::Relaxed);
        self.word64(line + 16).store(header.call[0], Ordering::Relaxed);
        self.word64(line + 24).store(header.call[1], Ordering::Relaxed);
        // SAFETY: as in `word32`; written out so that the borrow does not tie up `self.producer`.
        let turn = unsafe { AtomicU32::from_ptr(self.at(line).cast()) };
        self.producer.publish(turn);
        self.bell_due = true;
        Ok(Some(bytes))
    }

    #[inline]
    fn head(&mut self) -> io::Result<Option<Header>> {
        if let Some(head) = &self.head {
            return Ok(Some(head.header));
        }
        let slot = self.consumer.slot();
        let ring = layout::ring(1 - self.side);
        let line = ring + layout::line(slot);
        if !self.consumer.is_filled(self.word32(line)) {
            return Ok(None);
        }
        let bytes = self.word32(line + 4).load(Ordering::Relaxed) as usize;
        if bytes > SLOT_BYTES {
            return Err(garbage("a fragment longer than its slot"));
        }
        let header = Header {
            context: self.word32(line + 8).load(Ordering::Relaxed),
            sequence: self.word32(line + 12).load(Ordering::Relaxed),
            call: [
                self.word64(line + 16).load(Ordering::Relaxed),
                self.word64(line + 24).load(Ordering::Relaxed),
            ],
        };
        let data = self.at(if bytes <= INLINE_BYTES { line + 32 } else { ring + layout::data(slot) });
        self.head = Some(Head { header, data, bytes, consumed: 0 });
        Ok(Some(header))
    }

    #[inline]
    fn arrival(&mut self) -> io::Result<Arrival> {
        let head = self.head.ok_or_else(|| garbage("no fragment"))?;
        // SAFETY: `consumed` is at most `bytes`, which `head` checked against the slot: inside the mapping.
        let data = unsafe { head.data.add(head.consumed) };
        Ok(Arrival { data, bytes: head.bytes - head.consumed, complete: true })
    }

    #[inline]
    unsafe fn take(&mut self, dst: *mut u8, bytes: usize) -> io::Result<usize> {
        let arrival = self.arrival()?;
        let n = bytes.min(arrival.bytes);
        // SAFETY: `n` bytes of the slot are inside the mapping; the caller vouches for `dst` and that it does
        // not overlap our memory. The peer wrote them before the turn that `head` has seen (Acquire); if it
        // breaks the protocol it can only spoil the bytes.
        unsafe { std::ptr::copy_nonoverlapping(arrival.data, dst, n) };
        self.consume(n);
        Ok(n)
    }

    #[inline]
    fn consume(&mut self, bytes: usize) {
        let Some(head) = &mut self.head else { return };
        head.consumed += bytes;
        debug_assert!(head.consumed <= head.bytes);
        if head.consumed >= head.bytes {
            self.head = None;
            let ring = layout::ring(1 - self.side);
            // SAFETY: as in `word64`; written out so that the borrow does not tie up `self.consumer`.
            let consumed = unsafe { AtomicU64::from_ptr(self.at(ring).cast()) };
            self.consumer.release(consumed);
            self.bell_due = true;
        }
    }

    fn descriptor(&self) -> Option<RawFd> {
        None
    }

    fn set_sleeping(&mut self, sleeping: bool) {
        let flag = self.word32(layout::sleeping(self.side));
        if sleeping {
            protocol::announce_sleep(flag);
        } else {
            flag.store(0, Ordering::Relaxed);
        }
    }

    #[inline]
    fn peer_wants_bell(&mut self) -> bool {
        std::mem::take(&mut self.bell_due)
            && protocol::must_wake(self.word32(layout::sleeping(1 - self.side)))
    }

    fn transport(&self) -> &'static str {
        "shm"
    }
}

#[cfg(test)]
mod tests;

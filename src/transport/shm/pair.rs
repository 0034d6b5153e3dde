//! The memory of a pair of ranks, as one of them sees it.

use super::layout::{self, PairHeader, SingleCopyWords};
use super::protocol::AtomicU32;
use super::ring::Ring;
use crate::sys::shared_memory::SharedMemory;

/// The mapped memory of a pair: two rings, the words of both sides, and the bounce buffers.
pub struct PairMemory {
    mapping: SharedMemory,
    /// Number of slots in each ring.
    slots: usize,
    /// The side of this rank: 0 is the lower rank of the pair, 1 the higher.
    side: usize,
}

impl PairMemory {
    /// Takes the mapping. It is zeroed at first and mapped by exactly two links, one for each side.
    pub fn new(mapping: SharedMemory, slots: usize, side: usize) -> PairMemory {
        assert!(mapping.len() >= layout::pair_bytes(slots) && side < 2);
        PairMemory { mapping, slots, side }
    }

    /// Number of slots in each ring.
    #[inline]
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Number of bounce buffers that each side starts with.
    #[inline]
    pub fn quota(&self) -> usize {
        layout::quota(self.slots)
    }

    /// Limit of bounce buffers in flight for long messages.
    #[inline]
    pub fn lead(&self) -> usize {
        layout::lead(self.slots)
    }

    /// The ring that this side fills and the ring that it reads.
    ///
    /// # Safety
    /// This memory outlives the handles.
    pub unsafe fn rings(&self) -> (Ring, Ring) {
        let [outgoing, incoming] = [self.side, 1 - self.side].map(|side| &self.header().rings[side]);
        // SAFETY: the memory stays mapped while `self` lives, and the caller keeps it.
        (unsafe { Ring::new(outgoing) }, unsafe { Ring::new(incoming) })
    }

    /// The awake flag of this side.
    #[inline]
    pub fn own_awake(&self) -> &AtomicU32 {
        &self.own(&self.header().awake).word
    }

    /// The awake flag of the peer.
    #[inline]
    pub fn peer_awake(&self) -> &AtomicU32 {
        &self.peer(&self.header().awake).word
    }

    /// The flag by which this side announces that it waits for a message.
    #[inline]
    pub fn own_waiting(&self) -> &AtomicU32 {
        &self.own(&self.header().waiting).word
    }

    /// The flag by which the peer announces that it waits for a message.
    #[inline]
    pub fn peer_waiting(&self) -> &AtomicU32 {
        &self.peer(&self.header().waiting).word
    }

    /// The words of this side about single copies.
    #[inline]
    pub fn own_single_copy(&self) -> &SingleCopyWords {
        self.own(&self.header().single_copy)
    }

    /// The words of the peer about single copies.
    #[inline]
    pub fn peer_single_copy(&self) -> &SingleCopyWords {
        self.peer(&self.header().single_copy)
    }

    /// Start of a bounce buffer. There are two quotas of them.
    #[inline]
    pub fn buffer(&self, buffer: u16) -> *mut u8 {
        debug_assert!(usize::from(buffer) < 2 * self.quota());
        self.mapping.start().wrapping_add(layout::buffer(buffer))
    }

    #[inline]
    fn header(&self) -> &PairHeader {
        // SAFETY: `new` has checked that the mapping is longer; it is page-aligned and lives as long as
        // `self`. The header consists of atomics only, which this process and the peer use as such.
        unsafe { &*self.mapping.start().cast::<PairHeader>().cast_const() }
    }

    #[inline]
    fn own<'a, T>(&self, of_sides: &'a [T; 2]) -> &'a T {
        &of_sides[self.side & 1]
    }

    #[inline]
    fn peer<'a, T>(&self, of_sides: &'a [T; 2]) -> &'a T {
        &of_sides[!self.side & 1]
    }
}

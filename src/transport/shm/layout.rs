//! Layout of the memory that two ranks share, as types.
//! ```text
//! 0     awake flag of the lower rank, u32        (one cache line)
//! 64    awake flag of the higher rank
//! 256   single-copy words of the lower rank      (SingleCopyWords)
//! 320   single-copy words of the higher rank
//! 512   waiting flag of the lower rank, u32      (a pair of lines)
//! 640   waiting flag of the higher rank
//! 4096  ring lower → higher                      (RingMemory)
//!       ring higher → lower
//!       bounce buffers of both sides, FRAGMENT_BYTES each
//!
//! ring: 0      consumed (u64), its own line
//!       64     bytes read of exposed messages (u64); in the same line, 72: the last one is withdrawn (u32)
//!       128    a control line of 64 bytes per slot, every second line: the CPU fetches neighbours in pairs
//!       17408  bounce buffers that the writer of this ring returns: an entry (u32) per buffer of both sides
//!
//! control line: 0 turn u32 | 4 extent u32 | 8 context u32 | 12 sequence u32 | 16 call 2 × u64
//!               32 the payload itself, when it has at most INLINE_BYTES; else two words, u64 each:
//!                  extent below the marks (bounce buffer): slots consumed of the other ring; and in a
//!                     fragment of HALF_FRAGMENT_BYTES or more: bytes of the message from this fragment on
//!                  extent == PEER_MEMORY: address in the sender, length
//!                  extent == ZERO_COPY: offset in the sender's arena, length
//! ```
//!
//! A small message is one cache line. Only larger messages touch the rest of the memory.
//!
//! Every word is an atomic, because the peer may write it at any time. No type here has plain data, so a
//! reference to one promises nothing about the bytes.

use std::mem::offset_of;
use std::sync::atomic::AtomicU8;

use super::control_line::{ControlLine, FRAGMENT_BYTES};
use super::protocol::{AtomicU32, AtomicU64};

/// Fewest and most slots of one ring.
const FEWEST_SLOTS: usize = 32;
const MOST_SLOTS: usize = 128;

/// Number of slots in each ring, on a host with `ranks` ranks. With more ranks, a rank has more rings and
/// each is smaller. All ranks of the host compute the same number.
pub fn slots(ranks: u32) -> usize {
    (MOST_SLOTS / (ranks as usize).max(2).next_power_of_two() * 2).clamp(FEWEST_SLOTS, MOST_SLOTS)
}

/// Number of bounce buffers that each side starts with: its quota.
pub const fn quota(slots: usize) -> usize {
    slots / 2
}

/// Limit of bounce buffers in flight for messages longer than half a fragment. A side always has as
/// many. With more, the lines would leave the writer's cache before they are read.
pub const fn lead(slots: usize) -> usize {
    quota(slots) / 4
}

/// Bytes of the memory of one pair.
pub const fn pair_bytes(slots: usize) -> usize {
    size_of::<PairHeader>() + 2 * quota(slots) * FRAGMENT_BYTES
}

/// Offset of a bounce buffer from the start of the memory.
#[inline]
pub const fn buffer(buffer: u16) -> usize {
    size_of::<PairHeader>() + buffer as usize * FRAGMENT_BYTES
}

/// Bytes without a use.
type Unused<const BYTES: usize> = [AtomicU8; BYTES];

/// Everything before the bounce buffers.
#[repr(C)]
pub struct PairHeader {
    /// Awake flags, by side.
    pub awake: [AwakeFlag; 2],
    _unused1: Unused<128>,
    /// Single-copy words, by side.
    pub single_copy: [SingleCopyWords; 2],
    _unused2: Unused<128>,
    /// Waiting flags, by side.
    pub waiting: [WaitingFlag; 2],
    _unused3: Unused<3328>,
    /// Rings, by the side that fills them.
    pub rings: [RingMemory; 2],
}

/// Flag of a side that is awake. Any other side sleeps, or has not opened the link yet, and needs the
/// doorbell. It has a cache line of its own.
#[repr(C)]
pub struct AwakeFlag {
    pub word: AtomicU32,
    _unused: Unused<60>,
}

/// Flag of a side that waits for a message. It changes often and is seldom read, so it has a pair of cache
/// lines of its own.
#[repr(C)]
pub struct WaitingFlag {
    pub word: AtomicU32,
    _unused: Unused<124>,
}

/// What a side publishes about reading the memory of the other process.
#[repr(C)]
pub struct SingleCopyWords {
    /// Address and value of this side's process stamp, and whether they are set.
    pub stamp_address: AtomicU64,
    pub stamp_value: AtomicU64,
    pub has_stamp: AtomicU32,
    /// Whether this side can read the other's memory.
    pub can_read: AtomicU32,
    /// Whether this side has mapped the other's arena.
    pub has_mapped: AtomicU32,
    /// Lengths of messages that this side prefers to read itself, one bit per class (`adapt::cma_choice`).
    pub preferred: AtomicU32,
    _unused: Unused<32>,
}

/// A ring of slots, and what its reader publishes about it.
#[repr(C)]
pub struct RingMemory {
    /// Number of slots that the reader has consumed.
    pub consumed: AtomicU64,
    _unused1: Unused<56>,
    /// Number of bytes of exposed messages that the reader has read.
    pub bytes_read: AtomicU64,
    /// Whether the last exposed message is withdrawn. Its sender's call has failed, so its memory may hold
    /// anything.
    pub is_withdrawn: AtomicU32,
    _unused2: Unused<52>,
    slots: [Slot; MOST_SLOTS],
    _unused3: Unused<896>,
    /// Bounce buffers that the side that fills this ring has returned.
    returned: [AtomicU32; 2 * quota(MOST_SLOTS)],
    _unused4: Unused<2560>,
}

#[repr(C)]
struct Slot {
    line: ControlLine,
    _unused: Unused<64>,
}

const _: () = {
    assert!(offset_of!(PairHeader, single_copy) == 256 && size_of::<SingleCopyWords>() == 64);
    assert!(offset_of!(PairHeader, waiting) == 512 && offset_of!(PairHeader, rings) == 4096);
    assert!(offset_of!(SingleCopyWords, preferred) == 28);
    assert!(offset_of!(RingMemory, bytes_read) == 64 && offset_of!(RingMemory, is_withdrawn) == 72);
    assert!(offset_of!(RingMemory, slots) == 128 && size_of::<Slot>() == 128);
    assert!(offset_of!(RingMemory, returned) == 17 << 10 && size_of::<RingMemory>() == 20 << 10);
    assert!(size_of::<ControlLine>() == 64);
    assert!(FRAGMENT_BYTES.is_multiple_of(crate::transport::FRAGMENT_GRAIN));
};

impl RingMemory {
    /// The control line of a slot.
    ///
    /// # Safety
    /// `slot` is a slot of the ring, so it is smaller than [`slots`] gave.
    #[inline]
    pub unsafe fn slot_line(&self, slot: usize) -> &ControlLine {
        debug_assert!(slot < MOST_SLOTS);
        // SAFETY: no ring has more than MOST_SLOTS slots.
        unsafe { &self.slots.get_unchecked(slot).line }
    }

    /// The entries for returned bounce buffers: one for each buffer of both sides.
    #[inline]
    pub fn returned(&self, slots: usize) -> &[AtomicU32] {
        &self.returned[..2 * quota(slots)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_size_of_a_ranks_bounce_buffers_hardly_depends_on_the_number_of_ranks() {
        assert_eq!([1, 2, 3, 4, 8, 100].map(slots), [128, 128, 64, 64, 32, 32]);
        assert!(pair_bytes(128) <= 5 << 20);
    }
}

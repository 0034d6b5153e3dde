//! What is where in the memory that two ranks share.
//!
//! ```text
//! 0     sleeping flag of the lower rank     (one cache line)
//! 64    sleeping flag of the higher rank
//! 256   single-copy words of the lower rank  (address u64, value u64, is there u32, can read u32,
//!       and for memory that is lent: can map u32)
//! 320   single-copy words of the higher rank
//! 4096  ring lower → higher
//!       ring higher → lower
//!
//! ring: 0      consumed (u64), its own line
//!       64     bytes read of offered messages (u64), its own line
//!       128    SLOTS control lines of 64 bytes
//!       4096   SLOTS data areas of SLOT_BYTES
//!
//! control line: 0 turn u32 | 4 bytes u32 | 8 context u32 | 12 sequence u32 | 16 call 2 × u64
//!               32 the payload itself, when it has at most 32 bytes; of an offer (bytes == OFFER): address, length;
//!               of a loan (bytes == LOAN): offset in the sender's arena, length
//! ```
//!
//! A small message is one cache line. The rest of the memory is touched only by larger ones.

/// Slots of one ring.
pub const SLOTS: usize = 16;
/// Bytes of the data area of one slot: small enough that a ring stays in the L2 cache.
pub const SLOT_BYTES: usize = 32 << 10;
/// Largest payload inside the control line.
pub const INLINE_BYTES: usize = 32;

/// In place of `bytes`: the line holds where the message is, not the message.
pub const OFFER: u32 = u32::MAX;

/// In place of `bytes`: the line holds where in the sender's arena the message is.
pub const LOAN: u32 = u32::MAX - 1;

/// Bytes of one ring.
pub const RING_BYTES: usize = 4096 + SLOTS * SLOT_BYTES;
/// Bytes of the memory of one pair.
pub const PAIR_BYTES: usize = 4096 + 2 * RING_BYTES;

/// Start of the ring that the lower (0) or the higher (1) rank fills.
pub const fn ring(producer_side: usize) -> usize {
    4096 + producer_side * RING_BYTES
}

/// Start of a slot's control line, from the start of its ring.
pub const fn line(slot: usize) -> usize {
    128 + slot * 64
}

/// Start of a slot's data area, from the start of its ring.
pub const fn data(slot: usize) -> usize {
    4096 + slot * SLOT_BYTES
}

/// Start of a side's words about single copies.
pub const fn single_copy(side: usize) -> usize {
    256 + side * 64
}

/// Start of the word by which a side says that it can map the other's arena.
pub const fn can_map(side: usize) -> usize {
    single_copy(side) + 24
}

/// Start of the count of bytes read of offers, from the start of their ring.
pub const FETCHED: usize = 64;

/// Start of a side's sleeping flag.
pub const fn sleeping(side: usize) -> usize {
    side * 64
}

const _: () = assert!(line(SLOTS) <= 4096 && SLOT_BYTES.is_multiple_of(super::super::FRAGMENT_GRAIN));

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
//!       64     bytes read of offered or lent messages (u64); in the same line, 72: the last one is withdrawn (u32)
//!       128    a control line of 64 bytes per slot, every second line: the CPU fetches neighbours in pairs
//!       20480  a data area of SLOT_BYTES per slot; folded fragments share the first FOLD of them
//!
//! control line: 0 turn u32 | 4 extent u32 | 8 context u32 | 12 sequence u32 | 16 call 2 × u64
//!               32 the payload itself, when it has at most 32 bytes; of an offer (extent == OFFER): address, length;
//!               of a loan (extent == LOAN): offset in the sender's arena, length
//! ```
//!
//! A small message is one cache line. The rest of the memory is touched only by larger ones.

use super::protocol::{FOLD, area};

/// Bytes of the data area of one slot.
pub const SLOT_BYTES: usize = 16 << 10;
/// Most slots of one fragment.
pub const FRAGMENT_SLOTS: usize = 2;
/// Largest fragment.
pub const FRAGMENT_BYTES: usize = FRAGMENT_SLOTS * SLOT_BYTES;
/// Slots of one ring, at least and at most.
const SLOTS: std::ops::RangeInclusive<usize> = 32..=128;

/// Slots of each ring among `ranks` ranks of one host.
///
/// A line that the reader has read last comes back slowly while it is in the reader's own cache, and much faster once
/// it has moved on to the shared one (Zen 4, 32 KiB there and back: 4.6 us in a ring of 512 KiB, 3.0 in 1 MiB, 1.9 in
/// 2 MiB; more only displaces the user's data). So the rings of a rank are, together, larger than the cache of a core. All ranks of the host compute
/// the same.
pub fn slots(ranks: u32) -> usize {
    let (least, most) = (*SLOTS.start(), *SLOTS.end());
    (most / (ranks as usize).max(2).next_power_of_two() * 2).clamp(least, most)
}

/// A message of so many bytes is folded: its data goes round in fewer slots, so that the writer does not run far ahead, less memory
/// is gone through and the user's data is less displaced (two ranks, near: exchanges of 8 MiB 4 to 8 % faster). In shorter ones, it is better if
/// lines rest (exchanges of 64 and 128 KiB would take 7 to 13 % longer).
pub const FOLDED_FROM: usize = 2 << 20;

/// Payloads of fewer bytes always begin where their slot does.
pub const RESTS_FROM: usize = 2 << 10;

/// Largest payload inside the control line.
pub const INLINE_BYTES: usize = 32;

/// In place of an extent: the line holds where the message is, not the message.
pub const OFFER: u32 = u32::MAX;

/// In place of an extent: the line holds where in the sender's arena the message is.
pub const LOAN: u32 = u32::MAX - 1;

/// Start of the data areas, from the start of their ring.
const DATA: usize = 20 << 10;

/// Bytes of the memory of one pair.
pub const fn pair_bytes(slots: usize) -> usize {
    ring(2, slots)
}

/// Start of the ring that the lower (0) or the higher (1) rank fills.
pub const fn ring(producer_side: usize, slots: usize) -> usize {
    4096 + producer_side * (DATA + slots * SLOT_BYTES)
}

/// Start of a slot's control line, from the start of its ring.
pub const fn line(slot: usize) -> usize {
    128 + slot * 128
}

const _: () = assert!(line(*SLOTS.end()) <= DATA);

/// Start of the data area of a fragment whose first slot this is, from the start of its ring.
#[inline]
pub const fn data(slot: usize, is_folded: bool) -> usize {
    DATA + area(slot, is_folded) * SLOT_BYTES
}

// The area of a folded fragment is in front of its slot: inside the ring.
const _: () = assert!(FOLD <= *SLOTS.start());

/// Slots of the first fragment of a message of `bytes` bytes.
#[inline]
pub const fn slots_of(bytes: usize) -> usize {
    if bytes > SLOT_BYTES { FRAGMENT_SLOTS } else { 1 }
}

const _: () = assert!(FRAGMENT_SLOTS == 2);

/// Where in its slot a payload of `bytes` bytes goes. Payloads that fill only a part of a slot take
/// another part in each lap: so their lines rest as long as those of full ones (8 KiB: 0.58 instead of 1.25 us). For a
/// few lines, that costs more than it gives (1 KiB: 0.33 instead of 0.26 us).
#[inline]
pub const fn part(lap: u64, bytes: usize) -> usize {
    if bytes < RESTS_FROM || bytes > SLOT_BYTES {
        return 0;
    }
    let parts = SLOT_BYTES / bytes.next_power_of_two();
    (lap as usize & (parts - 1)) * (SLOT_BYTES / parts)
}

/// Length and place of a payload, and the slots it takes, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    pub bytes: usize,
    /// From the start of the data area; a multiple of a line. 0 for a payload inside the control line.
    pub start: usize,
    /// Slots that it takes, filled or not.
    pub slots: usize,
    /// Its data lies in the [`area`] of a folded fragment.
    pub is_folded: bool,
}

impl Extent {
    const SLOTS_SHIFT: u32 = 17;
    const SLOTS_BITS: u32 = 2;
    const FOLDED: u32 = 1 << (Extent::SLOTS_SHIFT + Extent::SLOTS_BITS);
    const START_SHIFT: u32 = Extent::SLOTS_SHIFT + Extent::SLOTS_BITS + 1;
    const LINE: usize = 64;

    #[inline]
    pub const fn encode(self) -> u32 {
        let (slots, start) = (self.slots as u32, (self.start / Extent::LINE) as u32);
        let folded = if self.is_folded { Extent::FOLDED } else { 0 };
        self.bytes as u32 | slots << Extent::SLOTS_SHIFT | folded | start << Extent::START_SHIFT
    }

    /// Where the payload of a fragment lies whose first slot this is.
    #[inline]
    pub const fn place(self, ring: usize, slot: usize) -> usize {
        ring + if self.bytes <= INLINE_BYTES {
            line(slot) + 32
        } else {
            data(slot, self.is_folded) + self.start
        }
    }

    /// `None` where a peer wrote what does not fit, with `left` slots from there to the end of the ring.
    #[inline]
    pub const fn decode(word: u32, left: usize) -> Option<Extent> {
        let bytes = (word & ((1 << Extent::SLOTS_SHIFT) - 1)) as usize;
        let slots = (word >> Extent::SLOTS_SHIFT) as usize & ((1 << Extent::SLOTS_BITS) - 1);
        let start = (word >> Extent::START_SHIFT) as usize * Extent::LINE;
        let is_folded = word & Extent::FOLDED != 0;
        let is_there = slots >= 1 && slots <= FRAGMENT_SLOTS && slots <= left;
        if is_there && start + bytes <= slots * SLOT_BYTES {
            Some(Extent { bytes, start, slots, is_folded })
        } else {
            None
        }
    }
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
/// Whether the message that is offered or lent is withdrawn: its sender's call has failed, its memory may be anything.
pub const WITHDRAWN: usize = 72;

/// Start of a side's sleeping flag.
pub const fn sleeping(side: usize) -> usize {
    side * 64
}

const _: () = assert!(line(*SLOTS.end()) <= DATA && SLOT_BYTES.is_multiple_of(super::super::FRAGMENT_GRAIN));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rings_of_a_rank_stay_about_as_large_together_whatever_the_number_of_ranks() {
        assert_eq!([1, 2, 3, 4, 8, 100].map(slots), [128, 128, 64, 64, 32, 32]);
        assert!(pair_bytes(128) <= 5 << 20);
    }

    #[test]
    fn a_payload_lies_inside_its_slot_in_every_lap_and_its_extent_survives() {
        for bytes in
            [0, 33, 64, 100, 2048, 4096, 4097, SLOT_BYTES - 1, SLOT_BYTES, SLOT_BYTES + 1, FRAGMENT_BYTES]
        {
            for lap in [0, 1, 2, 7, 1023, u64::MAX] {
                for slots in slots_of(bytes)..=FRAGMENT_SLOTS {
                    let extent = Extent { bytes, start: part(lap, bytes), slots, is_folded: lap == 7 };
                    assert_eq!(Extent::decode(extent.encode(), slots), Some(extent));
                }
            }
        }
    }

    #[test]
    fn an_extent_that_leaves_its_slots_is_found_out() {
        let decode = |bytes, start, slots, left| {
            Extent::decode(Extent { bytes, start, slots, is_folded: false }.encode(), left)
        };
        for slots in [1, 2] {
            let room = slots * SLOT_BYTES;
            assert!(decode(room, 0, slots, slots).is_some());
            assert_eq!(decode(room + 1, 0, slots, slots), None);
            assert_eq!(decode(room, Extent::LINE, slots, slots), None);
            assert_eq!((Extent::decode(OFFER, slots), Extent::decode(LOAN, slots)), (None, None));
        }
        assert_eq!((decode(1, 0, 2, 1), decode(1, 0, 0, 9), decode(1, 0, 3, 9)), (None, None, None));
    }
}

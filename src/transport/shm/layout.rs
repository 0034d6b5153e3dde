//! What is where in the memory that two ranks share.
//!
//! ```text
//! 0     sleeping flag of the lower rank     (one cache line)
//! 64    sleeping flag of the higher rank
//! 256   single-copy words of the lower rank  (address u64, value u64, is there u32, can read u32,
//!       for memory that is lent: can map u32, and for who waits: lengths that would be fetched u32)
//! 320   single-copy words of the higher rank
//! 512   whether the lower rank waits u32
//! 640   whether the higher rank waits
//! 4096  ring lower → higher
//!       ring higher → lower
//!       data areas of both sides, FRAGMENT_BYTES each
//!
//! ring: 0      consumed (u64), its own line
//!       64     bytes read of offered or lent messages (u64); in the same line, 72: the last one is withdrawn (u32)
//!       128    a control line of 64 bytes per slot, every second line: the CPU fetches neighbours in pairs
//!       17408  areas that the side that fills this ring gives back: an entry (u32) per area of both sides
//!
//! control line: 0 turn u32 | 4 extent u32 | 8 context u32 | 12 sequence u32 | 16 call 2 × u64
//!               32 the payload itself, when it has at most 32 bytes; else: slots consumed of the other ring (u64),
//!               and where the fragment has FINE_BYTES or more: bytes of the message from this fragment on (u64);
//!               of an offer (extent == OFFER): address, length; of a loan (extent == LOAN): offset in the sender's arena, length
//! ```
//!
//! A small message is one cache line. The rest of the memory is touched only by larger ones.

/// Bytes of a data area: the largest fragment.
pub const FRAGMENT_BYTES: usize = 32 << 10;
/// Largest fragment of a message that is cut finely.
pub const FINE_BYTES: usize = 16 << 10;
/// Slots of one ring, at least and at most.
const SLOTS: std::ops::RangeInclusive<usize> = 32..=128;

/// Slots of each ring among `ranks` ranks of one host: fewer where a rank has many rings. All ranks of the host compute the same.
pub fn slots(ranks: u32) -> usize {
    let (least, most) = (*SLOTS.start(), *SLOTS.end());
    (most / (ranks as usize).max(2).next_power_of_two() * 2).clamp(least, most)
}

/// Largest payload inside the control line.
pub const INLINE_BYTES: usize = 32;

/// In place of an extent: the line holds where the message is, not the message.
pub const OFFER: u32 = u32::MAX;

/// In place of an extent: the line holds where in the sender's arena the message is.
pub const LOAN: u32 = u32::MAX - 1;

/// Start of the entries for areas that are given back, from the start of their ring.
pub const RETURNS: usize = 17 << 10;

/// Bytes of a ring.
const RING_BYTES: usize = 20 << 10;

/// Start of the data areas.
const DATA: usize = 4096 + 2 * RING_BYTES;

/// Bytes of the memory of one pair.
pub const fn pair_bytes(slots: usize) -> usize {
    area(2 * share(slots) as u16)
}

/// BouncePool that each side has at first.
pub const fn share(slots: usize) -> usize {
    slots / 2
}

/// BouncePool that may be under way of messages longer than [`FINE_BYTES`]: so the writer does not run so far ahead that the lines have left its cache
/// before they are read. No more than a side has at least.
pub const fn lead(slots: usize) -> usize {
    share(slots) / 4
}

/// Start of the ring that the lower (0) or the higher (1) rank fills.
pub const fn ring(producer_side: usize) -> usize {
    4096 + producer_side * RING_BYTES
}

/// Start of a slot's control line, from the start of its ring.
pub const fn line(slot: usize) -> usize {
    128 + slot * 128
}

const _: () = assert!(line(*SLOTS.end()) <= RETURNS && RETURNS + 2 * share(*SLOTS.end()) * 4 <= RING_BYTES);

/// Start of a data area.
#[inline]
pub const fn area(area: u16) -> usize {
    DATA + area as usize * FRAGMENT_BYTES
}

/// Length of a payload and the area in which it lies, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    pub bytes: usize,
    /// 0 for a payload inside the control line.
    pub area: u16,
}

impl Extent {
    const AREA_SHIFT: u32 = 17;

    #[inline]
    pub const fn encode(self) -> u32 {
        self.bytes as u32 | (self.area as u32) << Extent::AREA_SHIFT
    }

    /// `None` where a peer wrote what does not fit.
    #[inline]
    pub const fn decode(word: u32) -> Option<Extent> {
        let bytes = (word & ((1 << Extent::AREA_SHIFT) - 1)) as usize;
        let area = (word >> Extent::AREA_SHIFT) as u16;
        if bytes <= FRAGMENT_BYTES { Some(Extent { bytes, area }) } else { None }
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

/// Start of the word by which a side says messages of which lengths it would fetch (`adapt::cma_choice`).
pub const fn fetches(side: usize) -> usize {
    single_copy(side) + 28
}

/// Start of the word by which a side says that it waits for a message. A pair of lines of its own: it changes often,
/// and is seldom read.
pub const fn awaits(side: usize) -> usize {
    512 + side * 128
}

/// Start of the count of bytes read of offers, from the start of their ring.
pub const FETCHED: usize = 64;
/// Whether the message that is offered or lent is withdrawn: its sender's call has failed, its memory may be anything.
pub const WITHDRAWN: usize = 72;

/// Start of a side's sleeping flag.
pub const fn sleeping(side: usize) -> usize {
    side * 64
}

const _: () = assert!(FRAGMENT_BYTES.is_multiple_of(super::super::FRAGMENT_GRAIN));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_areas_of_a_rank_stay_about_as_large_together_whatever_the_number_of_ranks() {
        assert_eq!([1, 2, 3, 4, 8, 100].map(slots), [128, 128, 64, 64, 32, 32]);
        assert!(pair_bytes(128) <= 5 << 20);
    }

    #[test]
    fn an_extent_survives_and_one_longer_than_an_area_is_found_out() {
        for bytes in [0, 33, 100, FRAGMENT_BYTES - 1, FRAGMENT_BYTES] {
            for area in [0, 1, 127, 2 * share(*SLOTS.end()) as u16] {
                let extent = Extent { bytes, area };
                assert_eq!(Extent::decode(extent.encode()), Some(extent));
            }
        }
        assert_eq!(Extent::decode(Extent { bytes: FRAGMENT_BYTES + 1, area: 0 }.encode()), None);
        assert_eq!((Extent::decode(OFFER), Extent::decode(LOAN)), (None, None));
    }
}

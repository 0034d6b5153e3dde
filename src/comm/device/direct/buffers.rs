//! Where the buffers of a rank are for one piece, as the leader addresses them.
//!
//! A rank sends no address. If it shares the process of the leader, it leaves its addresses in a list of the
//! process, under a random number, and sends the number. Otherwise it sends where its buffer, or a slot of a
//! bounce buffer, is in an allocation that the leader has mapped. So no other process can make the leader
//! touch other memory.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use super::ipc_cache::{OfferBits, Use};
use crate::base::{Error, Rank, Result};
use crate::comm::call::operator::Scalar;
use crate::device::direct::Mapped;

/// Where the blocks of one side of a rank are in a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SideBlocks {
    /// The part of block b begins at `start + b * step`.
    Apart { start: u64, step: u64 },
    /// Each block begins at its address, whatever part of it the piece has.
    At(Vec<u64>),
}

impl SideBlocks {
    /// Address of the part of a block that begins at its byte `first`.
    pub fn place(&self, block: usize, first: u64) -> u64 {
        match self {
            SideBlocks::Apart { start, step } => start.wrapping_add((block as u64).wrapping_mul(*step)),
            SideBlocks::At(starts) => starts.get(block).map_or(0, |start| start.wrapping_add(first)),
        }
    }
}

impl Default for SideBlocks {
    fn default() -> SideBlocks {
        SideBlocks::Apart { start: 0, step: 0 }
    }
}

/// Buffers of a rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankBuffers {
    pub input: SideBlocks,
    pub output: SideBlocks,
}

/// The buffers that ranks of this process have published.
static PUBLISHED: LazyLock<Mutex<HashMap<u64, Published>>> = LazyLock::new(Mutex::default);

struct Published {
    rank: Rank,
    /// For each piece of a bundle.
    buffers: Vec<RankBuffers>,
    is_used: Arc<AtomicBool>,
}

/// Buffers in the list of the process. Dropping it removes them.
pub struct PublishedBuffers {
    number: u64,
    is_used: Arc<AtomicBool>,
}

/// The use of a rank's buffers by the leader's kernel. Dropping it ends the use.
pub enum BufferUse {
    Published(#[allow(dead_code)] LocalUse),
    /// A rank in another process: its offer, and the allocations.
    Mapped(#[allow(dead_code)] Use, #[allow(dead_code)] Vec<Arc<Mapped>>),
}

/// The use of buffers in the list of the process.
pub struct LocalUse(Arc<AtomicBool>);

impl Drop for LocalUse {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl PublishedBuffers {
    /// Adds the buffers of a rank, for each piece of a bundle.
    pub fn add(rank: Rank, buffers: Vec<RankBuffers>) -> Result<PublishedBuffers> {
        let mut number = [0; 8];
        getrandom::fill(&mut number)
            .map_err(|error| Error::Unsupported(format!("cannot get random bytes: {error}")))?;
        let number = u64::from_ne_bytes(number) | 1;
        let is_used = Arc::new(AtomicBool::new(false));
        PUBLISHED.lock().insert(number, Published { rank, buffers, is_used: Arc::clone(&is_used) });
        Ok(PublishedBuffers { number, is_used })
    }

    /// Removes the buffers from the list. Returns whether the leader's kernel may still use them.
    pub fn withdraw(&self) -> bool {
        PUBLISHED.lock().remove(&self.number);
        self.is_used.load(Ordering::Acquire)
    }

    /// The number under which the leader finds the buffers.
    pub fn number(&self) -> u64 {
        self.number
    }
}

impl Drop for PublishedBuffers {
    fn drop(&mut self) {
        PUBLISHED.lock().remove(&self.number);
    }
}

/// One side of a rank's buffers, or a slot, in an allocation that the leader has mapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MappedSide {
    /// The token of the allocation. 0: the side is in the slot, or there is no slot.
    pub token: u64,
    /// Distance from the start of the allocation.
    pub offset: u64,
}

/// The buffers of a rank in a piece, as the leader of another process finds them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MappedSides {
    pub input: MappedSide,
    pub output: MappedSide,
}

impl MappedSides {
    /// Bytes in a message.
    pub const BYTES: usize = MappedSides::WORDS * size_of::<u64>();
    const WORDS: usize = 4;

    /// The message.
    pub fn to_bytes(self) -> [u8; MappedSides::BYTES] {
        let MappedSides { input, output } = self;
        let words: [u64; MappedSides::WORDS] = [input.token, input.offset, output.token, output.offset];
        let mut bytes = [0; MappedSides::BYTES];
        bytes.as_chunks_mut().0.iter_mut().zip(words).for_each(|(to, word)| *to = word.to_le_bytes());
        bytes
    }

    /// Reads a message.
    pub fn from_bytes(bytes: &[u8; MappedSides::BYTES]) -> MappedSides {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[8 * at + i]));
        MappedSides {
            input: MappedSide { token: word(0), offset: word(1) },
            output: MappedSide { token: word(2), offset: word(3) },
        }
    }
}

/// Record that each rank sends to the leader, before the sides of each piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferRecord {
    /// Number in the list of the process. 0: the rank is in another process.
    pub number: u64,
    /// The slot of the bounce buffer, for a side that is not mapped.
    pub slot: MappedSide,
    /// The offer of what is mapped.
    pub offer: OfferBits,
    /// Whether the rank has asked the leader to map or to unmap memory.
    pub has_map_request: bool,
    /// Whether the leader can address all buffers of the call where they are.
    pub all_mapped: bool,
    /// The factor of a premultiplied sum.
    pub scalar: [u8; Scalar::BYTES],
}

impl BufferRecord {
    /// Bytes of a message.
    pub const BYTES: usize = BufferRecord::WORDS * size_of::<u64>() + Scalar::BYTES;
    const WORDS: usize = 7;
    /// The word that says whether the rank has asked to map or unmap.
    const MAP_REQUEST: usize = 5;

    /// The message.
    pub fn to_bytes(self) -> [u8; BufferRecord::BYTES] {
        let words: [u64; BufferRecord::WORDS] = [
            self.number,
            self.slot.token,
            self.slot.offset,
            self.offer.index,
            self.offer.word,
            u64::from(self.has_map_request),
            u64::from(self.all_mapped),
        ];
        let mut bytes = [0; BufferRecord::BYTES];
        let (published, scalar) = bytes.split_at_mut(BufferRecord::WORDS * size_of::<u64>());
        published
            .iter_mut()
            .zip(words.iter().flat_map(|word| word.to_le_bytes()))
            .for_each(|(to, from)| *to = from);
        scalar.copy_from_slice(&self.scalar);
        bytes
    }

    /// Changes in a message whether the rank has asked the leader to map or to unmap memory.
    pub fn set_map_request(bytes: &mut [u8], has_map_request: bool) {
        bytes[BufferRecord::MAP_REQUEST * size_of::<u64>()] = u8::from(has_map_request);
    }

    /// Changes the factor in a message.
    pub fn set_factor(bytes: &mut [u8], factor: [u8; Scalar::BYTES]) {
        bytes[BufferRecord::WORDS * size_of::<u64>()..BufferRecord::BYTES].copy_from_slice(&factor);
    }

    /// Reads a message.
    pub fn from_bytes(bytes: &[u8; BufferRecord::BYTES]) -> BufferRecord {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[8 * at + i]));
        BufferRecord {
            number: word(0),
            slot: MappedSide { token: word(1), offset: word(2) },
            offer: OfferBits { index: word(3), word: word(4) },
            has_map_request: word(BufferRecord::MAP_REQUEST) != 0,
            all_mapped: word(6) != 0,
            scalar: std::array::from_fn(|i| bytes[8 * BufferRecord::WORDS + i]),
        }
    }

    /// The buffers of the rank that has sent the record, for each piece, and their use by the kernel.
    /// `foreign_buffers` gives those of a rank in another process, if there is one.
    pub fn buffers(
        &self,
        rank: Rank,
        foreign_buffers: impl FnOnce(&BufferRecord) -> Option<(Vec<RankBuffers>, Option<BufferUse>)>,
    ) -> Result<(Vec<RankBuffers>, Option<BufferUse>)> {
        let buffers = if self.number == 0 {
            foreign_buffers(self)
        } else {
            let published = PUBLISHED.lock();
            let entry = published.get(&self.number).filter(|entry| entry.rank == rank);
            entry.map(|Published { buffers, is_used, .. }| {
                is_used.store(true, Ordering::Release);
                (buffers.clone(), Some(BufferUse::Published(LocalUse(Arc::clone(is_used)))))
            })
        };
        buffers.ok_or_else(|| {
            Error::InvalidUsage(format!(
                "rank {rank} has given up its call, or names a buffer that it does not share"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_reaches_only_its_own_places_and_slots_that_exist() {
        let input = SideBlocks::Apart { start: 4096, step: 16 };
        let both = RankBuffers { input, output: SideBlocks::At(vec![8192, 9000]) };
        assert_eq!((both.input.place(2, 4), both.output.place(1, 4)), (4128, 9004));
        let buffers = vec![both.clone(), RankBuffers::default()];
        let entry = PublishedBuffers::add(3, buffers.clone()).unwrap();
        let record = BufferRecord {
            number: entry.number(),
            slot: MappedSide { token: 1, offset: 9 },
            offer: OfferBits { index: 6, word: 7 },
            has_map_request: true,
            all_mapped: false,
            scalar: [8; Scalar::BYTES],
        };
        let mut bytes = record.to_bytes();
        assert_eq!(BufferRecord::from_bytes(&bytes), record);
        BufferRecord::set_map_request(&mut bytes, false);
        assert_eq!(BufferRecord::from_bytes(&bytes), BufferRecord { has_map_request: false, ..record });
        let (input, output) = (MappedSide { token: 2, offset: 3 }, MappedSide { token: 4, offset: u64::MAX });
        let sides = MappedSides { input, output };
        assert_eq!(MappedSides::from_bytes(&sides.to_bytes()), sides);
        let (found, used) = record.buffers(3, |_| None).unwrap();
        assert_eq!(found, buffers);
        let others = |_: &BufferRecord| Some((buffers.clone(), None));
        assert!(record.buffers(2, others).is_err());
        assert!(entry.withdraw());
        drop(used);
        assert!(!entry.withdraw());
        assert!(record.buffers(3, |_| None).is_err());
        let in_slot = BufferRecord { number: 0, ..record };
        let of_slot = |record: &BufferRecord| (record.slot.offset == 9).then(|| (buffers.clone(), None));
        assert_eq!(in_slot.buffers(2, of_slot).unwrap().0, buffers);
        assert!(in_slot.buffers(2, |_| None).is_err());
        drop(entry);
        assert!(record.buffers(3, others).is_err());
    }
}

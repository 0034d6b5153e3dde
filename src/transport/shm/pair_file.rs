//! The file with the memory of a rank's pairs.
//!
//! A rank makes one sealed `memfd` for all its pairs with higher ranks, and passes it to them when they
//! connect. The file is as long as all pairs need, and takes memory only where somebody has written. Each
//! side maps its pair when it first talks to the other, whether that one has done so or not: its part of the
//! file is there, and holds zeros.
//!
//! A rank could also map the pairs of two others, if the lower one of those is its own lower peer. Both have
//! proved the key of the job to it, and it to them.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use super::layout::pair_bytes;
use crate::base::Rank;
use crate::sys::owned::Owned;
use crate::sys::shared_memory::{SharedMemory, sealed};
use crate::transport::control::SharedFile;

/// Parts begin at multiples of this many bytes, the largest page that Linux has by default.
const GRAIN: usize = 64 << 10;

/// The file, as its owner or one of the higher ranks has it. Copies share it.
#[derive(Clone, Debug)]
pub struct PairFile(Arc<Owned<OwnedFd>>);

/// Where the memory of a pair is in the file of its lower rank.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Number of pairs in the file: one for each rank above the lower one.
    pairs: usize,
    /// Number of this pair among them.
    number: usize,
}

impl Place {
    /// The place for two ranks of a host, by their local ranks, of `size` ranks there.
    pub fn of(a: Rank, b: Rank, size: u32) -> Place {
        let (lower, higher) = (a.min(b), a.max(b));
        Place { pairs: (size - 1 - lower) as usize, number: (higher - 1 - lower) as usize }
    }
}

/// Bytes from one pair to the next.
fn stride(slots: usize) -> usize {
    pair_bytes(slots).next_multiple_of(GRAIN)
}

impl PairFile {
    /// Makes the file of local rank `rank`, of `size` ranks of the host. No pair has any memory yet.
    pub fn create(rank: Rank, size: u32, slots: usize) -> io::Result<PairFile> {
        let pairs = (size - 1 - rank) as usize;
        sealed(pairs * stride(slots)).map(|fd| PairFile(Arc::new(Owned::new(fd))))
    }

    /// Takes the file that a lower rank has passed.
    pub fn from_peer(file: Owned<OwnedFd>) -> PairFile {
        PairFile(Arc::new(file))
    }

    /// The file, to be passed to higher ranks.
    pub fn file(&self) -> SharedFile {
        Arc::clone(&self.0) as SharedFile
    }

    /// Maps the memory of a pair. Nothing that the peer says of the file is believed.
    pub fn map(&self, place: Place, slots: usize) -> io::Result<SharedMemory> {
        let stride = stride(slots);
        SharedMemory::open_part(&self.0, place.pairs * stride, place.number * stride, pair_bytes(slots))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOTS: usize = 32;

    #[test]
    fn each_pair_of_a_rank_has_memory_of_its_own_and_both_sides_the_same() {
        let file = PairFile::create(1, 4, SLOTS).unwrap();
        let map = |a, b| file.map(Place::of(a, b, 4), SLOTS).unwrap();
        let byte = |memory: &SharedMemory| memory.start().wrapping_add(pair_bytes(SLOTS) - 1);
        for (peer, value) in [(2, 7), (3, 9)] {
            // SAFETY: the last byte of the memory of a pair.
            unsafe { byte(&map(1, peer)).write_volatile(value) };
        }
        for (peer, value) in [(2, 7), (3, 9)] {
            // SAFETY: as above.
            assert_eq!(unsafe { byte(&map(peer, 1)).read_volatile() }, value);
        }
    }

    #[test]
    fn a_file_of_another_size_is_refused() {
        let file = PairFile::create(1, 4, SLOTS).unwrap();
        assert!(file.map(Place::of(0, 3, 4), SLOTS).is_err());
        assert!(file.map(Place::of(1, 3, 4), 2 * SLOTS).is_err());
    }
}

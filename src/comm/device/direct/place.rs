//! Where the buffers of a rank are for one piece, as the executor addresses them.
//!
//! A rank sends no address. If it shares the process of the executor, it leaves its addresses in a list of
//! the process, under a random number, and sends the number. Otherwise it sends the number of a slot of its
//! bounce buffer, or where its buffer is in an allocation that the executor has mapped. So no other process
//! can make the executor touch other memory.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use super::mappings::Use;
use crate::base::{Error, Rank, Result};
use crate::comm::call::operator::Scalar;
use crate::device::direct::Mapped;

/// Buffers of a rank. Block b of the input begins at `input + b * input_step`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub input: u64,
    pub input_step: u64,
    pub output: u64,
    pub output_step: u64,
}

/// The places of ranks of this process.
static PLACES: LazyLock<Mutex<HashMap<u64, Listed>>> = LazyLock::new(Mutex::default);

struct Listed {
    rank: Rank,
    place: Place,
    is_used: Arc<AtomicBool>,
}

/// A place in the list of the process. Dropping it takes it out.
pub struct ListedPlace {
    number: u64,
    is_used: Arc<AtomicBool>,
}

/// The use of a place by the executor's kernel. Dropping it ends the use.
pub enum PlaceInUse {
    Listed(#[allow(dead_code)] ListedUse),
    /// A rank in another process: its offer, and the allocations.
    Mapped(#[allow(dead_code)] Use, #[allow(dead_code)] Vec<Arc<Mapped>>),
}

/// The use of a place in the list of the process.
pub struct ListedUse(Arc<AtomicBool>);

impl Drop for ListedUse {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl ListedPlace {
    /// Adds the place of a rank.
    pub fn add(rank: Rank, place: Place) -> Result<ListedPlace> {
        let mut number = [0; 8];
        getrandom::fill(&mut number)
            .map_err(|error| Error::Unsupported(format!("no random bytes to be had: {error}")))?;
        let number = u64::from_ne_bytes(number) | 1;
        let is_used = Arc::new(AtomicBool::new(false));
        PLACES.lock().insert(number, Listed { rank, place, is_used: Arc::clone(&is_used) });
        Ok(ListedPlace { number, is_used })
    }

    /// Takes the place out of the list. Returns whether the executor's kernel may still use it.
    pub fn withdraw(&self) -> bool {
        PLACES.lock().remove(&self.number);
        self.is_used.load(Ordering::Acquire)
    }

    /// The number that leads to the place.
    pub fn number(&self) -> u64 {
        self.number
    }
}

impl Drop for ListedPlace {
    fn drop(&mut self) {
        PLACES.lock().remove(&self.number);
    }
}

/// What a rank tells the executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// Number in the list of the process. 0: the rank is in another process.
    pub number: u64,
    /// The slot of the bounce buffer, for a side that is not mapped.
    pub slot: u64,
    /// For input and output, the token of the mapped allocation and the distance from its start. Token 0: the
    /// side is in the slot.
    pub mapped: [(u64, u64); 2],
    /// The offer of what is mapped.
    pub offer: (u64, u64),
    /// Whether the rank has asked the executor for something.
    pub has_wish: bool,
    /// Whether the executor can address all buffers of the call where they are.
    pub all_stay: bool,
    /// The factor of a premultiplied sum.
    pub scalar: [u8; Scalar::BYTES],
}

impl Told {
    /// Bytes of a message.
    pub const BYTES: usize = Told::WORDS * size_of::<u64>() + Scalar::BYTES;
    const WORDS: usize = 10;

    /// The message.
    pub fn to_bytes(self) -> [u8; Told::BYTES] {
        let [input, output] = self.mapped;
        let words: [u64; Told::WORDS] = [
            self.number,
            self.slot,
            input.0,
            input.1,
            output.0,
            output.1,
            self.offer.0,
            self.offer.1,
            u64::from(self.has_wish),
            u64::from(self.all_stay),
        ];
        let mut bytes = [0; Told::BYTES];
        let (places, scalar) = bytes.split_at_mut(Told::WORDS * size_of::<u64>());
        places
            .iter_mut()
            .zip(words.iter().flat_map(|word| word.to_le_bytes()))
            .for_each(|(to, from)| *to = from);
        scalar.copy_from_slice(&self.scalar);
        bytes
    }

    /// Reads a message.
    pub fn from_bytes(bytes: &[u8; Told::BYTES]) -> Told {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[8 * at + i]));
        Told {
            number: word(0),
            slot: word(1),
            mapped: [(word(2), word(3)), (word(4), word(5))],
            offer: (word(6), word(7)),
            has_wish: word(8) != 0,
            all_stay: word(9) != 0,
            scalar: std::array::from_fn(|i| bytes[8 * Told::WORDS + i]),
        }
    }

    /// The place of a rank that has told it, and its use by the kernel. `foreign_place` gives that of a rank
    /// in another process, if there is one.
    pub fn place(
        &self,
        rank: Rank,
        foreign_place: impl FnOnce(&Told) -> Option<(Place, Option<PlaceInUse>)>,
    ) -> Result<(Place, Option<PlaceInUse>)> {
        let place = if self.number == 0 {
            foreign_place(self)
        } else {
            let places = PLACES.lock();
            let listed = places.get(&self.number).filter(|listed| listed.rank == rank);
            listed.map(|Listed { place, is_used, .. }| {
                is_used.store(true, Ordering::Release);
                (*place, Some(PlaceInUse::Listed(ListedUse(Arc::clone(is_used)))))
            })
        };
        place.ok_or_else(|| {
            Error::Aborted(format!(
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
        let place = Place { input: 4096, input_step: 16, output: 8192, output_step: 32 };
        let listed = ListedPlace::add(3, place).unwrap();
        let told = Told {
            number: listed.number(),
            slot: 1,
            mapped: [(2, 3), (4, 5)],
            offer: (6, 7),
            has_wish: true,
            all_stay: false,
            scalar: [8; Scalar::BYTES],
        };
        assert_eq!(Told::from_bytes(&told.to_bytes()), told);
        let (found, used) = told.place(3, |_| None).unwrap();
        assert_eq!(found, place);
        assert!(told.place(2, |_| Some((place, None))).is_err());
        assert!(listed.withdraw());
        drop(used);
        assert!(!listed.withdraw());
        assert!(told.place(3, |_| None).is_err());
        let in_slot = Told { number: 0, slot: 9, ..told };
        let of_slot = |told: &Told| (told.slot == 9).then_some((place, None));
        assert_eq!(in_slot.place(2, of_slot).unwrap().0, place);
        assert!(in_slot.place(2, |_| None).is_err());
        drop(listed);
        assert!(told.place(3, |_| Some((place, None))).is_err());
    }
}

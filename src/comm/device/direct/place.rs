//! Where the buffers of a rank are for one piece, as the executor addresses them.
//!
//! A rank sends no address. If it shares the process of the executor, it leaves its addresses in a list of
//! the process, under a random number, and sends the number. Otherwise it sends the number of a slot of its
//! bounce buffer. So no other process can make the executor touch other memory.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use crate::base::{Error, Rank, Result};
use crate::comm::call::operator::Scalar;

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
pub struct PlaceInUse(Arc<AtomicBool>);

impl Drop for PlaceInUse {
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
    /// Number in the list of the process. 0: the buffers are in a slot of the bounce buffer.
    pub number: u64,
    /// The slot.
    pub slot: u64,
    /// The factor of a premultiplied sum.
    pub scalar: [u8; Scalar::BYTES],
}

impl Told {
    /// Bytes of a message.
    pub const BYTES: usize = 16 + Scalar::BYTES;

    /// The message.
    pub fn to_bytes(self) -> [u8; Told::BYTES] {
        let mut bytes = [0; Told::BYTES];
        bytes[..8].copy_from_slice(&self.number.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.slot.to_le_bytes());
        bytes[16..].copy_from_slice(&self.scalar);
        bytes
    }

    /// Reads a message.
    pub fn from_bytes(bytes: &[u8; Told::BYTES]) -> Told {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        Told { number: word(0), slot: word(8), scalar: std::array::from_fn(|i| bytes[16 + i]) }
    }

    /// The place of a rank that has told it, and its use if it is listed. `slot_place` gives the place of a
    /// slot, if there is one of that number.
    pub fn place(
        &self,
        rank: Rank,
        slot_place: impl FnOnce(u64) -> Option<Place>,
    ) -> Result<(Place, Option<PlaceInUse>)> {
        let place = if self.number == 0 {
            slot_place(self.slot).map(|place| (place, None))
        } else {
            let places = PLACES.lock();
            let listed = places.get(&self.number).filter(|listed| listed.rank == rank);
            listed.map(|Listed { place, is_used, .. }| {
                is_used.store(true, Ordering::Release);
                (*place, Some(PlaceInUse(Arc::clone(is_used))))
            })
        };
        place.ok_or_else(|| Error::Mismatch(format!("rank {rank} names a buffer that it does not share")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_reaches_only_its_own_places_and_slots_that_exist() {
        let place = Place { input: 4096, input_step: 16, output: 8192, output_step: 32 };
        let listed = ListedPlace::add(3, place).unwrap();
        let told = Told { number: listed.number(), slot: 0, scalar: [7; Scalar::BYTES] };
        let told = Told::from_bytes(&told.to_bytes());
        let (found, used) = told.place(3, |_| None).unwrap();
        assert_eq!(found, place);
        assert!(told.place(2, |_| Some(place)).is_err());
        assert!(listed.withdraw());
        drop(used);
        assert!(!listed.withdraw());
        assert!(told.place(3, |_| None).is_err());
        let in_slot = Told { number: 0, slot: 9, ..told };
        assert_eq!(in_slot.place(2, |slot| (slot == 9).then_some(place)).unwrap().0, place);
        assert!(in_slot.place(2, |_| None).is_err());
        drop(listed);
        assert!(told.place(3, |_| Some(place)).is_err());
    }
}

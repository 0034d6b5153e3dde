//! The table of requests. Requests come and go with each message, so a place is found without a search, and
//! reused. The generation of a number changes when its place is freed.

use std::sync::OnceLock;

use parking_lot::{Mutex, MutexGuard};

use super::held::Held;
use super::number::{FIRST_PLACE, PLACE_BITS, last_generation, unknown};
use crate::error::{Class, Error, Result};

const CHUNK: usize = 1024;
const CHUNKS: usize = (1 << PLACE_BITS) / CHUNK;

/// All requests of a process.
pub(super) struct Slab {
    chunks: [OnceLock<Box<[Mutex<RequestEntry>]>>; CHUNKS],
    free: Mutex<Free>,
}

#[derive(Default)]
struct Free {
    places: Vec<u32>,
    /// Places below this one have been used.
    used: u32,
}

/// The entry of a request in the table.
pub(super) struct RequestEntry {
    generation: u32,
    pub held: Option<Held>,
}

impl RequestEntry {
    /// The request, unless another thread waits for it.
    #[inline]
    pub fn held_mut(&mut self) -> Result<&mut Held> {
        match &mut self.held {
            Some(held) if !held.has_waiter => Ok(held),
            _ => Err(Error::new(Class::REQUEST, "another thread waits for this request")),
        }
    }
}

impl Slab {
    pub fn new() -> Slab {
        Slab { chunks: [const { OnceLock::new() }; CHUNKS], free: Mutex::new(Free::default()) }
    }

    /// Stores a request and returns its number.
    #[inline]
    pub fn put(&self, held: Held) -> u32 {
        let at = {
            let mut free = self.free.lock();
            free.places.pop().unwrap_or_else(|| {
                free.used += 1;
                free.used - 1
            })
        };
        assert!(at < FIRST_PLACE, "more than a million requests under way");
        let mut place = self.place(at).lock();
        place.held = Some(held);
        place.generation << PLACE_BITS | at
    }

    fn place(&self, at: u32) -> &Mutex<RequestEntry> {
        let chunk = self.chunks[at as usize / CHUNK].get_or_init(|| {
            (0..CHUNK).map(|_| Mutex::new(RequestEntry { generation: 1, held: None })).collect()
        });
        &chunk[at as usize % CHUNK]
    }

    /// The place of a request, locked.
    #[inline]
    pub fn find(&self, id: u32) -> Result<MutexGuard<'_, RequestEntry>> {
        let at = id & ((1 << PLACE_BITS) - 1);
        if let Some(chunk) = self.chunks.get(at as usize / CHUNK).and_then(OnceLock::get) {
            let place = chunk[at as usize % CHUNK].lock();
            if place.generation == id >> PLACE_BITS {
                return Ok(place);
            }
        }
        Err(unknown(id))
    }

    /// Frees a place: the number is unknown from here on.
    #[inline]
    pub fn give_back(&self, id: u32, mut place: MutexGuard<'_, RequestEntry>) {
        place.held = None;
        place.generation = if place.generation < last_generation() { place.generation + 1 } else { 1 };
        drop(place);
        self.free.lock().places.push(id & ((1 << PLACE_BITS) - 1));
    }

    /// All numbers in use.
    pub fn ids(&self) -> Vec<u32> {
        let used = self.free.lock().used;
        (0..used)
            .filter_map(|at| {
                let place = self.place(at).lock();
                place.held.is_some().then_some(place.generation << PLACE_BITS | at)
            })
            .collect()
    }

    /// Calls `look` for every request that no other thread uses.
    pub fn for_each_free(&self, mut look: impl FnMut(&mut Held)) {
        let used = self.free.lock().used;
        for at in 0..used {
            if let Some(mut place) = self.place(at).try_lock()
                && let Some(held) = &mut place.held
                && !held.has_waiter
            {
                look(held);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::number::use_bits;
    use super::*;

    fn held() -> Held {
        Held { comm: 0, restart: None, active: None, has_waiter: false }
    }

    #[test]
    fn an_old_number_is_unknown_until_all_generations_of_its_place_were_used() {
        for bits in [26, 31] {
            use_bits(bits);
            let slab = Slab::new();
            let old = slab.put(held());
            slab.give_back(old, slab.find(old).unwrap());
            for _ in 1..(1 << (bits - PLACE_BITS)) - 1 {
                assert!(slab.find(old).is_err());
                let number = slab.put(held());
                assert!(number != old && number >> bits == 0, "{number:#x}");
                slab.give_back(number, slab.find(number).unwrap());
            }
            assert_eq!(slab.put(held()), old);
        }
    }
}

//! The addresses of device memory.
//!
//! One reservation of the process has two halves. The lower half holds the addresses that the program sees:
//! nothing is ever mapped there, so that a touch from the host is a crash at once. The upper half holds the
//! same memory, readable: address x of a device is readable at x + [`Arena::offset`]. Copies and kernels use
//! that one.
//!
//! Freed addresses are used again, at once or later, as the seed decides: a cache that is keyed by addresses
//! alone is wrong on a GPU, and here soon, too.

use std::collections::BTreeMap;
use std::ptr;
use std::sync::LazyLock;

use parking_lot::Mutex;

use crate::delays::Random;
use crate::loud;
use crate::memory_file::{MemoryFile, PAGE};
use crate::status::{Result, Status};

/// Bytes of a half at most.
const LARGEST_HALF: u64 = 4 << 40;

/// The reservation.
pub struct Arena {
    base: u64,
    half: u64,
    free: Mutex<Free>,
}

struct Free {
    /// Free addresses: start and length.
    runs: BTreeMap<u64, u64>,
    random: Random,
}

/// The reservation of this process.
pub static ARENA: LazyLock<Arena> = LazyLock::new(Arena::reserve);

impl Arena {
    fn reserve() -> Arena {
        let mut half = LARGEST_HALF;
        loop {
            if let Some(base) = map_nothing(0, 2 * half) {
                let runs = BTreeMap::from([(base, half)]);
                return Arena { base, half, free: Mutex::new(Free { runs, random: Random::fresh() }) };
            }
            half /= 2;
            if half < 1 << 30 {
                loud::stop(
                    "no addresses for device memory are left; is the address space limited (ulimit -v)?",
                );
            }
        }
    }

    /// Distance from an address of a device to the readable address.
    pub fn offset(&self) -> u64 {
        self.half
    }

    /// Whether `address` is one that a device could have.
    pub fn contains(&self, address: u64) -> bool {
        (self.base..self.base + self.half).contains(&address)
    }

    /// Takes `bytes` addresses, a multiple of the page size, aligned to `alignment`; at `wished`, if that is
    /// free.
    pub fn take(&self, bytes: u64, alignment: u64, wished: u64) -> Result<u64> {
        let alignment = alignment.max(PAGE);
        let mut free = self.free.lock();
        let fits = |start: u64, length: u64, at: u64| at >= start && at + bytes <= start + length;
        let mut found = free.runs.iter().filter_map(|(&start, &length)| {
            let at = start.next_multiple_of(alignment);
            fits(start, length, at).then_some(at)
        });
        let first = found.next().ok_or(Status::OUT_OF_MEMORY)?;
        let last = found.next_back().unwrap_or(first);
        let is_free = |at: u64| free.runs.iter().any(|(&start, &length)| fits(start, length, at));
        let at = match wished {
            at if at != 0 && at.is_multiple_of(alignment) && is_free(at) => at,
            _ if free.random.below(4) == 0 => last,
            _ => first,
        };
        let run = free.runs.range(..=at).next_back().map(|(&start, &length)| (start, length));
        let (start, length) = run.ok_or(Status::OUT_OF_MEMORY)?;
        free.runs.remove(&start);
        if at > start {
            free.runs.insert(start, at - start);
        }
        if at + bytes < start + length {
            free.runs.insert(at + bytes, start + length - at - bytes);
        }
        Ok(at)
    }

    /// Gives addresses back.
    pub fn give_back(&self, at: u64, bytes: u64) {
        let mut free = self.free.lock();
        let (mut at, mut bytes) = (at, bytes);
        if let Some(following) = free.runs.remove(&(at + bytes)) {
            bytes += following;
        }
        let before = free.runs.range(..at).next_back().map(|(&start, &length)| (start, length));
        if let Some((start, length)) = before.filter(|(start, length)| start + length == at) {
            free.runs.remove(&start);
            (at, bytes) = (start, bytes + length);
        }
        free.runs.insert(at, bytes);
    }

    /// Makes `bytes` bytes of a file readable as the memory at `at`.
    pub fn map(&self, at: u64, file: &MemoryFile, offset: u64, bytes: u64) -> Result {
        let address = ptr::without_provenance_mut((at + self.half) as usize);
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_FIXED);
        // SAFETY: the addresses lie in the upper half, which this type owns.
        let mapped = unsafe {
            libc::mmap(address, bytes as usize, access, kind, file.descriptor(), offset as libc::off_t)
        };
        if mapped == libc::MAP_FAILED { Err(Status::OUT_OF_MEMORY) } else { Ok(()) }
    }

    /// Makes the memory at `at` unreadable again.
    pub fn unmap(&self, at: u64, bytes: u64) {
        if map_nothing(at + self.half, bytes).is_none() {
            loud::stop("device memory cannot be unmapped");
        }
    }
}

/// Maps addresses without memory: anywhere, or at `at` unless that is zero.
fn map_nothing(at: u64, bytes: u64) -> Option<u64> {
    let fixed = if at == 0 { 0 } else { libc::MAP_FIXED };
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | fixed;
    let address = ptr::without_provenance_mut(at as usize);
    // SAFETY: with MAP_FIXED the addresses lie in a half of the arena; else the kernel picks free ones.
    let mapped = unsafe { libc::mmap(address, bytes as usize, libc::PROT_NONE, kind, -1, 0) };
    (mapped != libc::MAP_FAILED).then_some(mapped as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_aligned_disjoint_and_used_again() {
        let arena = Arena::reserve();
        let one = arena.take(PAGE, 1 << 21, 0).unwrap();
        let other = arena.take(3 * PAGE, PAGE, 0).unwrap();
        assert!(one.is_multiple_of(1 << 21) && arena.contains(one));
        assert!(other + 3 * PAGE <= one || other >= one + PAGE);
        arena.give_back(one, PAGE);
        assert_eq!(arena.take(PAGE, PAGE, one).unwrap(), one);
        arena.give_back(one, PAGE);
        arena.give_back(other, 3 * PAGE);
        assert_eq!(arena.free.lock().runs, BTreeMap::from([(arena.base, arena.half)]));
    }
}

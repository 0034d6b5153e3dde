//! Scratch: the memory in which running plans keep data that is neither input nor output.

use crate::base::{Error, Result};
use crate::memory;
use crate::sys::zeroed::zeroed;

/// Scratch of one execution. It grows as needed and is kept, because executions are reused.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    own: Vec<u8>,
    shared: Option<Shared>,
}

/// Memory that peers can read (`crate::memory`).
#[derive(Debug)]
struct Shared {
    start: *mut u8,
    len: usize,
}

impl Drop for Shared {
    fn drop(&mut self) {
        // In a child of fork this fails: the memory belongs to the parent, and stays.
        let _ = memory::free(self.start);
    }
}

impl Scratch {
    /// Makes sure that the next [`Scratch::get`] of this kind has its memory.
    pub fn reserve(&mut self, bytes: usize, shared: bool) -> Result<()> {
        if bytes <= self.own.len() || shared && self.get_shared(bytes).is_some() {
            return Ok(());
        }
        // The old memory is freed first, because that may leave enough room for the new one.
        self.own = Vec::new();
        self.own = zeroed(bytes).map_err(|error| Error::no_memory(bytes, "scratch", error))?;
        Ok(())
    }

    /// Gives at least `bytes` bytes, valid until the next call. With `shared`, they lie where peers can read
    /// them, if there is such memory. Then messages out of them need no copy; nothing else depends on it.
    #[inline]
    pub fn get(&mut self, bytes: usize, shared: bool) -> *mut u8 {
        if shared && let Some(start) = self.get_shared(bytes) {
            return start;
        }
        if self.own.len() < bytes {
            self.own.resize(bytes, 0);
        }
        self.own.as_mut_ptr()
    }

    fn get_shared(&mut self, bytes: usize) -> Option<*mut u8> {
        if self.shared.as_ref().is_none_or(|shared| shared.len < bytes) {
            // The old memory is freed first, because that may leave enough room for the new one.
            self.shared = None;
            let start = memory::allocate(bytes).ok()?;
            self.shared = Some(Shared { start, len: bytes });
        }
        self.shared.as_ref().map(|shared| shared.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Arena;

    fn peers_can_read(start: *mut u8, bytes: usize) -> bool {
        Arena::of_this_process().unwrap().offset_of(start, bytes).is_some()
    }

    #[test]
    fn shared_scratch_lies_where_peers_can_read_it_and_stays_while_it_is_large_enough() {
        let mut scratch = Scratch::default();
        let start = scratch.get(10_000, true);
        assert!(peers_can_read(start, 10_000));
        assert_eq!(scratch.get(4, true), start);
        let larger = scratch.get(100_000, true);
        assert!(peers_can_read(larger, 100_000));
        // SAFETY: that many bytes belong to this scratch until the next call.
        unsafe { larger.write_bytes(7, 100_000) };
    }

    #[test]
    fn scratch_that_is_not_shared_or_finds_no_shared_room_is_private() {
        let mut scratch = Scratch::default();
        let own = scratch.get(10_000, false);
        assert!(!peers_can_read(own, 1));
        // More than any arena has.
        assert!(scratch.get_shared(usize::MAX / 2).is_none());
        assert!(peers_can_read(scratch.get(100, true), 100));
        assert_eq!(scratch.get(10_000, false), own);
    }

    #[test]
    fn scratch_that_there_is_not_is_an_error_and_less_can_be_had_again() {
        let mut scratch = Scratch::default();
        scratch.reserve(10_000, false).unwrap();
        let error = scratch.reserve(1 << 62, true).unwrap_err();
        assert!(
            error.to_string().starts_with("no memory for 4611686018427387904 bytes of scratch"),
            "{error}"
        );
        scratch.reserve(100, false).unwrap();
        assert!(!scratch.get(100, false).is_null());
    }
}

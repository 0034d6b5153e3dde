//! Memory of the library that ranks of one host share: allocated by one, mapped by the others.

use anyccl_engine::memory::{HANDLE_BYTES, allocate, export, free, import, release};

use crate::error::{Class, Error, Result};

/// Words of the name by which another process maps memory.
pub const NAME_WORDS: usize = HANDLE_BYTES / 8;

/// Memory that is given back when this is dropped.
pub struct Shared {
    start: usize,
    bytes: usize,
    is_own: bool,
}

/// The name of memory, if it is part of one live allocation of this process.
pub fn name_of(start: usize, bytes: usize) -> Option<[u64; NAME_WORDS]> {
    if bytes == 0 {
        return None;
    }
    let name = export(std::ptr::with_exposed_provenance(start), bytes).ok()?;
    let mut words = [0; NAME_WORDS];
    for (word, bytes) in words.iter_mut().zip(name.as_chunks().0) {
        *word = u64::from_ne_bytes(*bytes);
    }
    Some(words)
}

impl Shared {
    /// Allocates memory.
    pub fn allocate(bytes: usize) -> Result<Shared> {
        let start = allocate(bytes).map_err(|error| Error::new(Class::NO_MEM, error.to_string()))?;
        Ok(Shared { start: start.expose_provenance(), bytes, is_own: true })
    }

    /// Maps memory of another process of this host.
    pub fn import(name: &[u64]) -> Result<Shared> {
        let mut handle = [0; HANDLE_BYTES];
        for (bytes, word) in handle.chunks_exact_mut(8).zip(name) {
            bytes.copy_from_slice(&word.to_ne_bytes());
        }
        let (start, bytes) = import(&handle)?;
        Ok(Shared { start: start.expose_provenance(), bytes, is_own: false })
    }

    /// Address of the first byte.
    pub fn start(&self) -> usize {
        self.start
    }

    /// Number of bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let start = std::ptr::with_exposed_provenance_mut(self.start);
        // It fails only in a child of fork, which has nothing to give back.
        let _ = if self.is_own { free(start) } else { release(start) };
    }
}

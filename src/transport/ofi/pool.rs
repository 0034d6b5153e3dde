//! The buffers of an endpoint, each with the record that libfabric keeps for its operation.
//!
//! The fabric reads and writes here alone, never in memory of the caller. So a call that has failed may
//! return at once, whatever of it is still on its way.

use std::io;

use super::abi::Context;
use crate::sys::zeroed::zeroed;

/// Buffers of one length.
pub(super) struct Pool {
    memory: *mut [u8],
    contexts: *mut [Context],
    bytes: usize,
    is_leaked: bool,
}

// SAFETY: plain memory, which only the owner and the fabric below it use.
unsafe impl Send for Pool {}

impl Pool {
    /// Makes `count` buffers of `bytes` bytes each. The error is a lack of memory.
    pub fn new(count: usize, bytes: usize) -> io::Result<Pool> {
        let memory = Box::into_raw(zeroed(count * bytes)?.into_boxed_slice());
        let contexts: Box<[Context]> = (0..count).map(|_| Context::NEW).collect();
        Ok(Pool { memory, contexts: Box::into_raw(contexts), bytes, is_leaked: false })
    }

    /// Leaves the memory to a fabric that may still use it.
    pub fn leak(&mut self) {
        self.is_leaked = true;
    }

    /// Start and length of all buffers.
    pub fn memory(&self) -> (*mut u8, usize) {
        (self.memory.cast(), self.memory.len())
    }

    /// Length of a buffer.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Start of a buffer.
    pub fn buffer(&self, at: usize) -> *mut u8 {
        assert!(at < self.contexts.len());
        self.memory.cast::<u8>().wrapping_add(at * self.bytes)
    }

    /// The record for the operation of a buffer.
    pub fn context(&self, at: usize) -> *mut Context {
        assert!(at < self.contexts.len());
        self.contexts.cast::<Context>().wrapping_add(at)
    }

    /// The buffer of an operation, by the address of its record.
    pub fn of_context<T>(&self, context: *mut T) -> Option<usize> {
        let offset = context.addr().checked_sub(self.contexts.cast::<Context>().addr())?;
        Some(offset / size_of::<Context>()).filter(|at| *at < self.contexts.len())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if self.is_leaked {
            return;
        }
        // SAFETY: made by a box, and dropped once. The owner has closed the endpoint that used it.
        drop(unsafe { Box::from_raw(self.memory) });
        // SAFETY: as above.
        drop(unsafe { Box::from_raw(self.contexts) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    #[test]
    fn each_operation_leads_back_to_its_buffer() {
        let pool = Pool::new(3, 64).unwrap();
        for at in 0..3 {
            assert_eq!(pool.of_context(pool.context(at)), Some(at));
            assert_eq!(pool.buffer(at).addr(), pool.memory().0.addr() + 64 * at);
        }
        assert_eq!(pool.of_context(ptr::null_mut::<u8>()), None);
        assert_eq!(pool.of_context(pool.context(2).wrapping_add(1)), None);
    }
}

//! Memory of a message that is not one run of bytes: a vector of blocks, the fields of structures, a list of
//! buffers.
//!
//! A message of noncontiguous memory is a message of bytes on the wire, and its receiver need not know. No
//! second buffer holds all of it. If a link has memory of its own that the peer reads, the bytes are gathered
//! into that memory ([`Link::send_filled`]). A receive scatters what has arrived. Through a link without such
//! memory, a send is staged, [`STAGED_BYTES`] at a time.

use std::io;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::transport::{FRAGMENT_GRAIN, Header, Link, SingleCopy};

/// Bytes that are gathered at a time for a link without memory of its own.
const STAGED_BYTES: usize = 64 << 10;
const _: () = assert!(STAGED_BYTES.is_multiple_of(FRAGMENT_GRAIN));

/// Address of an empty message.
pub(super) const NOTHING: *const u8 = NonNull::dangling().as_ptr();

/// Memory that is not one run of bytes. Its bytes have positions from 0 on, in the order in which they are
/// sent.
///
/// Both functions run with the engine locked, on whatever thread makes progress. They must not call the
/// library, and neither may the drop.
pub trait Noncontiguous: Send + Sync {
    /// Number of bytes.
    fn bytes(&self) -> usize;

    /// Copies the bytes from `position` on to `dst`.
    ///
    /// # Safety
    /// The memory has that many readable bytes there. `dst` is writable for as many and does not overlap
    /// them.
    unsafe fn gather(&self, position: usize, dst: *mut u8, bytes: usize);

    /// Copies bytes from `src` to the memory, from `position` on. Another process may write `src` meanwhile,
    /// so it must be read once, and no reference to it may be formed.
    ///
    /// # Safety
    /// The memory has that many writable bytes there. `src` is readable for as many and does not overlap
    /// them.
    unsafe fn scatter(&self, position: usize, src: *const u8, bytes: usize);
}

/// Noncontiguous memory that is being sent.
pub(super) struct Gathering {
    memory: Arc<dyn Noncontiguous>,
    /// Bytes that were gathered and are not all sent, for a link without memory of its own.
    staged: Vec<u8>,
    /// Position of the first staged byte.
    staged_from: usize,
}

impl Gathering {
    pub fn new(memory: Arc<dyn Noncontiguous>) -> Gathering {
        Gathering { memory, staged: Vec::new(), staged_from: 0 }
    }

    /// Offers the bytes from `done` to `until` to a link, for [`Link::send`].
    ///
    /// # Safety
    /// The memory has these bytes, and they are readable.
    pub unsafe fn offer(
        &mut self,
        header: &Header,
        done: usize,
        until: usize,
        link: &mut dyn Link,
    ) -> io::Result<Option<usize>> {
        let memory = &*self.memory;
        let filled = link.send_filled(header, until - done, &mut |dst, from, bytes| {
            // SAFETY: the link asks for bytes that it was offered, and for its own memory as the target.
            unsafe { memory.gather(done + from, dst, bytes) };
        });
        if let Some(outcome) = filled {
            return outcome;
        }
        if done >= self.staged_from + self.staged.len() {
            let bytes = (until - done).min(STAGED_BYTES);
            self.staged.clear();
            self.staged.reserve(bytes);
            // SAFETY: there is room for the bytes; the caller vouches for the memory.
            unsafe { memory.gather(done, self.staged.as_mut_ptr(), bytes) };
            // SAFETY: `gather` has written that many bytes.
            unsafe { self.staged.set_len(bytes) };
            self.staged_from = done;
        }
        let (data, bytes) = self.rest(done);
        // SAFETY: bytes of the vector, which are copied before the call ends.
        unsafe { link.send(header, data, bytes, SingleCopy::Never) }
    }

    /// The bytes from `done` on that a link may have begun to send.
    pub fn rest(&self, done: usize) -> (*const u8, usize) {
        match self.staged.get(done.wrapping_sub(self.staged_from)..) {
            Some(rest) if !rest.is_empty() => (rest.as_ptr(), rest.len()),
            _ => (NOTHING, 0),
        }
    }
}

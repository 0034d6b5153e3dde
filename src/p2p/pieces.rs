//! Memory of a message that is not one run of bytes: a vector of blocks, the fields of structures, a list of
//! buffers.
//!
//! A message in pieces is a message of bytes on the wire, and its receiver need not know. No second buffer
//! holds all of it: where a link has memory of its own that the peer reads, the bytes are gathered into that
//! ([`Link::send_filled`]), and scattered out of what has arrived. Through a link without such memory a send
//! is staged, [`STAGED_BYTES`] at a time.

use std::io;
use std::sync::Arc;

use super::sending::NOTHING;
use crate::transport::{FRAGMENT_GRAIN, Header, Link, SingleCopy};

/// Bytes that are gathered at a time for a link without memory of its own.
const STAGED_BYTES: usize = 64 << 10;
const _: () = assert!(STAGED_BYTES.is_multiple_of(FRAGMENT_GRAIN));

/// Memory that is not one run of bytes. Its bytes have positions, from 0, in the order in which they travel.
///
/// Both functions run with the engine locked, on whatever thread makes progress: they call nothing of the
/// library, nor does the drop.
pub trait Pieces: Send + Sync {
    /// Number of bytes.
    fn bytes(&self) -> usize;

    /// Copies the bytes from `position` on to `dst`.
    ///
    /// # Safety
    /// So many bytes are there, and readable; `dst` is writable for as many, apart from them.
    unsafe fn gather(&self, position: usize, dst: *mut u8, bytes: usize);

    /// Copies bytes from `src` to those from `position` on. Another process may write `src` meanwhile: it is
    /// read once, and no reference to it is formed.
    ///
    /// # Safety
    /// So many bytes are there, and writable; `src` is readable for as many, apart from them.
    unsafe fn scatter(&self, position: usize, src: *const u8, bytes: usize);
}

/// Pieces that are being sent.
pub(super) struct Gathering {
    pieces: Arc<dyn Pieces>,
    /// Bytes that were gathered and are not all sent, where the link has no memory of its own.
    staged: Vec<u8>,
    /// Position of the first of them.
    staged_from: usize,
}

impl Gathering {
    pub fn new(pieces: Arc<dyn Pieces>) -> Gathering {
        Gathering { pieces, staged: Vec::new(), staged_from: 0 }
    }

    /// Offers the bytes from `done` until `until` to a link, for [`Link::send`].
    ///
    /// # Safety
    /// So many bytes are there, and readable.
    pub unsafe fn offer(
        &mut self,
        header: &Header,
        done: usize,
        until: usize,
        link: &mut dyn Link,
    ) -> io::Result<Option<usize>> {
        let pieces = &*self.pieces;
        let filled = link.send_filled(header, until - done, &mut |dst, from, bytes| {
            // SAFETY: the link asks for bytes that it was offered, into memory of its own.
            unsafe { pieces.gather(done + from, dst, bytes) };
        });
        if let Some(outcome) = filled {
            return outcome;
        }
        if done >= self.staged_from + self.staged.len() {
            let bytes = (until - done).min(STAGED_BYTES);
            self.staged.clear();
            self.staged.reserve(bytes);
            // SAFETY: there is room for them; the caller vouches for the pieces.
            unsafe { pieces.gather(done, self.staged.as_mut_ptr(), bytes) };
            // SAFETY: `gather` has written that many.
            unsafe { self.staged.set_len(bytes) };
            self.staged_from = done;
        }
        let (data, bytes) = self.rest(done);
        // SAFETY: bytes of the vector, which are copied before the call ends.
        unsafe { link.send(header, data, bytes, SingleCopy::Never) }
    }

    /// What of the bytes from `done` on a link may have begun to send.
    pub fn rest(&self, done: usize) -> (*const u8, usize) {
        match self.staged.get(done.wrapping_sub(self.staged_from)..) {
            Some(rest) if !rest.is_empty() => (rest.as_ptr(), rest.len()),
            _ => (NOTHING, 0),
        }
    }
}

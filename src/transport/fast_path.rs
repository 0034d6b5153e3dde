//! The fast path of a link: whole messages in one or two calls, where [`super::Link`] needs five.
//!
//! Not every link has a fast path ([`super::AnyLink::fast_path`]). Every step may decline. A step that
//! declines has changed nothing, so its caller can use the slow path instead.

use super::Header;

pub use super::shm::{FRAGMENT_BYTES, ZERO_COPY_BYTES};

/// What [`FastPath::peek`] finds at the head of a link.
pub enum Peek {
    /// Nothing yet.
    Empty,
    /// The next fragment of the message that was asked for: its address and its length. The length is 0 only
    /// for an empty message. A hostile peer may still write to that memory: read each byte once, form no
    /// reference.
    Data(*const u8, usize),
    /// Something for the slow path: another call, too many bytes, an exposed message, or a partly consumed
    /// fragment.
    SlowPath,
}

/// Size of the fragments into which a message is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FragmentSize {
    /// The largest fragments. They need the fewest steps, which counts where both sides are busy sending.
    Full,
    /// Smaller ones; the link knows how small. A receiver that only waits can begin earlier, which makes
    /// one-way messages faster (docs/lab/constants.md).
    Small,
}

/// A link for whole messages. Its calls never block.
pub trait FastPath {
    /// Sends a whole message if there is room for all of it. Returns whether it was sent.
    ///
    /// # Safety
    /// `data` is readable for `bytes` bytes.
    unsafe fn post(&mut self, header: &Header, data: *const u8, bytes: usize, size: FragmentSize) -> bool;

    /// Looks for a fragment of a message at the head of the link. The message has up to `most` bytes left.
    fn peek(&mut self, header: &Header, most: usize) -> Peek;

    /// Frees the fragment at the head, which [`FastPath::peek`] found.
    fn release(&mut self);

    /// Whether the slow path would send a permitted message by zero copy. Such a send does not end at once.
    fn would_zero_copy(&self, data: *const u8, bytes: usize) -> bool;

    /// Whether the slow path would expose a permitted message, by zero copy or because the waiting receiver
    /// prefers a single copy.
    fn would_expose(&self, data: *const u8, bytes: usize) -> bool;
}

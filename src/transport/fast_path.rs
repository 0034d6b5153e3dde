//! The fast path of a link: what [`super::Link`] does in five calls, in one or two, for whole messages that
//! find room at once.
//!
//! Not every link has one ([`super::AnyLink::fast_path`]). Whoever takes it keeps the other way ready: each
//! step may say that it does not do what it was asked, and then nothing has changed.

use super::Header;

pub use super::shm::{FRAGMENT_BYTES, ZERO_COPY_BYTES};

/// What lies at the head of a link.
pub enum Peek {
    /// Nothing yet.
    Empty,
    /// The next fragment of the message that was asked for: so many bytes, none only of a message that has
    /// none. It may be memory that a hostile peer still writes: read each byte once, form no reference.
    Data(*const u8, usize),
    /// Something that only the slow path understands: another call, too many bytes, an exposed message, or a
    /// head that is half consumed.
    SlowPath,
}

/// Size of the fragments into which a message is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FragmentSize {
    /// The largest there are: fewest steps, where both sides are busy with sending anyway.
    Full,
    /// Half of that: the receiver begins earlier, where it has nothing else to do (64 KiB one way: 2.3
    /// instead of 2.5 us near, 4.8 instead of 5.3 far).
    Half,
}

/// A link for whole messages without detours. Never blocks.
pub trait FastPath {
    /// Sends a whole message; whether there was room for all of it. Otherwise nothing was sent.
    ///
    /// # Safety
    /// `data` is readable for `bytes` bytes.
    unsafe fn post(&mut self, header: &Header, data: *const u8, bytes: usize, size: FragmentSize) -> bool;

    /// Looks for a fragment of a message, of which up to `most` bytes are to come, at the head of the link.
    fn peek(&mut self, header: &Header, most: usize) -> Peek;

    /// Frees the fragment at the head, which [`FastPath::peek`] has found.
    fn release(&mut self);

    /// Whether the slow path would send a message without a copy, if it may. Such a send is not over when it
    /// has begun.
    fn would_zero_copy(&self, data: *const u8, bytes: usize) -> bool;

    /// Whether the slow path would leave a message where it is until it is read, if it may: without a copy,
    /// or because the receiver waits for it and prefers a single copy.
    fn would_expose(&self, data: *const u8, bytes: usize) -> bool;
}

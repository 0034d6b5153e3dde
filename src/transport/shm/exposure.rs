//! Exposed messages: those that the receiver reads in the sender's memory.
//!
//! The sender puts into a control line where the message is and how long. The receiver has the kernel copy it
//! (`cma`), or reads it through its own mapping (`zero_copy`), and counts the bytes that it has read in a
//! word of the ring. The sender regards so many bytes as taken. One message is exposed at a time.
//!
//! So an exposed message buffers nothing: a send that the receive of its own round must not overtake may not
//! be exposed.

use std::io;

use super::layout::RingMemory;
use super::protocol::{Ordering, fence};
use crate::transport::{Header, garbage};

/// A message that is exposed and not read to its end.
pub struct Exposure {
    pub header: Header,
    /// Bytes that the receiver has not read yet, as far as we know.
    left: usize,
    /// Its call has failed: only the reader's count still has to come to an end.
    pub is_abandoned: bool,
}

/// The exposed messages of the ring that this side fills.
#[derive(Default)]
pub struct Exposures {
    /// The message that the peer is reading.
    pub current: Option<Exposure>,
    /// Value of the reader's count up to which its reads are accounted for.
    counted: u64,
}

impl Exposures {
    /// Begins to expose `bytes` bytes.
    pub fn begin(&mut self, ring: &RingMemory, header: &Header, bytes: usize) {
        self.current = Some(Exposure { header: *header, left: bytes, is_abandoned: false });
        // The last message, if it was withdrawn, has been read to its end.
        ring.is_withdrawn.store(0, Ordering::Relaxed);
    }

    /// Value of the reader's count when it was looked at last.
    pub fn counted(&self) -> u64 {
        self.counted
    }

    /// Bytes of the current message that were read since the last look. `None`: none.
    pub fn note_progress(&mut self, ring: &RingMemory) -> io::Result<Option<usize>> {
        let Some(current) = &mut self.current else { return Ok(None) };
        let now = ring.bytes_read.load(Ordering::Acquire);
        let n = now.wrapping_sub(self.counted);
        if n > current.left as u64 {
            return Err(garbage("more was read than was exposed"));
        }
        self.counted = now;
        current.left -= n as usize;
        if current.left == 0 {
            self.current = None;
        }
        Ok((n > 0).then_some(n as usize))
    }

    /// Withdraws the current message if it is this one: its call has failed.
    pub fn abandon(&mut self, ring: &RingMemory, header: &Header) {
        if let Some(current) = self.current.as_mut().filter(|current| current.header == *header) {
            current.is_abandoned = true;
            ring.is_withdrawn.store(1, Ordering::Relaxed);
            // Before anybody writes to that memory again: a reader of what is written then sees this word,
            // too.
            fence(Ordering::SeqCst);
        }
    }
}

/// Counts bytes that were read of the message that the peer exposes in `ring`. An error: they may be
/// anything.
pub fn count_read(ring: &RingMemory, bytes: usize) -> io::Result<()> {
    // The bytes were read before this word: if they were written after it, it is seen.
    fence(Ordering::Acquire);
    let is_withdrawn = ring.is_withdrawn.load(Ordering::Relaxed) != 0;
    let count = ring.bytes_read.load(Ordering::Relaxed).wrapping_add(bytes as u64);
    // Only this side writes it: no read-modify-write is needed.
    ring.bytes_read.store(count, Ordering::Release);
    if is_withdrawn { Err(io::Error::other("the sender's call has failed")) } else { Ok(()) }
}

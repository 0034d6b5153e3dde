//! Exposed messages: messages that the receiver reads in the sender's memory.
//!
//! The sender writes the place and the length of the message into a control line. The receiver has the kernel
//! copy it (`cma`), or reads it through its own mapping (`zero_copy`). It counts the bytes that it has read
//! in a word of the ring, and the sender regards that many bytes as taken. Only one message is exposed at a
//! time.
//!
//! An exposed message is buffered nowhere. So a send whose memory a receive of the same round overwrites must
//! not be exposed.

use std::io;

use super::layout::RingMemory;
use super::protocol::{Ordering, fence};
use crate::transport::{Header, garbage};

/// A message that is exposed and not completely read.
pub struct Exposure {
    pub header: Header,
    /// Bytes that the receiver has not read yet, as far as this side knows.
    left: usize,
    /// Whether its call has failed. Then only the reader's count still has to reach the end.
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
        // If the previous message was withdrawn, the peer has now read it to its end.
        ring.is_withdrawn.store(0, Ordering::Relaxed);
    }

    /// Value of the reader's count at the last look.
    pub fn counted(&self) -> u64 {
        self.counted
    }

    /// Bytes of the current message that were read since the last look. `None`: no bytes.
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

    /// Withdraws the current message if it has this header, because its call has failed.
    pub fn abandon(&mut self, ring: &RingMemory, header: &Header) {
        if let Some(current) = self.current.as_mut().filter(|current| current.header == *header) {
            current.is_abandoned = true;
            ring.is_withdrawn.store(1, Ordering::Relaxed);
            // The fence precedes any later write to that memory: a reader that sees such a write also sees
            // this word.
            fence(Ordering::SeqCst);
        }
    }
}

/// Counts bytes that were read of the message that the peer exposes in `ring`. An error means that the bytes
/// are undefined.
pub fn count_read(ring: &RingMemory, bytes: usize) -> io::Result<()> {
    // The bytes were read before this word is. If they were written after the withdrawal, it is seen here.
    fence(Ordering::Acquire);
    let is_withdrawn = ring.is_withdrawn.load(Ordering::Relaxed) != 0;
    let count = ring.bytes_read.load(Ordering::Relaxed).wrapping_add(bytes as u64);
    // Only this side writes the word, so no read-modify-write is needed.
    ring.bytes_read.store(count, Ordering::Release);
    if is_withdrawn { Err(io::Error::other("the sender's call has failed")) } else { Ok(()) }
}

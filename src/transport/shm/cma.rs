//! Large messages without a slot: the receiver copies straight out of the sender's memory.
//!
//! Instead of its bytes, the sender puts an *offer* into a control line: where the message is and how long. The receiver
//! reads it with `process_vm_readv`, to its place or, to reduce it, piece by piece into a buffer that stays in
//! cache, and counts what it has read in a word of the ring. The sender regards so many bytes as taken.
//!
//! So an offer buffers nothing: a send that the receive of its own round must not overtake may not be offered.
//!
//! Whether a side may read the other is tried, not assumed: each side leaves the address and the value of a random number in the
//! pair's memory; who can read it there says so. Where it is forbidden, slots do everything. The same number is read again with
//! every piece: so what comes from a process that has got the number of a dead one is told from the peer's bytes.

use std::io;
use std::sync::atomic::Ordering;

use super::layout;
use super::protocol::{AtomicU32, AtomicU64};
use crate::sys::process_memory::{ProcessStamp, RemoteProcess};
use crate::transport::{Header, garbage};

/// Messages from this size on are offered. Below, a system call costs more than the second copy.
pub(super) const OFFER_BYTES: usize = 32 << 10;
/// What is read at once to be reduced.
const PIECE_BYTES: usize = 128 << 10;

/// The shared words of one side and of the ring that it reads.
pub(super) struct CmaWords<'a> {
    /// Address and value of this side's stamp, and whether they are there.
    pub address: &'a AtomicU64,
    pub value: &'a AtomicU64,
    pub is_there: &'a AtomicU32,
    /// This side can read the other's memory.
    pub can_read: &'a AtomicU32,
}

/// Leaves the stamp of this process for the other side.
pub(super) fn publish_landmark(words: &CmaWords) -> io::Result<()> {
    let own = ProcessStamp::of_this_process()?;
    words.address.store(own.address, Ordering::Relaxed);
    words.value.store(own.value, Ordering::Relaxed);
    words.is_there.store(1, Ordering::Release);
    Ok(())
}

/// The process `pid`, if it can be read: that is tried. Tells the other side.
pub(super) fn probe(pid: libc::pid_t, theirs: &CmaWords, ours: &CmaWords) -> Option<RemoteProcess> {
    if theirs.is_there.load(Ordering::Acquire) != 1 {
        return None;
    }
    // Foreign, and kept: what is written there later changes nothing.
    let stamp = ProcessStamp {
        address: theirs.address.load(Ordering::Relaxed),
        value: theirs.value.load(Ordering::Relaxed),
    };
    let process = RemoteProcess::new(pid, stamp);
    let mut byte = 0u8;
    // SAFETY: one writable byte.
    let read = unsafe { process.read(stamp.address, &mut byte, 1) };
    ours.can_read.store(u32::from(read.is_ok()), Ordering::Release);
    read.ok().map(|_| process)
}

/// A message that was offered and is not read to its end.
pub(super) struct Offer {
    pub header: Header,
    /// Bytes that the receiver has not read yet, as far as we know.
    pub left: usize,
    /// Value of the ring's counter up to which reads are accounted for.
    pub counted: u64,
    /// Its call has failed: only the reader's counter still has to come to an end.
    pub is_abandoned: bool,
}

impl Offer {
    /// Of `bytes` bytes, when the ring's counter should be at `counted`.
    pub fn new(header: &Header, bytes: usize, counted: u64) -> Offer {
        Offer { header: *header, left: bytes, counted, is_abandoned: false }
    }

    /// What was read since the last look. `None`: nothing.
    pub fn progress(&mut self, fetched: &AtomicU64) -> io::Result<Option<usize>> {
        let now = fetched.load(Ordering::Acquire);
        let n = now.wrapping_sub(self.counted);
        if n > self.left as u64 {
            return Err(garbage("more was read than was offered"));
        }
        self.counted = now;
        self.left -= n as usize;
        Ok((n > 0).then_some(n as usize))
    }
}

/// Reading what the other side offers.
pub(super) struct CmaReader {
    pub process: RemoteProcess,
    piece: Vec<u8>,
    /// The part of `piece` that is read and not consumed.
    from: usize,
    to: usize,
}

impl CmaReader {
    pub fn new(process: RemoteProcess) -> CmaReader {
        CmaReader { process, piece: Vec::new(), from: 0, to: 0 }
    }

    /// The next bytes of the message at `address`, of which `left` are not consumed, in a buffer of our own.
    pub fn piece(&mut self, address: u64, left: usize) -> io::Result<(*const u8, usize)> {
        if self.from == self.to {
            self.piece.resize(PIECE_BYTES, 0);
            let n = left.min(PIECE_BYTES);
            // SAFETY: the buffer has at least `n` bytes and is ours alone.
            let read = unsafe { self.process.read(address, self.piece.as_mut_ptr(), n) }?;
            if read != n {
                return Err(garbage("an offer of memory that is not there"));
            }
            (self.from, self.to) = (0, n);
        }
        Ok((self.piece[self.from..].as_ptr(), self.to - self.from))
    }

    /// Whether bytes are read that are not consumed.
    pub fn has_piece(&self) -> bool {
        self.from < self.to
    }

    pub fn consume(&mut self, bytes: usize) {
        self.from = (self.from + bytes).min(self.to);
    }
}

/// Payload of an offer's control line: address, length.
pub(super) fn encode(address: u64, bytes: usize) -> [u64; 2] {
    [address, bytes as u64]
}

const _: () = assert!(layout::INLINE_BYTES >= 16);

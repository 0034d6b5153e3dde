//! Single copies by the kernel (cross-memory attach, CMA): the receiver copies straight out of the sender's
//! memory.
//!
//! Instead of its bytes, the sender *exposes* a message (`exposure`): it puts the message's address and
//! length into a control line. The receiver reads it with `process_vm_readv`, to its place or, to reduce it,
//! piece by piece into a buffer that stays in cache.
//!
//! Whether a side may read the other is tried, not assumed: each side leaves the address and the value of a
//! random number in the pair's memory ([`ProcessStamp`]); whoever can read it there says so. Where it is
//! forbidden, bounce buffers do everything. The same number is read again with every piece, so bytes of a
//! process that has got the number of a dead one are not taken for the peer's.

use std::io;
use std::sync::atomic::Ordering;

use super::layout::SingleCopyWords;
use super::pair::PairMemory;
use crate::sys::process_memory::{ProcessStamp, RemoteProcess};
use crate::transport::garbage;

/// Shortest message that is worth a single copy by the kernel. Below, a system call costs more than the
/// second copy.
pub const CMA_BYTES: usize = 32 << 10;
/// Bytes that are read at once to be reduced.
const PIECE_BYTES: usize = 128 << 10;

/// Leaves the stamp of this process for the other side.
pub fn publish_stamp(own: &SingleCopyWords) -> io::Result<()> {
    let stamp = ProcessStamp::of_this_process()?;
    own.stamp_address.store(stamp.address, Ordering::Relaxed);
    own.stamp_value.store(stamp.value, Ordering::Relaxed);
    own.has_stamp.store(1, Ordering::Release);
    Ok(())
}

/// The peer's memory, as far as it can be read.
pub struct Cma {
    /// The peer's process, if it is known.
    pub peer: Option<libc::pid_t>,
    /// Whether it was tried to read the peer.
    pub has_probed: bool,
    /// Reader of the peer's memory; `None`: not tried yet, or never.
    pub reader: Option<CmaReader>,
}

impl Cma {
    pub fn new(peer: Option<libc::pid_t>) -> Cma {
        Cma { peer, has_probed: false, reader: None }
    }

    /// Tries to read the peer, which has just shown that it is there, and tells it. Whether that is possible.
    pub fn probe(&mut self, memory: &PairMemory) -> bool {
        self.has_probed = true;
        let probed =
            self.peer.and_then(|pid| probe(pid, memory.peer_single_copy(), memory.own_single_copy()));
        self.reader = probed.map(CmaReader::new);
        self.reader.is_some()
    }
}

/// The process `pid`, if it can be read: that is tried. Tells the other side.
fn probe(pid: libc::pid_t, theirs: &SingleCopyWords, ours: &SingleCopyWords) -> Option<RemoteProcess> {
    if theirs.has_stamp.load(Ordering::Acquire) != 1 {
        return None;
    }
    // Foreign, and kept: what is written there later changes nothing.
    let stamp = ProcessStamp {
        address: theirs.stamp_address.load(Ordering::Relaxed),
        value: theirs.stamp_value.load(Ordering::Relaxed),
    };
    let process = RemoteProcess::new(pid, stamp);
    let mut byte = 0u8;
    // SAFETY: one writable byte.
    let read = unsafe { process.read(stamp.address, &mut byte, 1) };
    ours.can_read.store(u32::from(read.is_ok()), Ordering::Release);
    read.ok().map(|_| process)
}

/// Reader of messages that the other side exposes.
pub struct CmaReader {
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
                return Err(garbage("a message at an address that is not there"));
            }
            (self.from, self.to) = (0, n);
        }
        Ok((self.piece[self.from..].as_ptr(), self.to - self.from))
    }

    /// Whether bytes are read that are not consumed.
    pub fn has_piece(&self) -> bool {
        self.from < self.to
    }

    /// Consumes bytes of the piece.
    pub fn consume(&mut self, bytes: usize) {
        self.from = (self.from + bytes).min(self.to);
    }
}

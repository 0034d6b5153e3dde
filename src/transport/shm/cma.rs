//! Single copies by the kernel (cross-memory attach, CMA): the receiver copies straight out of the sender's
//! memory.
//!
//! The sender *exposes* a message (`exposure`): instead of the bytes, it writes the address and the length of
//! the message into a control line. The receiver reads the message with `process_vm_readv`, either to its
//! final place or, to reduce it, piece by piece into a buffer that stays in cache.
//!
//! Each side probes whether it may read the other's memory. Each process has a random number at some address,
//! and publishes the address and the number in the memory of the pair ([`ProcessStamp`]). A side that can
//! read the number in the other process reports it there. Where reading is forbidden, all data goes through
//! bounce buffers.
//!
//! Every later read also checks the number, in the same system call. If the peer is dead and a new process
//! has its process number, the check fails, and the bytes of the new process are not used.

use std::io;
use std::sync::atomic::Ordering;

use super::layout::SingleCopyWords;
use super::pair::PairMemory;
use crate::sys::process_memory::{ProcessStamp, RemoteProcess};
use crate::transport::garbage;

/// Shortest message that is worth a single copy by the kernel. For a shorter one, the system call costs more
/// than a second copy.
pub const CMA_BYTES: usize = 32 << 10;
/// Bytes of one read, when the receiver reduces the message piece by piece.
const PIECE_BYTES: usize = 128 << 10;

/// Publishes the stamp of this process for the other side.
pub fn publish_stamp(own: &SingleCopyWords) -> io::Result<()> {
    let stamp = ProcessStamp::of_this_process()?;
    own.stamp_address.store(stamp.address, Ordering::Relaxed);
    own.stamp_value.store(stamp.value, Ordering::Relaxed);
    own.has_stamp.store(1, Ordering::Release);
    Ok(())
}

/// The peer's process, and the reader of its memory if this process may read it.
pub struct Cma {
    /// The peer's process number, if it is known.
    pub peer: Option<libc::pid_t>,
    /// Whether reading the peer has been tried.
    pub has_probed: bool,
    /// Reader of the peer's memory. `None`: reading was not tried yet, or failed.
    pub reader: Option<CmaReader>,
}

impl Cma {
    pub fn new(peer: Option<libc::pid_t>) -> Cma {
        Cma { peer, has_probed: false, reader: None }
    }

    /// Tries to read the peer, which has just shown that it is running. Tells the peer and returns whether
    /// reading works.
    pub fn probe(&mut self, memory: &PairMemory) -> bool {
        self.has_probed = true;
        let probed =
            self.peer.and_then(|pid| probe(pid, memory.peer_single_copy(), memory.own_single_copy()));
        self.reader = probed.map(CmaReader::new);
        self.reader.is_some()
    }
}

/// Tries to read the process `pid` and tells the other side whether that works. Returns the process if
/// reading works.
fn probe(pid: libc::pid_t, theirs: &SingleCopyWords, ours: &SingleCopyWords) -> Option<RemoteProcess> {
    if theirs.has_stamp.load(Ordering::Acquire) != 1 {
        return None;
    }
    // The stamp is copied once, because the peer may change it later.
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

/// Reader of the messages that the other side exposes.
pub struct CmaReader {
    pub process: RemoteProcess,
    piece: Vec<u8>,
    /// `piece[from..to]` holds bytes that were read and are not consumed yet.
    from: usize,
    to: usize,
}

impl CmaReader {
    pub fn new(process: RemoteProcess) -> CmaReader {
        CmaReader { process, piece: Vec::new(), from: 0, to: 0 }
    }

    /// The next bytes of the message, in a buffer of this reader. They lie at `address` in the peer's memory,
    /// where `left` bytes of the message are not consumed yet.
    pub fn piece(&mut self, address: u64, left: usize) -> io::Result<(*const u8, usize)> {
        if self.from == self.to {
            self.piece.resize(PIECE_BYTES, 0);
            let n = left.min(PIECE_BYTES);
            // SAFETY: the buffer has at least `n` bytes and belongs to this reader alone.
            let read = unsafe { self.process.read(address, self.piece.as_mut_ptr(), n) }?;
            if read != n {
                return Err(garbage("a message at an address that is not there"));
            }
            (self.from, self.to) = (0, n);
        }
        Ok((self.piece[self.from..].as_ptr(), self.to - self.from))
    }

    /// Whether the buffer holds bytes that were read and are not consumed yet.
    pub fn has_piece(&self) -> bool {
        self.from < self.to
    }

    /// Consumes `bytes` bytes of the piece.
    pub fn consume(&mut self, bytes: usize) {
        self.from = (self.from + bytes).min(self.to);
    }
}

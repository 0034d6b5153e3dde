//! The words of a page, as writer and reader see them. Any bits are valid, so a reader may trust no word.

use std::sync::atomic::{AtomicU64, Ordering};

/// Name of the file, as `/proc/PID/fd` shows it.
pub(super) const NAME: &std::ffi::CStr = c"anyccl-status";
/// First word of a page: `anyccl` and the version of the layout.
pub(super) const MAGIC: u64 = u64::from_le_bytes(*b"anyccl\0\x06");
/// Communicators that have a place.
pub(super) const COMMS: usize = 64;
/// Waits that have a place.
pub(super) const WAITS: usize = 16;
/// Peers of a wait that have a place.
pub(super) const PEERS: usize = 32;
/// Long calls whose bytes have a place; a power of two.
pub(super) const LONG: usize = 64;
/// Operations that are kept; a power of two.
pub(super) const KEPT: usize = 1024;
/// Kinds of calls: the lowest 7 bits of a packed call.
pub(super) const KINDS: usize = 128;
/// Words for the ranks of a communicator.
const MEMBER_WORDS: usize = 16;
/// Ranks of a job that may be listed as those of a communicator.
pub(super) const LISTED: u32 = 64 * MEMBER_WORDS as u32;

/// Text in words, behind which are zeros.
#[derive(Debug)]
#[repr(transparent)]
pub(super) struct Text<const WORDS: usize>([AtomicU64; WORDS]);

impl<const WORDS: usize> Text<WORDS> {
    /// Bytes that it can hold.
    pub const BYTES: usize = 8 * WORDS;

    /// Writes as much of the text as finds room.
    pub fn write(&self, text: &str) {
        let mut end = text.len().min(Text::<WORDS>::BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let bytes = &text.as_bytes()[..end];
        for (at, word) in self.0.iter().enumerate() {
            let mut eight = [0; 8];
            let part = bytes.get(8 * at..).unwrap_or_default();
            let part = &part[..part.len().min(8)];
            eight[..part.len()].copy_from_slice(part);
            word.store(u64::from_le_bytes(eight), Ordering::Relaxed);
        }
    }

    /// The text. Control characters become spaces, because a terminal would obey them.
    pub fn read(&self) -> String {
        let bytes: Vec<u8> =
            self.0.iter().flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes()).collect();
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        let text = String::from_utf8_lossy(&bytes[..end]);
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
    }
}

/// Names of the hosts of a job.
pub(super) type HostNames = Text<125>;

/// One communicator.
#[derive(Debug)]
#[repr(C)]
pub(super) struct CommWords {
    /// Context and [`USED`]; 0: the place is free.
    pub context: AtomicU64,
    /// Rank, and size in the upper half.
    pub rank: AtomicU64,
    /// Number of the group of its ranks: communicators of different ranks may have one context.
    pub group: AtomicU64,
    /// Number of collective calls that were made. Written last.
    pub made: AtomicU64,
    /// The last of them, packed.
    pub call: [AtomicU64; 2],
    /// How it has failed: number of a [`super::FailureKind`]; 0: it has not.
    pub failure: AtomicU64,
    /// Why, written first.
    pub reason: Text<62>,
    /// Its name.
    pub name: Text<10>,
    /// Number of calls of each kind.
    pub made_by_kind: [AtomicU64; KINDS],
    /// Its ranks as ranks of the job, a bit for each of the first [`LISTED`].
    pub members: [AtomicU64; MEMBER_WORDS],
}

/// Set in the context of a communicator, and in the rank of a peer.
pub(super) const USED: u64 = 1 << 32;

/// One wait.
#[derive(Debug)]
#[repr(C)]
pub(super) struct WaitWords {
    /// Odd while the others are written, and twice the number of times that they were.
    pub version: AtomicU64,
    /// When the wait began, in nanoseconds of CLOCK_MONOTONIC; 0: the place is free.
    pub since: AtomicU64,
    /// Context of the communicator.
    pub context: AtomicU64,
    /// Number of the call; [`NO_CALL`] for a message.
    pub number: AtomicU64,
    /// What is waited for.
    pub text: Text<124>,
    /// The links to other ranks, first those for which the wait is.
    pub peers: [PeerWords; PEERS],
}

/// The link to a peer, as a wait has found it.
#[derive(Debug)]
#[repr(C)]
pub(super) struct PeerWords {
    /// Rank of the peer in the communicator, with [`READS`], [`WRITES`] and [`USED`]; 0: the place is free.
    pub peer: AtomicU64,
    /// Name of the transport.
    pub transport: Text<1>,
    /// Bytes that were given to the network for the peer, and that have come from it.
    pub moved: [AtomicU64; 2],
}

/// Set in a peer from which the wait needs data.
pub(super) const READS: u64 = 1 << 33;
/// Set in a peer for which the wait needs room in the link.
pub(super) const WRITES: u64 = 1 << 34;

/// Number of what is no collective call.
pub(super) const NO_CALL: u64 = u64::MAX;

/// One collective call or message, in a cache line.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct OperationWords {
    /// Its number, which begins at 1; 0: being written, or none yet. Written last.
    pub number: AtomicU64,
    /// When it began.
    pub begin: AtomicU64,
    /// When its first byte moved. Before its begin: not yet.
    pub moved: AtomicU64,
    /// When it ended, with a flag if it has failed; 0: not yet.
    pub end: AtomicU64,
    /// Context of its communicator, and the number of the call there in the upper half.
    pub place: AtomicU64,
    /// The call, packed.
    pub call: [AtomicU64; 2],
    /// The other rank of a message in the communicator, or [`ANY_RANK`], with [`SENDS`].
    pub peer: AtomicU64,
}

/// The rank of a receive that accepts messages of all.
pub(super) const ANY_RANK: u32 = u32::MAX;
/// Set in the peer of a message that is sent.
pub(super) const SENDS: u64 = 1 << 32;

/// How far a long call has come.
#[derive(Debug)]
#[repr(C)]
pub(super) struct ProgressWords {
    /// Number of the operation; 0: being written, or none yet. Written last.
    pub operation: AtomicU64,
    /// Bytes that this rank sends and receives in it.
    pub asked: AtomicU64,
    /// Bytes that it has sent and received.
    pub moved: AtomicU64,
    /// When the last of them moved.
    pub at: AtomicU64,
}

/// All words of a page.
#[derive(Debug)]
#[repr(C, align(4096))]
pub(super) struct PageWords {
    /// Whether an engine has the page.
    pub taken: AtomicU64,
    /// [`MAGIC`], once the engine has written the rest.
    pub magic: AtomicU64,
    /// Process that writes.
    pub pid: AtomicU64,
    /// Random number of the job, the same on all of its ranks.
    pub job: AtomicU64,
    /// Rank in the job, and its size in the upper half.
    pub rank: AtomicU64,
    /// Number of hosts of the job.
    pub hosts: AtomicU64,
    /// Their names, with spaces in between, as far as they fit.
    pub host_names: HostNames,
    /// Number of the PID namespace, which `pid` and the texts are of.
    pub pid_namespace: AtomicU64,
    /// Whether ranks of a host have several of them.
    pub are_apart: AtomicU64,
    /// Clock of the times of operations: [`COUNTER`] or coarse.
    pub clock: AtomicU64,
    /// When the page was taken: on that clock, and in nanoseconds of CLOCK_MONOTONIC.
    pub taken_at: [AtomicU64; 2],
    pub comms: [CommWords; COMMS],
    /// Place of the communicators that have none; never read.
    pub other_comms: CommWords,
    pub waits: [WaitWords; WAITS],
    /// Calls that move many bytes: operation n is at n % [`LONG`].
    pub progress: [ProgressWords; LONG],
    /// The last collective calls: number n is at n % [`KEPT`].
    pub operations: [OperationWords; KEPT],
    /// The last messages, numbered on their own.
    pub messages: [OperationWords; KEPT],
}

/// The clock is the time stamp counter.
pub(super) const COUNTER: u64 = 1;

/// The file of a process: pages of its engines. It takes no memory where no engine has written.
pub(super) type FileWords = [PageWords; 64];

/// Length of the file.
pub(super) const FILE_BYTES: usize = size_of::<FileWords>();
/// Length of a page.
pub(super) const PAGE_BYTES: usize = size_of::<PageWords>();

/// Two numbers in a word.
pub(super) fn pair(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// The two numbers of a word.
pub(super) fn halves(word: u64) -> (u32, u32) {
    (word as u32, (word >> 32) as u32)
}

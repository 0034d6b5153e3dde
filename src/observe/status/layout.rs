//! The words of a page, as writer and reader see them. Any bits are valid, so a reader may trust no word.

use std::sync::atomic::{AtomicU64, Ordering};

/// Name of the file, as `/proc/PID/fd` shows it.
pub(super) const NAME: &std::ffi::CStr = c"anyccl-status";
/// First word of a page: `anyccl` and the version of the layout.
pub(super) const MAGIC: u64 = u64::from_le_bytes(*b"anyccl\0\x01");
/// Communicators that have a place.
pub(super) const COMMS: usize = 64;
/// Waits that have a place.
pub(super) const WAITS: usize = 16;

/// Text in words, behind which are zeros.
#[derive(Debug)]
#[repr(transparent)]
pub(super) struct Text<const WORDS: usize>([AtomicU64; WORDS]);

impl<const WORDS: usize> Text<WORDS> {
    /// Writes as much of the text as finds room.
    pub fn write(&self, text: &str) {
        let mut end = text.len().min(8 * WORDS);
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
    /// Whether it has failed.
    pub has_failed: AtomicU64,
    /// Its name.
    pub name: Text<10>,
}

/// Set in the context of a communicator.
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
}

/// Number of what is no collective call.
pub(super) const NO_CALL: u64 = u64::MAX;

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
    /// Number of the job, the same on all of its ranks.
    pub job: AtomicU64,
    /// Which page of the process this is, in the order in which they were made.
    pub order: AtomicU64,
    /// Rank in the job, and its size in the upper half.
    pub rank: AtomicU64,
    /// Number of hosts of the job.
    pub hosts: AtomicU64,
    pub comms: [CommWords; COMMS],
    pub waits: [WaitWords; WAITS],
}

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

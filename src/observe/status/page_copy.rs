//! A copy of a page, which a reader on another host understands as well as one here.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, Ordering};

use super::layout::{MAGIC, PAGE_BYTES, PageWords};
use super::snapshot::{ReadTime, Snapshot, snapshot};
use crate::sys::ticks::Moment;

/// A page as it was at some time.
#[derive(Debug)]
pub struct PageCopy {
    pub(super) words: WordsCopy,
    /// When it was copied.
    pub(super) read: ReadTime,
    /// Whether nothing but operations changed meanwhile.
    pub(super) is_still: bool,
}

impl PageCopy {
    /// Numbers that [`PageCopy::from_parts`] needs besides the bytes.
    pub fn numbers(&self) -> [u64; 4] {
        let ReadTime { moment, clock_zero } = self.read;
        [moment.ticks, moment.nanoseconds, clock_zero, u64::from(self.is_still)]
    }

    /// The bytes of the page. Others can write to its words by `&self`, so nobody else may have it.
    pub fn bytes(&mut self) -> &[u8] {
        self.words.bytes_mut()
    }

    /// A copy that another host has made. `None` if it is none of this version's, or not on this kind of
    /// processor.
    pub fn from_parts(numbers: [u64; 4], bytes: &[u8]) -> Option<PageCopy> {
        let [ticks, nanoseconds, clock_zero, is_still] = numbers;
        let mut words = WordsCopy::zeroed();
        if bytes.len() != PAGE_BYTES {
            return None;
        }
        words.bytes_mut().copy_from_slice(bytes);
        let read = ReadTime { moment: Moment { ticks, nanoseconds }, clock_zero };
        (words.words().magic.load(Ordering::Relaxed) == MAGIC).then_some(PageCopy {
            words,
            read,
            is_still: is_still != 0,
        })
    }

    /// What it says.
    pub fn snapshot(&self) -> Snapshot {
        snapshot(self.words.words(), &self.read, self.is_still)
    }

    /// The process that wrote it, by its number in its own PID namespace.
    pub fn pid(&self) -> u32 {
        self.of(|words| &words.pid) as u32
    }

    /// Number of the job.
    pub fn job(&self) -> u64 {
        self.of(|words| &words.job)
    }

    fn of(&self, word: fn(&PageWords) -> &AtomicU64) -> u64 {
        word(self.words.words()).load(Ordering::Relaxed)
    }
}

/// The bytes of a page, aligned as its words. All of them are initialized.
#[derive(Debug)]
pub(super) struct WordsCopy(Box<MaybeUninit<PageWords>>);

impl WordsCopy {
    pub fn zeroed() -> WordsCopy {
        WordsCopy(Box::new_zeroed())
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the box has that many bytes, all initialized, which may have any value. `self` is borrowed
        // alone as long as they are, so nobody has its words.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast::<u8>(), PAGE_BYTES) }
    }

    pub fn words(&self) -> &PageWords {
        // SAFETY: all bytes are initialized, and the words are atomics, for which any bits are valid.
        unsafe { self.0.assume_init_ref() }
    }
}

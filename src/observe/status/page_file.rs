//! The file of a process's pages, as another process finds and reads it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::mem::offset_of;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::Ordering;

use super::layout::{FILE_BYTES, MAGIC, NAME, PAGE_BYTES, PageWords, halves};
use super::page_copy::{PageCopy, WordsCopy};
use super::snapshot::ReadTime;
use super::{operations, progress};
use crate::base::Rank;
use crate::sys::shared_memory::sealed_size;

/// Pages of a process.
#[derive(Debug)]
pub struct PageFile {
    file: File,
    identity: (u64, u64),
}

impl PageFile {
    /// The files that a process has open: its own, also of several of anyccl's libraries, and those of other
    /// processes that it holds. It is an error if the process is gone, or is not of this user.
    pub fn all_of(pid: u32) -> io::Result<Vec<PageFile>> {
        let mut found: Vec<PageFile> = Vec::new();
        for entry in fs::read_dir(format!("/proc/{pid}/fd"))? {
            let Ok(path) = entry.map(|entry| entry.path()) else { continue };
            if let Ok(file) = PageFile::open(&path)
                // A process may have a file twice.
                && found.iter().all(|other| other.identity != file.identity)
            {
                found.push(file);
            }
        }
        Ok(found)
    }

    /// The file that a process has by this descriptor. It is an error if it has none with pages.
    pub(super) fn of(pid: u32, fd: RawFd) -> io::Result<PageFile> {
        PageFile::open(Path::new(&format!("/proc/{pid}/fd/{fd}")))
    }

    fn open(path: &Path) -> io::Result<PageFile> {
        // A link to a file that is not opened by this: to open a device or a pipe may do something.
        let place = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path)?;
        let path = format!("/proc/self/fd/{}", place.as_raw_fd());
        let name = format!("/memfd:{} (deleted)", NAME.to_string_lossy());
        if fs::read_link(&path)?.to_str() != Some(&name) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
        PageFile::new(OpenOptions::new().read(true).custom_flags(flags).open(path)?)
    }

    /// Takes a file for one with pages. It is an error if it is none of this library's.
    pub(super) fn new(file: File) -> io::Result<PageFile> {
        let descriptor = OwnedFd::from(file);
        if sealed_size(&descriptor)? != FILE_BYTES as u64 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let file = File::from(descriptor);
        let data = file.metadata()?;
        Ok(PageFile { identity: (data.dev(), data.ino()), file })
    }

    /// What tells it from others: two processes may have the same file.
    pub fn identity(&self) -> (u64, u64) {
        self.identity
    }

    /// Whether the engine of a rank of a job has a page here.
    pub(super) fn has_page(&self, pid: u32, job: u64, rank: Rank) -> bool {
        (0..FILE_BYTES / PAGE_BYTES).any(|number| {
            let mut head = [0; HEAD_BYTES];
            let is_read = self.file.read_exact_at(&mut head, (number * PAGE_BYTES) as u64).is_ok();
            let word =
                |at: usize| u64::from_ne_bytes(*head[at..].first_chunk().expect("the words lie in the head"));
            is_read
                && word(offset_of!(PageWords, magic)) == MAGIC
                && word(offset_of!(PageWords, pid)) == u64::from(pid)
                && word(offset_of!(PageWords, job)) == job
                && halves(word(offset_of!(PageWords, rank))).0 == rank
        })
    }

    /// Copies of the pages that engines have.
    pub fn pages(&self) -> impl Iterator<Item = io::Result<PageCopy>> {
        (0..FILE_BYTES / PAGE_BYTES).filter_map(|number| self.copy_page(number).transpose())
    }

    /// The descriptor.
    pub(super) fn into_descriptor(self) -> OwnedFd {
        self.file.into()
    }

    /// Copies a page; none if no engine has it.
    fn copy_page(&self, number: usize) -> io::Result<Option<PageCopy>> {
        let mut magic = [0; 8];
        self.file.read_exact_at(&mut magic, (number * PAGE_BYTES + offset_of!(PageWords, magic)) as u64)?;
        if u64::from_ne_bytes(magic) != MAGIC {
            return Ok(None);
        }
        let copy =
            |words: &mut WordsCopy| self.file.read_exact_at(words.bytes_mut(), (number * PAGE_BYTES) as u64);
        let (mut before, mut after) = (WordsCopy::zeroed(), WordsCopy::zeroed());
        copy(&mut before)?;
        for look in 1.. {
            copy(&mut after)?;
            let words = after.words();
            if words.magic.load(Ordering::Relaxed) != MAGIC {
                break;
            }
            let is_still = before.words().counts().eq(words.counts());
            if is_still || look == MOST_LOOKS {
                let earlier = before.words();
                operations::keep_what_is_in(&earlier.operations, &words.operations);
                operations::keep_what_is_in(&earlier.messages, &words.messages);
                progress::keep_what_is_in(&earlier.progress, &words.progress);
                let read = ReadTime::now(words);
                return Ok(Some(PageCopy { words: after, read, is_still }));
            }
            std::mem::swap(&mut before, &mut after);
        }
        Ok(None)
    }
}

/// Bytes at the begin of a page that say whose it is.
const HEAD_BYTES: usize = offset_of!(PageWords, comms);

/// Looks at a page until two in a row have the same calls and waits.
const MOST_LOOKS: u32 = 10;

impl PageWords {
    /// The numbers that change with what they belong to.
    fn counts(&self) -> impl Iterator<Item = u64> {
        let of_comms = self.comms.iter().map(|comm| comm.made.load(Ordering::Relaxed));
        of_comms.chain(self.waits.iter().map(|wait| wait.version.load(Ordering::Relaxed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::shared_memory::SharedMemory;

    #[test]
    fn only_a_file_by_the_name_of_pages_is_opened() {
        for (name, is_right) in [(NAME, true), (c"other", false)] {
            let (_memory, fd) = SharedMemory::create_named(name, FILE_BYTES).unwrap();
            let file = PageFile::of(std::process::id(), fd.as_raw_fd());
            assert_eq!(file.is_ok(), is_right, "{name:?}");
        }
    }
}

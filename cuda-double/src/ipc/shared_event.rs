//! Events between processes: the numbers of the last record that was queued and of the last one that ran, in
//! memory that all share.

use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::context::Context;
use crate::delays::Naps;
use crate::memory_file::{MemoryFile, PAGE};
use crate::status::{Result, Status};

/// What the processes share.
#[repr(C)]
struct Records {
    queued: AtomicU64,
    done: AtomicU64,
}

/// The state of an event that several processes use.
pub struct SharedEvent {
    pub(super) file: MemoryFile,
    records: *const Records,
}

// SAFETY: the mapping holds atomics only.
unsafe impl Send for SharedEvent {}
// SAFETY: the mapping holds atomics only.
unsafe impl Sync for SharedEvent {}

impl SharedEvent {
    /// An event that was never recorded.
    pub fn create() -> Result<SharedEvent> {
        let file = MemoryFile::create(PAGE, 0, 0)?;
        file.fill(0)?;
        SharedEvent::map(file)
    }

    pub(super) fn map(file: MemoryFile) -> Result<SharedEvent> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let (length, descriptor) = (PAGE as usize, file.descriptor());
        // SAFETY: a new mapping; the kernel picks the addresses.
        let mapped = unsafe { libc::mmap(ptr::null_mut(), length, access, libc::MAP_SHARED, descriptor, 0) };
        if mapped == libc::MAP_FAILED {
            return Err(Status::OUT_OF_MEMORY);
        }
        Ok(SharedEvent { file, records: mapped.cast() })
    }

    fn records(&self) -> &Records {
        // SAFETY: the mapping lives as long as this object, and a page holds the records.
        unsafe { &*self.records }
    }

    /// The number of the last record.
    pub fn recorded(&self) -> u64 {
        self.records().queued.load(Ordering::SeqCst)
    }

    /// A new record is queued; its number.
    pub fn begin(&self) -> u64 {
        self.records().queued.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// The record `number` has run.
    pub fn finish(&self, number: u64) {
        self.records().done.fetch_max(number, Ordering::SeqCst);
    }

    /// Whether the record `number` has run.
    pub fn is_reached(&self, number: u64) -> bool {
        self.records().done.load(Ordering::SeqCst) >= number
    }

    /// Waits until the record `number` has run, or the context is corrupt.
    pub fn wait(&self, number: u64, context: &Context) -> Result {
        let mut naps = Naps::short();
        while !self.is_reached(number) {
            context.check()?;
            naps.nap();
        }
        Ok(())
    }
}

impl Drop for SharedEvent {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nobody uses it any more.
        unsafe { libc::munmap(self.records.cast_mut().cast(), PAGE as usize) };
    }
}

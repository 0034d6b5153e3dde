//! Words that several processes share.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use cuda::delays::Naps;
use cuda::pinned::{cuMemHostRegister_v2, cuMemHostUnregister};

use super::ok;

/// A page of words that several processes map and register with the driver.
pub struct Flags {
    address: u64,
    descriptor: OwnedFd,
}

impl Flags {
    /// A new page; processes that are started later inherit it.
    pub fn create() -> Flags {
        // SAFETY: the name ends with a zero. Without a flag the child inherits the descriptor.
        let descriptor = unsafe { libc::memfd_create(c"flags".as_ptr(), 0) };
        // SAFETY: the descriptor is new.
        let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
        // SAFETY: the descriptor is open.
        assert_eq!(unsafe { libc::ftruncate(descriptor.as_raw_fd(), 4096) }, 0);
        Flags::map(descriptor)
    }

    /// The page of the process that started this one, by the variable `FLAGS`.
    pub fn of_parent() -> Flags {
        // SAFETY: the parent left this descriptor open for this process alone.
        Flags::map(unsafe { OwnedFd::from_raw_fd(number("FLAGS") as RawFd) })
    }

    fn map(descriptor: OwnedFd) -> Flags {
        let (access, raw) = (libc::PROT_READ | libc::PROT_WRITE, descriptor.as_raw_fd());
        // SAFETY: a new mapping of a page.
        let memory = unsafe { libc::mmap(ptr::null_mut(), 4096, access, libc::MAP_SHARED, raw, 0) };
        assert_ne!(memory, libc::MAP_FAILED);
        ok(cuMemHostRegister_v2(memory as u64, 4096, 0));
        Flags { address: memory as u64, descriptor }
    }

    /// The descriptor, for the variable `FLAGS` of another process.
    pub fn descriptor(&self) -> String {
        self.descriptor.as_raw_fd().to_string()
    }

    /// The address of a word.
    pub fn at(&self, index: u64) -> u64 {
        self.address + 4 * index
    }

    /// A word.
    pub fn word(&self, index: u64) -> &AtomicU32 {
        // SAFETY: the page holds the word.
        unsafe { AtomicU32::from_ptr(self.at(index) as *mut u32) }
    }

    /// Waits until a word is not zero.
    pub fn wait(&self, index: u64) {
        let (mut naps, start) = (Naps::short(), Instant::now());
        while self.word(index).load(Ordering::SeqCst) == 0 {
            assert!(start.elapsed() < Duration::from_secs(20), "nobody raised word {index}");
            naps.nap();
        }
    }
}

impl Drop for Flags {
    fn drop(&mut self) {
        cuMemHostUnregister(self.address);
        // SAFETY: the mapping is ours.
        unsafe { libc::munmap(self.address as *mut _, 4096) };
    }
}

/// A number in a variable.
pub fn number(variable: &str) -> u64 {
    std::env::var(variable).unwrap().parse().unwrap()
}

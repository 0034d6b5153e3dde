//! Large `memfd`s of which little is in use: a mapping that is opened bit by bit, pages that come and go.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;

/// Unit of everything here. Kernels with larger pages round mappings up by themselves; 64 KiB is a multiple
/// of all page sizes of Linux on the processors we know.
pub const PAGE_BYTES: usize = 64 << 10;

/// The page of most systems.
const SMALLEST_PAGE: usize = 4096;

/// A mapping that is unmapped on drop. Its bytes belong to several processes: raw pointers only.
#[derive(Debug)]
pub struct SparseMapping {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: a mapping is valid for all threads of the process; what is done with its bytes is up to the users
// of the pointers, who never form references.
unsafe impl Send for SparseMapping {}
// SAFETY: as above: no method gives out a reference to the bytes.
unsafe impl Sync for SparseMapping {}

impl SparseMapping {
    /// Addresses for all `len` bytes of `fd`, none of which may be touched before [`SparseMapping::open`].
    pub fn reserve(fd: &OwnedFd, len: usize) -> io::Result<SparseMapping> {
        SparseMapping::map(fd, len, libc::PROT_NONE)
    }

    /// The first `len` bytes of `fd`, which must have as many, to be read. A child of fork does not inherit
    /// it.
    pub fn read_only(fd: &OwnedFd, len: usize) -> io::Result<SparseMapping> {
        let mapping = SparseMapping::map(fd, len, libc::PROT_READ)?;
        mapping.advise(0, len, libc::MADV_DONTFORK)?;
        Ok(mapping)
    }

    fn map(fd: &OwnedFd, len: usize, protection: libc::c_int) -> io::Result<SparseMapping> {
        let (flags, place) = (libc::MAP_SHARED | libc::MAP_NORESERVE, std::ptr::null_mut());
        // SAFETY: a fresh mapping at an address of the kernel's choice overlaps nothing of ours.
        let start = unsafe { libc::mmap(place, len, protection, flags, fd.as_raw_fd(), 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or_else(|| io::Error::other("mapped at NULL"))?;
        let mapping = SparseMapping { start, len };
        // A core dump would go through terabytes of holes.
        mapping.advise(0, len, libc::MADV_DONTDUMP)?;
        Ok(mapping)
    }

    /// First byte.
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Bytes, whether they may be touched or not.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Makes the bytes from `from` to `to`, multiples of `PAGE_BYTES`, readable and writable.
    pub fn open(&self, from: usize, to: usize) -> io::Result<()> {
        let (start, len) = self.range(from, to - from);
        // SAFETY: a range of our own mapping, which only gains rights.
        if unsafe { libc::mprotect(start, len, libc::PROT_READ | libc::PROT_WRITE) } < 0 {
            return Err(io::Error::last_os_error());
        }
        self.advise(from, len, libc::MADV_DODUMP)
    }

    /// Gives memory to `len` bytes at `from`, which are open. An error where there is none: better than
    /// SIGBUS at the first touch. Whole pages; what is there stays.
    pub fn populate(&self, from: usize, len: usize) -> io::Result<()> {
        let (from, len) = (from - from % SMALLEST_PAGE, len + from % SMALLEST_PAGE);
        match self.advise(from, len, libc::MADV_POPULATE_WRITE) {
            // Linux before 5.14, or pages larger than ours: the first touch does it.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
            outcome => outcome,
        }
    }

    fn advise(&self, from: usize, len: usize, advice: libc::c_int) -> io::Result<()> {
        let (start, len) = self.range(from, len);
        // SAFETY: a range of our own mapping; none of the advices used here changes bytes.
        match unsafe { libc::madvise(start, len, advice) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn range(&self, from: usize, len: usize) -> (*mut libc::c_void, usize) {
        assert!(from <= self.len && len <= self.len - from, "a range outside of the mapping");
        (self.start().wrapping_add(from).cast(), len)
    }
}

impl Drop for SparseMapping {
    fn drop(&mut self) {
        // SAFETY: the range was mapped by `map` and is unmapped once; pointers into it live no longer than
        // their owner, who owns this.
        unsafe { libc::munmap(self.start().cast(), self.len) };
    }
}

/// Takes the memory of `len` bytes at `offset` of `fd` away; they read as zeros from now on, for everybody
/// who has mapped them.
pub fn discard(fd: &OwnedFd, offset: usize, len: usize) -> io::Result<()> {
    let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    // SAFETY: plain call on an owned descriptor; whether anybody still uses the bytes is up to the caller,
    // for whom they stay readable in any case.
    match unsafe { libc::fallocate(fd.as_raw_fd(), mode, offset as libc::off_t, len as libc::off_t) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// How large a sparse file of this process may be: twice the memory of the machine, less where a limit of the
/// process (`ulimit -v`, `ulimit -f`) would be hit. A power of two, a multiple of `PAGE_BYTES`.
pub fn reasonable_bytes() -> usize {
    // SAFETY: plain calls without pointers; -1 where unknown.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
    // SAFETY: as above.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let memory = usize::try_from(pages).unwrap_or(1 << 22).saturating_mul(page.max(4096) as usize);
    let bytes = memory.saturating_mul(2).clamp(1 << 30, 1 << 44).next_power_of_two();
    // Peers map of each other what is in use: some room must be left.
    let limit = (limit_of(libc::RLIMIT_AS) / 4).min(limit_of(libc::RLIMIT_FSIZE)).max(PAGE_BYTES);
    bytes.min(1 << limit.ilog2())
}

fn limit_of(resource: libc::__rlimit_resource_t) -> usize {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the kernel fills the structure, which outlives the call.
    unsafe { libc::getrlimit(resource, &mut limit) };
    usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::shared_memory::sealed;

    #[test]
    fn discarded_bytes_are_zero_in_every_mapping_and_can_be_written_again() {
        let len = 16 * PAGE_BYTES;
        let fd = sealed(len).unwrap();
        let own = SparseMapping::reserve(&fd, len).unwrap();
        own.open(0, 2 * PAGE_BYTES).unwrap();
        own.populate(0, 2 * PAGE_BYTES).unwrap();
        let seen = SparseMapping::read_only(&fd, len).unwrap();
        let last = 2 * PAGE_BYTES - 1;
        for value in [7u8, 8] {
            // SAFETY: the last open byte.
            unsafe { own.start().wrapping_add(last).write_volatile(value) };
            // SAFETY: a byte of the other mapping.
            assert_eq!(unsafe { seen.start().wrapping_add(last).read_volatile() }, value);
            discard(&fd, 0, 2 * PAGE_BYTES).unwrap();
            // SAFETY: as above.
            assert_eq!(unsafe { seen.start().wrapping_add(last).read_volatile() }, 0);
        }
    }

    #[test]
    fn a_reasonable_size_is_a_power_of_two_of_at_least_one_page() {
        assert!(reasonable_bytes().is_power_of_two() && reasonable_bytes() >= PAGE_BYTES);
    }
}

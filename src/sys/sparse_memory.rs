//! Large `memfd`s of which little is in use: a mapping that is opened step by step, and pages that are given
//! and taken away.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;

use super::limits;

/// Unit of everything here. Kernels with larger pages round mappings up themselves. 64 KiB is a multiple of
/// every page size of Linux on the processors that this library supports.
pub const PAGE_BYTES: usize = 64 << 10;

/// Page size of most systems.
const SMALLEST_PAGE: usize = 4096;

/// A mapping that is unmapped on drop. Several processes use its bytes: use raw pointers only.
#[derive(Debug)]
pub struct SparseMapping {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: a mapping is valid for all threads of the process. The users of the pointers are responsible for
// the bytes, and never form references.
unsafe impl Send for SparseMapping {}
// SAFETY: as above: no method gives out a reference to the bytes.
unsafe impl Sync for SparseMapping {}

impl SparseMapping {
    /// Reserves addresses for all `len` bytes of `fd`. None may be touched before [`SparseMapping::open`].
    pub fn reserve(fd: &OwnedFd, len: usize) -> io::Result<SparseMapping> {
        SparseMapping::map(fd, 0, len, libc::PROT_NONE)
    }

    /// Maps the first `len` bytes of `fd` for reading. The file must have that many. A child of fork does not
    /// inherit the mapping.
    pub fn read_only(fd: &OwnedFd, len: usize) -> io::Result<SparseMapping> {
        SparseMapping::map_for_this_process(fd, 0, len, libc::PROT_READ)
    }

    /// Maps `len` bytes of `fd` for reading and writing, from `offset` on, a multiple of `PAGE_BYTES`. The
    /// file must have that many. A child of fork does not inherit the mapping.
    pub fn read_write(fd: &OwnedFd, offset: usize, len: usize) -> io::Result<SparseMapping> {
        SparseMapping::map_for_this_process(fd, offset, len, libc::PROT_READ | libc::PROT_WRITE)
    }

    fn map_for_this_process(
        fd: &OwnedFd,
        offset: usize,
        len: usize,
        protection: libc::c_int,
    ) -> io::Result<SparseMapping> {
        let mapping = SparseMapping::map(fd, offset, len, protection)?;
        mapping.advise(0, len, libc::MADV_DONTFORK)?;
        Ok(mapping)
    }

    fn map(fd: &OwnedFd, offset: usize, len: usize, protection: libc::c_int) -> io::Result<SparseMapping> {
        let (flags, place) = (libc::MAP_SHARED | libc::MAP_NORESERVE, std::ptr::null_mut());
        // SAFETY: a fresh mapping at an address of the kernel's choice overlaps no other memory.
        let start =
            unsafe { libc::mmap(place, len, protection, flags, fd.as_raw_fd(), offset as libc::off_t) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or_else(|| io::Error::other("mapped at NULL"))?;
        let mapping = SparseMapping { start, len };
        // Without this, a core dump would contain terabytes of holes.
        mapping.advise(0, len, libc::MADV_DONTDUMP)?;
        Ok(mapping)
    }

    /// Address of the first byte.
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Number of bytes, whether they may be touched or not.
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
        // SAFETY: a range of this mapping, which only gains rights.
        if unsafe { libc::mprotect(start, len, libc::PROT_READ | libc::PROT_WRITE) } < 0 {
            return Err(io::Error::last_os_error());
        }
        self.advise(from, len, libc::MADV_DODUMP)
    }

    /// Gives pages to the `len` bytes at `from`, which are open. It is an error if there is no memory, which
    /// is better than SIGBUS at the first touch. Whole pages are populated; existing contents stay.
    pub fn populate(&self, from: usize, len: usize) -> io::Result<()> {
        let (from, len) = (from - from % SMALLEST_PAGE, len + from % SMALLEST_PAGE);
        match self.advise(from, len, libc::MADV_POPULATE_WRITE) {
            // Linux before 5.14, or larger pages than assumed: the first touch gives the pages.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
            outcome => outcome,
        }
    }

    fn advise(&self, from: usize, len: usize, advice: libc::c_int) -> io::Result<()> {
        let (start, len) = self.range(from, len);
        // SAFETY: a range of this mapping; none of the kinds of advice used here changes bytes.
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
        // the owner of this object.
        unsafe { libc::munmap(self.start().cast(), self.len) };
    }
}

/// Takes away the pages of `len` bytes at `offset` of `fd`. From now on they read as zeros in every process
/// that has mapped them.
pub fn discard(fd: &OwnedFd, offset: usize, len: usize) -> io::Result<()> {
    let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    // SAFETY: plain call on an owned descriptor. The caller decides whether the bytes are still needed; they
    // stay readable in any case.
    match unsafe { libc::fallocate(fd.as_raw_fd(), mode, offset as libc::off_t, len as libc::off_t) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Size of a sparse file of this process: twice the memory of the machine, or less if a limit of the process
/// (`ulimit -v`, `ulimit -f`) would be exceeded. It is a power of two and a multiple of `PAGE_BYTES`.
pub fn reasonable_bytes() -> usize {
    // SAFETY: plain calls without pointers; -1 where unknown.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
    // SAFETY: as above.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let memory = usize::try_from(pages).unwrap_or(1 << 22).saturating_mul(page.max(4096) as usize);
    let bytes = memory.saturating_mul(2).clamp(1 << 30, 1 << 44).next_power_of_two();
    // Room must be left for mapping the used parts of the peers' files.
    let limit = (limits::of(libc::RLIMIT_AS) / 4).min(limits::of(libc::RLIMIT_FSIZE)).max(PAGE_BYTES);
    bytes.min(1 << limit.ilog2())
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

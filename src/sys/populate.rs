//! Pages for memory that other code has mapped.

use std::io;

/// Gives pages to the `bytes` bytes from `start` on, as a touch of each would, and changes no byte. `false`:
/// some of it is not mapped, or cannot be read.
pub fn populate(start: *const u8, bytes: usize) -> io::Result<bool> {
    // SAFETY: a plain call without pointers.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).map_err(io::Error::other)?;
    let first = start.addr() - start.addr() % page;
    let end = start.addr().checked_add(bytes).and_then(|end| end.checked_next_multiple_of(page));
    let Some(end) = end else { return Ok(false) };
    let (first, len) = (start.with_addr(first).cast_mut(), end - first);
    if !is_mapped(first, len, page)? {
        return Ok(false);
    }
    let first = first.cast();
    let advise = |len, advice| {
        // SAFETY: both kinds of advice used here act like a touch of each page, without changing a byte; an
        // address that cannot be touched is an error, not a fault.
        match unsafe { libc::madvise(first, len, advice) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    };
    // The kernel refuses unknown advice even for zero bytes. Before Linux 5.14 the first touch gives the
    // pages.
    if advise(0, libc::MADV_POPULATE_READ).is_err() {
        return Ok(true);
    }
    for advice in [libc::MADV_POPULATE_WRITE, libc::MADV_POPULATE_READ] {
        match advise(len, advice) {
            Ok(()) => return Ok(true),
            // Without the right to write, or to read.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {}
            // Beyond the end of a mapped file, where a touch would raise SIGBUS.
            Err(error) if error.raw_os_error() == Some(libc::EFAULT) => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

/// Whether the whole range is mapped. `first` and `len` are multiples of a page.
fn is_mapped(first: *mut u8, len: usize, page: usize) -> io::Result<bool> {
    let mut states = [0u8; 4096];
    let step = states.len() * page;
    for from in (0..len).step_by(step) {
        let bytes = step.min(len - from);
        // SAFETY: the kernel reads its own tables, and writes one byte per page, for which there is room.
        if unsafe { libc::mincore(first.wrapping_add(from).cast(), bytes, states.as_mut_ptr()) } < 0 {
            let error = io::Error::last_os_error();
            return if error.raw_os_error() == Some(libc::ENOMEM) { Ok(false) } else { Err(error) };
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::shared_memory::{SharedMemory, sealed};
    use crate::sys::sparse_memory::{PAGE_BYTES, SparseMapping};

    /// Whether the page at `start` is in memory.
    fn is_resident(start: *const u8) -> bool {
        let mut state = 0u8;
        // SAFETY: the kernel writes one byte, for one page.
        let rc = unsafe { libc::mincore(start.cast_mut().cast(), 1, &mut state) };
        rc == 0 && state & 1 == 1
    }

    #[test]
    fn every_page_of_the_range_is_there_and_no_byte_is_changed() {
        let (memory, _fd) = SharedMemory::create(4 * PAGE_BYTES).unwrap();
        let last = memory.start().wrapping_add(3 * PAGE_BYTES);
        assert!(!is_resident(last));
        assert!(populate(memory.start().wrapping_add(5), 3 * PAGE_BYTES - 4).unwrap());
        assert!(is_resident(last));
        let constant = b"what cannot be written can be sent";
        assert!(populate(constant.as_ptr(), constant.len()).unwrap());
        assert_eq!(constant[0], b'w');
    }

    #[test]
    fn memory_that_is_not_mapped_or_cannot_be_read_is_refused() {
        let fd = sealed(PAGE_BYTES).unwrap();
        let reserved = SparseMapping::reserve(&fd, 2 * PAGE_BYTES).unwrap();
        assert!(!populate(reserved.start(), 1).unwrap());
        reserved.open(0, 2 * PAGE_BYTES).unwrap();
        assert!(populate(reserved.start(), PAGE_BYTES).unwrap());
        assert!(!populate(reserved.start(), PAGE_BYTES + 1).unwrap(), "behind the end of the file");
        assert!(!populate(std::ptr::null(), 1).unwrap());
        assert!(!populate(reserved.start(), usize::MAX).unwrap());
    }
}

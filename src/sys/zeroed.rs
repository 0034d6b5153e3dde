//! Memory of a size that the caller of the library decides: too much of it is an error.
//!
//! `vec![0; n]` ends the process when there is no memory. For what has a small bound, that is the better
//! answer, because the system has no memory left then.

use std::alloc::{Layout, alloc_zeroed};
use std::io;

/// Makes `bytes` zeros. Large ones cost nothing until they are used.
pub fn zeroed(bytes: usize) -> io::Result<Vec<u8>> {
    if bytes == 0 {
        return Ok(Vec::new());
    }
    let layout = Layout::array::<u8>(bytes).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    // SAFETY: the layout is not empty.
    let start = unsafe { alloc_zeroed(layout) };
    if start.is_null() {
        return Err(io::Error::from_raw_os_error(libc::ENOMEM));
    }
    // SAFETY: the global allocator has just made it with the layout of that many bytes, all of them zeros.
    Ok(unsafe { Vec::from_raw_parts(start, bytes, bytes) })
}

/// Makes sure that a vector can take `more` elements.
pub fn reserve<T>(vector: &mut Vec<T>, more: usize) -> io::Result<()> {
    vector.try_reserve_exact(more).map_err(|_| io::Error::from_raw_os_error(libc::ENOMEM))
}

/// Copies bytes.
pub fn copied(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut copy = Vec::new();
    reserve(&mut copy, bytes.len())?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_there_is_not_is_an_error() {
        assert_eq!(zeroed(3).unwrap(), [0, 0, 0]);
        assert!(zeroed(0).unwrap().is_empty());
        assert_eq!(copied(&[1, 2]).unwrap(), [1, 2]);
        for bytes in [1 << 62, isize::MAX as usize, usize::MAX] {
            assert_eq!(zeroed(bytes).unwrap_err().kind(), io::ErrorKind::OutOfMemory);
            assert_eq!(reserve(&mut vec![7u8], bytes).unwrap_err().kind(), io::ErrorKind::OutOfMemory);
        }
    }
}

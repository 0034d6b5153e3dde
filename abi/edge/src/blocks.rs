//! Converts C arrays of counts and displacements to blocks ([`Block`]), which are ranges of elements.

use anyccl_engine::base::{Result, exceeds_memory};
use anyccl_engine::plan::Block;

use crate::check::{invalid, not_null};

/// Makes a slice of a C array. Refuses NULL, even for length 0, with an error that names the argument `what`.
///
/// # Safety
/// An `array` that is not NULL has `len` elements that stay unchanged for the lifetime `'a`.
pub unsafe fn array<'a, T>(array: *const T, len: usize, what: &'static str) -> Result<&'a [T]> {
    not_null(array, what)?;
    // SAFETY: not NULL; the caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts(array, len) })
}

/// Makes one block per count, at its displacement. NULL for `displs` means that the blocks follow each other.
/// Refuses NULL for `counts`, and blocks beyond the address space.
///
/// # Safety
/// Arrays that are not NULL have `len` elements that stay unchanged during the call.
pub unsafe fn blocks(
    counts: *const usize,
    displs: *const usize,
    len: usize,
    what: &'static str,
) -> Result<Vec<Block>> {
    // SAFETY: passed on from our caller.
    let counts = unsafe { array(counts, len, what) }?;
    if displs.is_null() {
        return packed(counts, what);
    }
    // SAFETY: not NULL; as above.
    let displs = unsafe { std::slice::from_raw_parts(displs, len) };
    let mut blocks = Vec::with_capacity(len);
    for (&offset, &len) in displs.iter().zip(counts) {
        if offset.checked_add(len).is_none() {
            return invalid(what, exceeds_memory(len as u64, &format!("elements from element {offset}")));
        }
        blocks.push(Block { offset, len });
    }
    Ok(blocks)
}

/// Makes blocks of these lengths, one after the other. Refuses lengths whose sum exceeds the address space.
pub fn packed(counts: &[usize], what: &'static str) -> Result<Vec<Block>> {
    let mut blocks = Vec::with_capacity(counts.len());
    let mut offset = 0usize;
    for &len in counts {
        blocks.push(Block { offset, len });
        offset = match offset.checked_add(len) {
            Some(end) => end,
            None => {
                return invalid(
                    what,
                    exceeds_memory(len as u64, &format!("elements behind {offset} others")),
                );
            }
        };
    }
    Ok(blocks)
}

#[cfg(test)]
mod tests {
    use std::ptr::null;

    use super::*;

    fn block(offset: usize, len: usize) -> Block {
        Block { offset, len }
    }

    #[test]
    fn blocks_without_displacements_are_packed() {
        assert_eq!(packed(&[2, 0, 3], "counts").unwrap(), [block(0, 2), block(2, 0), block(2, 3)]);
        let counts = [2usize, 0, 3];
        // SAFETY: an array of three.
        let given = unsafe { blocks(counts.as_ptr(), null(), 3, "counts") }.unwrap();
        assert_eq!(given, packed(&counts, "counts").unwrap());
    }

    #[test]
    fn displacements_are_taken_as_they_are() {
        let (counts, displs) = ([2usize, 3], [9usize, 1]);
        // SAFETY: arrays of two.
        let given = unsafe { blocks(counts.as_ptr(), displs.as_ptr(), 2, "counts") }.unwrap();
        assert_eq!(given, [block(9, 2), block(1, 3)]);
    }

    #[test]
    fn sums_that_overflow_and_missing_counts_are_refused() {
        assert!(packed(&[usize::MAX, 1], "counts").is_err());
        let (counts, displs) = ([2usize], [usize::MAX]);
        // SAFETY: arrays of one.
        assert!(unsafe { blocks(counts.as_ptr(), displs.as_ptr(), 1, "counts") }.is_err());
        // SAFETY: NULL is allowed.
        assert!(unsafe { blocks(null(), null(), 1, "counts") }.is_err());
    }
}

//! Results that are stored past the caches, for outputs that would not stay in them. Their lines are not read
//! before they are written, and displace nothing.
//!
//! A few lines at a time are combined close to the registers and then stored whole. Other ways were slower
//! (docs/lab/constants.md).

use std::mem::MaybeUninit;

use super::kernel::ReduceFn;
use super::loops::{Loop, advance};
use crate::sys::line_store::{self, LINE, LineStore};

/// Bytes that are combined before they are stored.
const BLOCK: usize = 4 * LINE;

/// Results that are not stored yet.
#[repr(align(64))]
struct Block(MaybeUninit<[u8; BLOCK]>);

/// A [`combine_blocks`], whose contract it has.
pub(super) type BlocksFn = unsafe fn(dst: *mut u8, a: *const u8, b: *const u8, count: usize);

/// Runs a loop over elements of `element_bytes` bytes with results past the caches. `blocks` does the loop in
/// blocks of whole lines of `dst`. The ends, which are no whole block, are stored by `plain`. If no line of
/// `dst` begins with an element, `plain` does everything.
///
/// All loops share this function, so that the code of `plain` is not repeated for each end.
///
/// # Safety
/// The contract of [`super::ReduceKernel::streamed`] holds. `plain` and `blocks` are the same loop, `blocks`
/// is a [`combine_blocks`], and the CPU has the instructions of both.
#[inline(never)]
pub(super) unsafe fn run(
    (plain, blocks): (ReduceFn, BlocksFn),
    element_bytes: usize,
    dst: *mut u8,
    a: *const u8,
    b: *const u8,
    count: usize,
) {
    let (bytes, head) = (count * element_bytes, dst.align_offset(LINE));
    if head % element_bytes != 0 || bytes < head + BLOCK {
        // SAFETY: passed on from our caller.
        return unsafe { plain(dst, a, b, count) };
    }
    // SAFETY: `head` bytes are whole elements, and no more than there are.
    unsafe { plain(dst, a, b, head / element_bytes) };
    // SAFETY: `head` bytes are within the caller's memory.
    let (dst, a, b) = unsafe { advance(dst, a, b, head) };
    let whole = (bytes - head) / BLOCK;
    // SAFETY: all three have as many blocks left, and `dst` is at the start of a line.
    unsafe { blocks(dst, a, b, whole) };
    // SAFETY: these blocks are within the caller's memory.
    let (dst, a, b) = unsafe { advance(dst, a, b, whole * BLOCK) };
    // SAFETY: the rest of all three, in whole elements.
    unsafe { plain(dst, a, b, (bytes - head) % BLOCK / element_bytes) };
    line_store::fence();
}

/// Runs the loop `L` over blocks of lines.
///
/// # Safety
/// `a` and `b` are readable and `dst` is writable for `count` blocks. `dst` is aligned to a line and overlaps
/// neither operand. The CPU has the instructions of `S`.
#[inline(always)]
pub(super) unsafe fn combine_blocks<L: Loop, S: LineStore>(
    dst: *mut u8,
    a: *const u8,
    b: *const u8,
    count: usize,
) {
    for done in 0..count {
        // SAFETY: the blocks before this one are within the caller's memory.
        let (dst, a, b) = unsafe { advance(dst, a, b, done * BLOCK) };
        let mut block = Block(MaybeUninit::uninit());
        let block: *mut u8 = block.0.as_mut_ptr().cast();
        // SAFETY: both operands have a block left, of whole elements, for which the local block has room.
        unsafe { L::run(block, a, b, BLOCK / L::ELEMENT_BYTES) };
        for at in (0..BLOCK).step_by(LINE) {
            // SAFETY: a line of the block, which is completely written now, and a line of `dst`, which has a
            // block left. `dst` is aligned by our caller, the block by its type.
            unsafe { S::copy(dst.wrapping_add(at), block.wrapping_add(at)) };
        }
    }
}

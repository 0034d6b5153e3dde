//! Results that are stored past the caches, for outputs that would not stay in them. Their lines are not read
//! before they are written, and displace nothing.
//!
//! A few lines at a time are combined close to the registers and then stored whole. Other ways were slower
//! (docs/lab/constants.md).

use std::mem::MaybeUninit;

use super::ReduceFn;
use super::loops::{Loop, advance};
use crate::sys::line_store::{self, LINE, LineStore};

/// Bytes that are combined before they are stored.
const BLOCK: usize = 4 * LINE;

/// Results that are not stored yet.
#[repr(align(64))]
struct Block(MaybeUninit<[u8; BLOCK]>);

/// Runs the loop `L` with results past the caches. The ends of `dst` that are no whole line are stored by
/// `plain`, which is the same loop, compiled once. If no line of `dst` begins with an element, `plain` does
/// everything.
///
/// # Safety
/// The contract of [`super::ReduceKernel::streamed`] holds, and the CPU has the instructions of `S`. `plain`
/// is `L`.
#[inline(always)]
pub(super) unsafe fn run<L: Loop, S: LineStore>(
    plain: ReduceFn,
    dst: *mut u8,
    a: *const u8,
    b: *const u8,
    count: usize,
) {
    let (bytes, head) = (count * L::ELEMENT_BYTES, dst.align_offset(LINE));
    if head % L::ELEMENT_BYTES != 0 || bytes < head + BLOCK {
        // SAFETY: passed on from our caller.
        return unsafe { plain(dst, a, b, count) };
    }
    // SAFETY: `head` bytes are whole elements, and no more than there are.
    unsafe { plain(dst, a, b, head / L::ELEMENT_BYTES) };
    let mut done = head;
    while bytes - done >= BLOCK {
        // SAFETY: `done` bytes are within the caller's memory.
        let (dst, a, b) = unsafe { advance(dst, a, b, done) };
        let mut block = Block(MaybeUninit::uninit());
        let block: *mut u8 = block.0.as_mut_ptr().cast();
        // SAFETY: both operands have a block left, of whole elements, for which the local block has room.
        unsafe { L::run(block, a, b, BLOCK / L::ELEMENT_BYTES) };
        for at in (0..BLOCK).step_by(LINE) {
            // SAFETY: a line of the block, which is completely written now, and a line of `dst`, which has a
            // block left. `dst` is aligned because of `head`, the block by its type.
            unsafe { S::copy(dst.wrapping_add(at), block.wrapping_add(at)) };
        }
        done += BLOCK;
    }
    // SAFETY: `done` bytes are within the caller's memory.
    let (dst, a, b) = unsafe { advance(dst, a, b, done) };
    // SAFETY: the rest of all three, in whole elements.
    unsafe { plain(dst, a, b, (bytes - done) / L::ELEMENT_BYTES) };
    line_store::fence();
}

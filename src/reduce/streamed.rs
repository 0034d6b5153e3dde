//! Results that go past the caches, for outputs that would not stay there: their lines are not read before
//! they are written, and displace nothing.
//!
//! A few lines at a time are combined next to the registers and stored whole. Other ways, all_reduce of 32
//! MiB on two ranks of a Zen 4 server: line by line 3 % slower; pieces of 1 KiB, each combined and then
//! copied, 4 %; pieces of 4 KiB with a fence after each 31 %, most of it for the fences.

use std::mem::MaybeUninit;

use super::ReduceFn;
use super::loops::{Loop, advance};
use crate::sys::line_store::{self, LINE, LineStore};

/// So much is combined before it is stored.
const BLOCK: usize = 4 * LINE;

/// Results on their way.
#[repr(align(64))]
struct Block(MaybeUninit<[u8; BLOCK]>);

/// The loop `L` with results past the caches, but for the ends of `dst` that are no whole line. Where no line
/// of `dst` begins with an element, all of it is `plain`: the same loop, compiled once.
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
        // SAFETY: the caller's promise is the one asked for.
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
        // SAFETY: a block is left of both operands, whole elements, for which the local one has room.
        unsafe { L::run(block, a, b, BLOCK / L::ELEMENT_BYTES) };
        for at in (0..BLOCK).step_by(LINE) {
            // SAFETY: a line of the block, all of which is written now, and one of `dst`, of which a block is
            // left; `dst` is aligned since `head`, the block by its type.
            unsafe { S::copy(dst.wrapping_add(at), block.wrapping_add(at)) };
        }
        done += BLOCK;
    }
    // SAFETY: `done` bytes are within the caller's memory.
    let (dst, a, b) = unsafe { advance(dst, a, b, done) };
    // SAFETY: what is left of all three, in whole elements.
    unsafe { plain(dst, a, b, (bytes - done) / L::ELEMENT_BYTES) };
    line_store::fence();
}

//! Results that go past the caches, for outputs that would not stay there: their lines are not read before they are
//! written, and displace nothing.
//!
//! A few lines at a time are combined next to the registers and stored whole. Other ways, all_reduce of 32 MiB on two ranks of a
//! Zen 4 server: line by line 3 % slower; pieces of 1 KiB, each combined and then copied, 4 %; pieces of 4 KiB with a fence
//! after each 31 %, most of it for the fences.

use std::arch::x86_64::{
    __m256i, __m512i, _mm_sfence, _mm256_load_si256, _mm256_stream_si256, _mm512_load_si512,
    _mm512_stream_si512,
};
use std::mem::MaybeUninit;

use super::ReduceFn;
use super::loops::{Loop, advance};

/// Bytes of a cache line.
const LINE: usize = 64;
/// So much is combined before it is stored.
const BLOCK: usize = 4 * LINE;

/// Results on their way.
#[repr(align(64))]
struct Block(MaybeUninit<[u8; BLOCK]>);

/// How a line goes past the caches.
pub(super) trait LineStore {
    /// # Safety
    /// A line is readable at `src` and writable at `dst`, both are aligned to it, and the CPU has the instructions.
    unsafe fn store(dst: *mut u8, src: *const u8);
}

/// With AVX.
pub(super) struct Avx;

impl LineStore for Avx {
    #[inline(always)]
    unsafe fn store(dst: *mut u8, src: *const u8) {
        for at in (0..LINE).step_by(size_of::<__m256i>()) {
            // SAFETY: half of the line, aligned as the line is; the caller vouches for AVX.
            let word = unsafe { _mm256_load_si256(src.wrapping_add(at).cast()) };
            // SAFETY: as above.
            unsafe { _mm256_stream_si256(dst.wrapping_add(at).cast(), word) };
        }
    }
}

/// With AVX-512 F.
pub(super) struct Avx512;

impl LineStore for Avx512 {
    #[inline(always)]
    unsafe fn store(dst: *mut u8, src: *const u8) {
        const { assert!(size_of::<__m512i>() == LINE) };
        // SAFETY: the line, which is aligned; the caller vouches for AVX-512 F.
        let line = unsafe { _mm512_load_si512(src.cast()) };
        // SAFETY: as above.
        unsafe { _mm512_stream_si512(dst.cast(), line) };
    }
}

/// The loop `L` with results past the caches, but for the ends of `dst` that are no whole line. Where no line of `dst`
/// begins with an element, all of it is `plain`: the same loop, compiled once.
///
/// # Safety
/// As [`super::ReduceKernel::streamed`], and the CPU has the instructions of `S`. `plain` is `L`.
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
            // SAFETY: a line of the block, all of which is written now, and one of `dst`, of which a block is left; `dst` is
            // aligned since `head`, the block by its type.
            unsafe { S::store(dst.wrapping_add(at), block.wrapping_add(at)) };
        }
        done += BLOCK;
    }
    // SAFETY: `done` bytes are within the caller's memory.
    let (dst, a, b) = unsafe { advance(dst, a, b, done) };
    // SAFETY: what is left of all three, in whole elements.
    unsafe { plain(dst, a, b, (bytes - done) / L::ELEMENT_BYTES) };
    // Such stores obey no Release; only the fence orders them before what follows.
    // SAFETY: every x86-64 has SSE.
    unsafe { _mm_sfence() };
}

//! The copies of x86-64: `rep movsb`, and line by line through or past the caches.

use std::arch::asm;
use std::arch::x86_64::{
    __cpuid_count, __get_cpuid_max, __m128i, _mm_loadu_si128, _mm_sfence, _mm_store_si128, _mm_stream_si128,
};
use std::sync::OnceLock;

use super::Way;

/// Below this, the unaligned ends and the fence cost more than streaming gains, and the C
/// library does not use `rep movsb`.
pub(super) const BLOCKS_FROM: usize = 1024;

/// Size from which a copy past the caches reaches a far core earlier (Zen 4: 512 bytes 0.45 against 0.46 us there
/// and back, 1 KiB 0.49 against 0.71, 8 KiB 1.2 against 4.4).
pub(super) const PAST_FROM: usize = 512;

const LINE: usize = 64;
const WORD: usize = size_of::<__m128i>();
const PAGE: usize = 4096;

/// Size from which `rep movsb` beats plain stores when the other core has read the slot. Where it starts quickly, and the
/// reader is near, plain stores are better up to 2 KiB (Zen 4, an exchange of 1 KiB: 0.112 instead of 0.128 us; far, one way, they
/// are worse: 0.56 instead of 0.48).
#[inline]
pub(super) fn rep_movsb_from(way: Way) -> usize {
    static STARTS: OnceLock<(usize, usize)> = OnceLock::new();
    let (near, far) = *STARTS.get_or_init(|| {
        if __get_cpuid_max(0).0 < 7 {
            return (usize::MAX, usize::MAX);
        }
        let leaf = __cpuid_count(7, 0);
        let (fast_short, enhanced) = (leaf.edx & (1 << 4) != 0, leaf.ebx & (1 << 9) != 0);
        match (fast_short, enhanced) {
            (true, _) => (2048, 256),
            (false, true) => (4096, 4096),
            (false, false) => (usize::MAX, usize::MAX),
        }
    });
    if way == Way::Near { near } else { far }
}

/// Whether `dst` is ahead of `src` by less than a line, modulo the page size: the trap that the
/// parent's head tells of.
#[inline]
pub(super) fn aliases(dst: *const u8, src: *const u8) -> bool {
    let ahead = dst.addr().wrapping_sub(src.addr()) % PAGE;
    (1..LINE).contains(&ahead)
}

/// # Safety
/// As [`super::copy_to_shared`].
#[inline]
pub(super) unsafe fn rep_movsb(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: reads `len` bytes at `src` and writes them at `dst`, as the caller allows. The
    // direction flag is clear, as the ABI demands; the three registers are given up as changed.
    unsafe {
        asm!(
            "rep movsb",
            inout("rcx") len => _,
            inout("rdi") dst => _,
            inout("rsi") src => _,
            options(nostack, preserves_flags),
        )
    };
}

/// Copies line by line, each loaded whole before it is stored; with STREAM past the caches.
///
/// # Safety
/// As [`super::copy_to_shared`].
pub(super) unsafe fn copy_blocks<const STREAM: bool>(dst: *mut u8, src: *const u8, len: usize) {
    // Whole lines of the destination: one streamed in part would go to memory in pieces.
    let head = dst.align_offset(LINE).min(len);
    let done = head + (len - head) / LINE * LINE;
    // SAFETY: `head` is at most `len`.
    unsafe { src.copy_to_nonoverlapping(dst, head) };
    for offset in (head..done).step_by(LINE) {
        // SAFETY: `offset + LINE` is at most `len`.
        let from = unsafe { src.add(offset) };
        // SAFETY: as above.
        let to = unsafe { dst.add(offset) };
        // SAFETY: one line is readable and writable here, and `to` is aligned to a line.
        unsafe { copy_line::<STREAM>(to.cast(), from.cast()) };
    }
    // SAFETY: `done` is at most `len`.
    let from = unsafe { src.add(done) };
    // SAFETY: as above.
    let to = unsafe { dst.add(done) };
    // SAFETY: `len - done` bytes are left of both.
    unsafe { from.copy_to_nonoverlapping(to, len - done) };
    if STREAM {
        // Streaming stores obey no Release; only the fence orders them before what follows.
        // SAFETY: every x86-64 has SSE.
        unsafe { _mm_sfence() };
    }
}

/// # Safety
/// `src` is readable and `dst` writable for one line; `dst` is aligned to it.
#[inline(always)]
unsafe fn copy_line<const STREAM: bool>(dst: *mut __m128i, src: *const __m128i) {
    let words: [__m128i; LINE / WORD] = std::array::from_fn(|i| {
        // SAFETY: inside the line.
        let from = unsafe { src.add(i) };
        // SAFETY: readable, at any alignment.
        unsafe { _mm_loadu_si128(from) }
    });
    for (i, word) in words.into_iter().enumerate() {
        // SAFETY: inside the line.
        let to = unsafe { dst.add(i) };
        if STREAM {
            // SAFETY: writable, and aligned since the line is; the caller fences at the end.
            unsafe { _mm_stream_si128(to, word) };
        } else {
            // SAFETY: writable, and aligned since the line is.
            unsafe { _mm_store_si128(to, word) };
        }
    }
}

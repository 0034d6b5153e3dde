//! Stores of whole cache lines past the caches, with each width of vector instruction.
//!
//! Such a line is not read before it is written, and displaces nothing in the caches. Wider stores are
//! better, although a line leaves the CPU whole in any case. Figures: docs/lab/constants.md.
//!
//! A Release store does not order these stores. A [`fence`] after the last of them orders them before what
//! follows.

// Miri knows neither stores past the caches nor their fence. An ordinary store writes the same bytes.
#[cfg(miri)]
use std::arch::x86_64::_mm_store_si128 as _mm_stream_si128;
use std::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm_loadu_si128, _mm256_loadu_si256, _mm256_stream_si256, _mm512_loadu_si512,
    _mm512_stream_si512,
};
#[cfg(not(miri))]
use std::arch::x86_64::{_mm_sfence, _mm_stream_si128};

/// Bytes of a cache line.
pub const LINE: usize = 64;

/// How a line is copied from one place to another.
pub trait LineStore {
    /// # Safety
    /// A line is readable at `src` and writable at `dst`, `dst` is aligned to it, and the CPU has the
    /// instructions.
    unsafe fn copy(dst: *mut u8, src: *const u8);
}

/// Stores past the caches, 16 bytes at a time, which every x86-64 can do.
pub struct Sse;

impl LineStore for Sse {
    #[inline(always)]
    unsafe fn copy(dst: *mut u8, src: *const u8) {
        // The whole line is loaded before any of it is stored.
        let words: [__m128i; LINE / size_of::<__m128i>()] = std::array::from_fn(|i| {
            // SAFETY: inside the line, at any alignment.
            unsafe { _mm_loadu_si128(src.cast::<__m128i>().wrapping_add(i)) }
        });
        for (i, word) in words.into_iter().enumerate() {
            // SAFETY: inside the line, and aligned because the line is.
            unsafe { _mm_stream_si128(dst.cast::<__m128i>().wrapping_add(i), word) };
        }
    }
}

/// Stores past the caches, 32 bytes at a time, with AVX.
pub struct Avx;

impl LineStore for Avx {
    #[inline(always)]
    unsafe fn copy(dst: *mut u8, src: *const u8) {
        let (src, dst) = (src.cast::<__m256i>(), dst.cast::<__m256i>());
        // SAFETY: the first half of the line, at any alignment; the caller vouches for AVX.
        let first = unsafe { _mm256_loadu_si256(src) };
        // SAFETY: the second half.
        let second = unsafe { _mm256_loadu_si256(src.wrapping_add(1)) };
        // SAFETY: the first half, aligned because the line is.
        unsafe { _mm256_stream_si256(dst, first) };
        // SAFETY: the second half, as above.
        unsafe { _mm256_stream_si256(dst.wrapping_add(1), second) };
    }
}

/// Stores past the caches, a whole line at a time, with AVX-512 F.
pub struct Avx512;

impl LineStore for Avx512 {
    #[inline(always)]
    unsafe fn copy(dst: *mut u8, src: *const u8) {
        const { assert!(size_of::<__m512i>() == LINE) };
        // SAFETY: the line, at any alignment; the caller vouches for AVX-512 F.
        let line = unsafe { _mm512_loadu_si512(src.cast()) };
        // SAFETY: the line, which is aligned.
        unsafe { _mm512_stream_si512(dst.cast(), line) };
    }
}

/// Orders stores past the caches before everything that follows. Ordinary stores need no such fence.
#[inline(always)]
pub fn fence() {
    #[cfg(not(miri))]
    // SAFETY: every x86-64 has SSE.
    unsafe {
        _mm_sfence();
    }
}

//! Sum and product of float16 with the conversion instructions of x86 (F16C).
//!
//! The compiler does not generate these instructions by itself, and they are several times faster than the
//! integer conversions of `small_float`. They round in the same way, and handle float16 denormals in all
//! flush modes of the CPU. Only NaNs have to be made canonical. Eight lanes at a time keep up with memory, so
//! there is no 512-bit version.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use super::loops::{Loop, advance};

/// A sum or product of eight float32.
pub(super) trait Lanes {
    /// # Safety
    /// The CPU has AVX.
    unsafe fn combine(a: __m256, b: __m256) -> __m256;
}

/// Sum.
pub(super) struct Sum;

impl Lanes for Sum {
    #[inline(always)]
    unsafe fn combine(a: __m256, b: __m256) -> __m256 {
        // SAFETY: the caller vouches for AVX.
        unsafe { _mm256_add_ps(a, b) }
    }
}

/// Product.
pub(super) struct Product;

impl Lanes for Product {
    #[inline(always)]
    unsafe fn combine(a: __m256, b: __m256) -> __m256 {
        // SAFETY: the caller vouches for AVX.
        unsafe { _mm256_mul_ps(a, b) }
    }
}

const LANES: usize = 8;
const BYTES: usize = 2 * LANES;

/// Applies `L` to all elements. Only for sets with AVX2 and F16C.
pub(super) struct Halves<L>(PhantomData<L>);

impl<L: Lanes> Loop for Halves<L> {
    const ELEMENT_BYTES: usize = 2;
    #[inline(always)]
    unsafe fn run(dst: *mut u8, a: *const u8, b: *const u8, count: usize) {
        // SAFETY: passed on from our caller; the table uses this loop only in sets with AVX2 and F16C.
        unsafe { reduce::<L>(dst, a, b, count) }
    }
}

/// # Safety
/// The contract of [`super::ReduceFn`] holds, and the CPU has AVX2 and F16C.
#[target_feature(enable = "avx2,f16c")]
unsafe fn reduce<L: Lanes>(dst: *mut u8, a: *const u8, b: *const u8, count: usize) {
    let bytes = 2 * count;
    let mut at = 0;
    while bytes - at >= BYTES {
        // SAFETY: the caller vouches for `count` elements, and `at + BYTES` are no more.
        let (dst, a, b) = unsafe { advance(dst, a, b, at) };
        // SAFETY: BYTES are readable at `a` and `b`, writable at `dst`, as above.
        unsafe { reduce_block::<L>(dst, a, b) };
        at += BYTES;
    }
    let rest = bytes - at;
    if rest > 0 {
        // SAFETY: `at` is not beyond the caller's memory.
        let (dst, a, b) = unsafe { advance(dst, a, b, at) };
        let (mut x, mut y) = ([0u8; BYTES], [0u8; BYTES]);
        // SAFETY: `rest` bytes are left of `a`, fewer than the local array holds.
        unsafe { a.copy_to_nonoverlapping(x.as_mut_ptr(), rest) };
        // SAFETY: likewise for `b`.
        unsafe { b.copy_to_nonoverlapping(y.as_mut_ptr(), rest) };
        let out = x.as_mut_ptr();
        // SAFETY: the arrays have BYTES each; the result may take the place of an operand.
        unsafe { reduce_block::<L>(out, out, y.as_ptr()) };
        // SAFETY: `rest` bytes are left of `dst`, and the local array is no part of it.
        unsafe { dst.copy_from_nonoverlapping(x.as_ptr(), rest) };
    }
}

/// Combines eight elements; both operands are loaded before the result is stored.
///
/// # Safety
/// BYTES are readable at `a` and `b`, writable at `dst`, and the CPU has AVX2 and F16C.
#[inline]
#[target_feature(enable = "avx2,f16c")]
unsafe fn reduce_block<L: Lanes>(dst: *mut u8, a: *const u8, b: *const u8) {
    // SAFETY: 16 bytes are readable, at any alignment.
    let x = unsafe { _mm_loadu_si128(a.cast()) };
    // SAFETY: 16 bytes are readable, at any alignment.
    let y = unsafe { _mm_loadu_si128(b.cast()) };
    let (x, y) = (_mm256_cvtph_ps(x), _mm256_cvtph_ps(y));
    // SAFETY: AVX2 includes AVX.
    let r = unsafe { L::combine(x, y) };
    let nan = _mm256_cmp_ps::<_CMP_UNORD_Q>(r, r);
    let r = _mm256_blendv_ps(r, _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc0_0000)), nan);
    let r = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(r);
    // SAFETY: 16 bytes are writable, at any alignment.
    unsafe { _mm_storeu_si128(dst.cast(), r) };
}

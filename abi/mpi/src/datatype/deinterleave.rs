//! Gathers runs that alternate with gaps of their own length, with AVX2 if the processor has it.
//!
//! A vector load takes runs and gaps, and a shuffle drops the gaps. The gap behind the very last run is never
//! loaded: it may lie outside the object, or on a page that does not exist.

/// Gathers some of `count` runs of `N` bytes, `2 * N` bytes apart, and returns their number. It is always
/// less than `count`, and 0 without AVX2 or for lengths other than 4 and 8.
///
/// # Safety
///
/// All `count` runs are readable at `typed`, and `packed` is writable for `count * N` bytes.
#[inline]
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn gather<const N: usize>(typed: *const u8, packed: *mut u8, count: u64) -> u64 {
    // Runs of one vector. One more run must follow, so that the gaps of the vector lie inside the object.
    let lanes = match N {
        4 => 8,
        8 => 4,
        _ => return 0,
    };
    let vectors = count.saturating_sub(1) / lanes;
    if vectors == 0 || !std::arch::is_x86_feature_detected!("avx2") {
        return 0;
    }
    // SAFETY: the processor has AVX2. Every run of the vectors is followed by another one, so the bytes from
    // the first run to the gap behind the last one lie inside the object.
    unsafe { avx2::<N>(typed, packed, vectors) };
    vectors * lanes
}

/// Gathers nothing: this library uses no such instructions of other processors.
///
/// # Safety
///
/// Always safe; the signature is that of the AVX2 version.
#[inline]
#[cfg(not(target_arch = "x86_64"))]
pub(super) unsafe fn gather<const N: usize>(_typed: *const u8, _packed: *mut u8, _count: u64) -> u64 {
    0
}

/// Makes `vectors` vectors of 32 packed bytes from 64 bytes each.
///
/// A gap may belong to another thread, which writes it while this one reads. The hardware then delivers some
/// value, and the shuffle drops it.
///
/// # Safety
///
/// The processor has AVX2; `typed` is readable for `vectors * 64` bytes and `packed` writable for half as
/// many.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2<const N: usize>(typed: *const u8, packed: *mut u8, vectors: u64) {
    use std::arch::x86_64::{
        _mm256_castpd_ps, _mm256_castpd_si256, _mm256_castps_pd, _mm256_loadu_pd, _mm256_permute4x64_pd,
        _mm256_shuffle_pd, _mm256_shuffle_ps, _mm256_storeu_si256,
    };

    for vector in 0..vectors as usize {
        let (from, to) = (typed.wrapping_add(vector * 64), packed.wrapping_add(vector * 32));
        // SAFETY: 64 bytes of this vector are readable, the first half here.
        let low = unsafe { _mm256_loadu_pd(from.cast()) };
        // SAFETY: the second half.
        let high = unsafe { _mm256_loadu_pd(from.wrapping_add(32).cast()) };
        // Even lanes of both, in pairs from each 16 bytes; the permutation puts the pairs in order.
        let even = if N == 8 {
            _mm256_shuffle_pd::<0>(low, high)
        } else {
            _mm256_castps_pd(_mm256_shuffle_ps::<0b10_00_10_00>(
                _mm256_castpd_ps(low),
                _mm256_castpd_ps(high),
            ))
        };
        let ordered = _mm256_castpd_si256(_mm256_permute4x64_pd::<0b11_01_10_00>(even));
        // SAFETY: 32 packed bytes of this vector are writable.
        unsafe { _mm256_storeu_si256(to.cast(), ordered) };
    }
}

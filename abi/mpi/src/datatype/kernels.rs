//! Copies between typed memory and packed bytes: one run, and many equal runs.
//!
//! Runs of 1 to 32 bytes, powers of two, have loops of their own, which the compiler unrolls: an ordinary
//! `memcpy` would be called with a length that it has to look at for every run.

use std::ptr;

/// Which way bytes go.
pub(super) trait Direction {
    /// Copies `len` bytes.
    ///
    /// # Safety
    ///
    /// Both sides hold `len` bytes, the source is readable, the target writable, and they do not overlap.
    unsafe fn copy(typed: *mut u8, packed: *mut u8, len: usize);
}

/// From typed memory to packed bytes.
pub(super) struct Gather;

/// From packed bytes to typed memory.
pub(super) struct Scatter;

impl Direction for Gather {
    #[inline(always)]
    unsafe fn copy(typed: *mut u8, packed: *mut u8, len: usize) {
        // SAFETY: the caller promises that `typed` is readable and `packed` writable for `len` bytes, apart.
        unsafe { ptr::copy_nonoverlapping(typed, packed, len) }
    }
}

impl Direction for Scatter {
    #[inline(always)]
    unsafe fn copy(typed: *mut u8, packed: *mut u8, len: usize) {
        // SAFETY: the caller promises that `packed` is readable and `typed` writable for `len` bytes, apart.
        unsafe { ptr::copy_nonoverlapping(packed, typed, len) }
    }
}

/// Copies `count` runs of `len` bytes, which lie `stride` bytes apart in typed memory.
///
/// # Safety
///
/// Every run is valid for [`Direction::copy`], and so are `count * len` packed bytes.
#[inline]
pub(super) unsafe fn blocks<D: Direction>(
    typed: *mut u8,
    stride: i64,
    count: u64,
    len: u64,
    packed: *mut u8,
) {
    match len {
        // SAFETY: the promise of the caller, with the length as a constant. So are the next ones.
        1 => unsafe { fixed::<D, 1>(typed, stride, count, packed) },
        // SAFETY: as above.
        2 => unsafe { fixed::<D, 2>(typed, stride, count, packed) },
        // SAFETY: as above.
        4 => unsafe { fixed::<D, 4>(typed, stride, count, packed) },
        // SAFETY: as above.
        8 => unsafe { fixed::<D, 8>(typed, stride, count, packed) },
        // SAFETY: as above.
        12 => unsafe { fixed::<D, 12>(typed, stride, count, packed) },
        // SAFETY: as above.
        16 => unsafe { fixed::<D, 16>(typed, stride, count, packed) },
        // SAFETY: as above.
        24 => unsafe { fixed::<D, 24>(typed, stride, count, packed) },
        // SAFETY: as above.
        32 => unsafe { fixed::<D, 32>(typed, stride, count, packed) },
        // SAFETY: as above.
        64 => unsafe { fixed::<D, 64>(typed, stride, count, packed) },
        _ => {
            let (mut typed, mut packed) = (typed, packed);
            for _ in 0..count {
                // SAFETY: the caller promises every run.
                unsafe { D::copy(typed, packed, len as usize) };
                typed = typed.wrapping_offset(stride as isize);
                packed = packed.wrapping_add(len as usize);
            }
        }
    }
}

/// [`blocks`] for runs of `N` bytes.
///
/// # Safety
///
/// As for [`blocks`].
unsafe fn fixed<D: Direction, const N: usize>(typed: *mut u8, stride: i64, count: u64, packed: *mut u8) {
    let (mut typed, mut packed, stride) = (typed, packed, stride as isize);
    for _ in 0..count / 4 {
        // SAFETY: four whole runs are left, and the caller promises every run.
        unsafe { D::copy(typed, packed, N) };
        // SAFETY: the second of them.
        unsafe { D::copy(typed.wrapping_offset(stride), packed.wrapping_add(N), N) };
        // SAFETY: the third.
        unsafe { D::copy(typed.wrapping_offset(stride.wrapping_mul(2)), packed.wrapping_add(2 * N), N) };
        // SAFETY: the fourth.
        unsafe { D::copy(typed.wrapping_offset(stride.wrapping_mul(3)), packed.wrapping_add(3 * N), N) };
        typed = typed.wrapping_offset(stride.wrapping_mul(4));
        packed = packed.wrapping_add(4 * N);
    }
    for _ in 0..count % 4 {
        // SAFETY: the caller promises every run.
        unsafe { D::copy(typed, packed, N) };
        typed = typed.wrapping_offset(stride);
        packed = packed.wrapping_add(N);
    }
}

/// Copies one run, which is often short.
///
/// # Safety
///
/// As for [`Direction::copy`].
#[inline]
pub(super) unsafe fn run<D: Direction>(typed: *mut u8, packed: *mut u8, len: usize) {
    match len {
        // SAFETY: the promise of the caller, with the length as a constant. So are the next ones.
        1 => unsafe { D::copy(typed, packed, 1) },
        // SAFETY: as above.
        2 => unsafe { D::copy(typed, packed, 2) },
        // SAFETY: as above.
        4 => unsafe { D::copy(typed, packed, 4) },
        // SAFETY: as above.
        8 => unsafe { D::copy(typed, packed, 8) },
        // SAFETY: as above.
        12 => unsafe { D::copy(typed, packed, 12) },
        // SAFETY: as above.
        16 => unsafe { D::copy(typed, packed, 16) },
        // SAFETY: as above.
        24 => unsafe { D::copy(typed, packed, 24) },
        // SAFETY: as above.
        32 => unsafe { D::copy(typed, packed, 32) },
        // SAFETY: the promise of the caller.
        _ => unsafe { D::copy(typed, packed, len) },
    }
}

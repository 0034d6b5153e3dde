//! Copies between typed memory and packed bytes: of one run, and of many equal runs in equal steps.
//!
//! Runs of up to 64 bytes have loops of their own with a constant length, or copies of two overlapping
//! halves. A call of `memcpy` would examine the length again for every run. Runs that alternate with gaps of
//! their own length, such as the real parts of complex numbers, are gathered by vector instructions in
//! [`deinterleave`](super::deinterleave).

use std::ptr;

use super::deinterleave;

/// Direction of a copy.
pub(super) trait Direction {
    /// Whether typed memory is only read.
    const GATHER: bool;

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
    const GATHER: bool = true;

    #[inline(always)]
    unsafe fn copy(typed: *mut u8, packed: *mut u8, len: usize) {
        // SAFETY: the caller promises that `typed` is readable and `packed` writable for `len` bytes, apart.
        unsafe { ptr::copy_nonoverlapping(typed, packed, len) }
    }
}

impl Direction for Scatter {
    const GATHER: bool = false;

    #[inline(always)]
    unsafe fn copy(typed: *mut u8, packed: *mut u8, len: usize) {
        // SAFETY: the caller promises that `packed` is readable and `typed` writable for `len` bytes, apart.
        unsafe { ptr::copy_nonoverlapping(packed, typed, len) }
    }
}

/// Equal steps through both sides of a copy.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    /// Number of runs.
    pub count: u64,
    /// Bytes from one run to the next in typed memory.
    pub typed: i64,
    /// Bytes from one run to the next among the packed bytes.
    pub packed: i64,
}

/// Copies `steps.count` runs of `len` bytes.
///
/// # Safety
///
/// Every run is valid for [`Direction::copy`].
#[inline]
pub(super) unsafe fn strided<D: Direction>(typed: *mut u8, packed: *mut u8, steps: Steps, len: u64) {
    match len {
        // SAFETY: the promise of the caller, with the length as a constant. So are the next ones.
        1 => unsafe { fixed::<D, 1>(typed, packed, steps) },
        // SAFETY: as above.
        2 => unsafe { fixed::<D, 2>(typed, packed, steps) },
        // SAFETY: as above.
        4 => unsafe { fixed::<D, 4>(typed, packed, steps) },
        // SAFETY: as above.
        8 => unsafe { fixed::<D, 8>(typed, packed, steps) },
        // SAFETY: as above.
        12 => unsafe { fixed::<D, 12>(typed, packed, steps) },
        // SAFETY: as above.
        16 => unsafe { fixed::<D, 16>(typed, packed, steps) },
        // SAFETY: as above.
        24 => unsafe { fixed::<D, 24>(typed, packed, steps) },
        // SAFETY: as above.
        32 => unsafe { fixed::<D, 32>(typed, packed, steps) },
        // SAFETY: as above.
        64 => unsafe { fixed::<D, 64>(typed, packed, steps) },
        _ => {
            let (mut typed, mut packed) = (typed, packed);
            for _ in 0..steps.count {
                // SAFETY: the caller promises every run.
                unsafe { run::<D>(typed, packed, len as usize) };
                typed = typed.wrapping_offset(steps.typed as isize);
                packed = packed.wrapping_offset(steps.packed as isize);
            }
        }
    }
}

/// [`strided`] for runs of `N` bytes.
///
/// # Safety
///
/// See [`strided`].
unsafe fn fixed<D: Direction, const N: usize>(typed: *mut u8, packed: *mut u8, steps: Steps) {
    let (mut typed, mut packed, mut count) = (typed, packed, steps.count);
    if D::GATHER && N <= 8 && steps.typed == 2 * N as i64 && steps.packed == N as i64 {
        // SAFETY: the promise of the caller; the runs alternate with gaps of their length.
        let done = unsafe { deinterleave::gather::<N>(typed, packed, count) };
        typed = typed.wrapping_add(done as usize * 2 * N);
        packed = packed.wrapping_add(done as usize * N);
        count -= done;
    }
    let (over, along) = (steps.typed as isize, steps.packed as isize);
    for _ in 0..count / 4 {
        // SAFETY: four whole runs are left, and the caller promises every run.
        unsafe { D::copy(typed, packed, N) };
        // SAFETY: the second of them.
        unsafe { D::copy(typed.wrapping_offset(over), packed.wrapping_offset(along), N) };
        let (third, fourth) = (over.wrapping_mul(2), over.wrapping_mul(3));
        // SAFETY: the third.
        unsafe { D::copy(typed.wrapping_offset(third), packed.wrapping_offset(2 * along), N) };
        // SAFETY: the fourth.
        unsafe { D::copy(typed.wrapping_offset(fourth), packed.wrapping_offset(3 * along), N) };
        typed = typed.wrapping_offset(over.wrapping_mul(4));
        packed = packed.wrapping_offset(4 * along);
    }
    for _ in 0..count % 4 {
        // SAFETY: the caller promises every run.
        unsafe { D::copy(typed, packed, N) };
        typed = typed.wrapping_offset(over);
        packed = packed.wrapping_offset(along);
    }
}

/// Copies one run, which is often short.
///
/// # Safety
///
/// See [`Direction::copy`].
#[inline(always)]
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
        16 => unsafe { D::copy(typed, packed, 16) },
        // SAFETY: as above.
        32 => unsafe { D::copy(typed, packed, 32) },
        // SAFETY: the promise of the caller, for the first and the last bytes of the run.
        5..=7 => unsafe { halves::<D, 4>(typed, packed, len) },
        // SAFETY: as above.
        9..=15 => unsafe { halves::<D, 8>(typed, packed, len) },
        // SAFETY: as above.
        17..=31 => unsafe { halves::<D, 16>(typed, packed, len) },
        // SAFETY: as above.
        33..=64 => unsafe { halves::<D, 32>(typed, packed, len) },
        // SAFETY: the promise of the caller.
        _ => unsafe { D::copy(typed, packed, len) },
    }
}

/// Copies the first and the last `N` bytes of a run. They overlap unless the run has `2 * N` bytes.
///
/// # Safety
///
/// See [`Direction::copy`]; `len` is from `N` to `2 * N`.
#[inline(always)]
unsafe fn halves<D: Direction, const N: usize>(typed: *mut u8, packed: *mut u8, len: usize) {
    // SAFETY: the run has at least `N` bytes.
    unsafe { D::copy(typed, packed, N) };
    // SAFETY: the last `N` bytes of the run. The sides do not overlap, so bytes copied twice are equal.
    unsafe { D::copy(typed.wrapping_add(len - N), packed.wrapping_add(len - N), N) };
}

/// Copies runs of `len` bytes, which lie at `offsets` in typed memory and follow each other when packed.
///
/// # Safety
///
/// Every run is valid for [`Direction::copy`].
pub(super) unsafe fn indexed<D: Direction>(typed: *mut u8, offsets: &[i64], len: u64, packed: *mut u8) {
    match len {
        // SAFETY: the promise of the caller, with the length as a constant. So are the next ones.
        1 => unsafe { at_offsets::<D>(typed, offsets, 1, packed) },
        // SAFETY: as above.
        2 => unsafe { at_offsets::<D>(typed, offsets, 2, packed) },
        // SAFETY: as above.
        4 => unsafe { at_offsets::<D>(typed, offsets, 4, packed) },
        // SAFETY: as above.
        8 => unsafe { at_offsets::<D>(typed, offsets, 8, packed) },
        // SAFETY: as above.
        16 => unsafe { at_offsets::<D>(typed, offsets, 16, packed) },
        // SAFETY: as above.
        24 => unsafe { at_offsets::<D>(typed, offsets, 24, packed) },
        // SAFETY: as above.
        32 => unsafe { at_offsets::<D>(typed, offsets, 32, packed) },
        // SAFETY: the promise of the caller.
        _ => unsafe { at_offsets::<D>(typed, offsets, len as usize, packed) },
    }
}

/// The loop of [`indexed`], compiled separately for every constant length.
///
/// # Safety
///
/// See [`indexed`].
#[inline(always)]
unsafe fn at_offsets<D: Direction>(typed: *mut u8, offsets: &[i64], len: usize, packed: *mut u8) {
    let mut packed = packed;
    for offset in offsets {
        // SAFETY: the caller promises every run.
        unsafe { run::<D>(typed.wrapping_offset(*offset as isize), packed, len) };
        packed = packed.wrapping_add(len);
    }
}

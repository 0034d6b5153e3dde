//! Copies into and out of memory that is shared with another process.
//!
//! How the sender writes a slot decides what the receiver pays. Plain stores first fetch the lines that the
//! peer has read last. `rep movsb` lets the CPU overwrite whole lines instead. If the CPU starts it quickly,
//! it pays off from a few hundred bytes for far lines, and otherwise from a few KiB.
//!
//! Between near cores, plain stores are best below 2 KiB. There the speed of the C library's copy varies with
//! accidents of the build, so this module has a copy of its own for these sizes, in both directions. Large
//! outputs are a different case: nobody reads them soon, so they are written past the caches.
//!
//! There is one trap: a destination that lies a few bytes ahead of the source modulo the page size. AMD's
//! `rep movsb` then takes each load for one of the bytes just stored, and becomes many times slower. The C
//! library's memcpy uses it for larger sizes and suffers as well. Such pairs are copied line by line.
//! Figures: docs/lab/constants.md.
//!
//! No function here forms a reference to the memory that it is given. Another process that writes there
//! meanwhile can change only the bytes that are copied.

mod mode;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use mode::CopyMode;

/// Copies `len` bytes into memory that another core reads next, such as a slot of a ring.
///
/// A later Release store publishes them, as it does ordinary stores.
///
/// # Safety
/// `src` is readable and `dst` writable for `len` bytes, and they do not overlap.
pub unsafe fn copy_to_shared(dst: *mut u8, src: *const u8, len: usize, way: CopyMode) {
    #[cfg(target_arch = "x86_64")]
    if way == CopyMode::PastCaches && len >= x86::PAST_FROM {
        // SAFETY: passed on from our caller.
        unsafe { x86::copy_past_caches(dst, src, len) };
        return;
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = way;
    #[cfg(target_arch = "x86_64")]
    if len >= x86::rep_movsb_from(way) && !x86::aliases(dst, src) {
        // SAFETY: passed on from our caller.
        unsafe { x86::rep_movsb(dst, src, len) };
        return;
    }
    // SAFETY: passed on from our caller.
    unsafe { copy_plain(dst, src, len) };
}

/// Copies `len` bytes, usually few, without a function call.
///
/// # Safety
/// `src` is readable and `dst` writable for `len` bytes, and they do not overlap.
#[inline(always)]
pub unsafe fn copy_short(dst: *mut u8, src: *const u8, len: usize) {
    match len {
        // SAFETY: the caller's promise, and 8 bytes at least.
        8..=16 => unsafe { copy_ends::<8>(dst, src, len) },
        // SAFETY: the caller's promise, and 4 bytes at least.
        4..=7 => unsafe { copy_ends::<4>(dst, src, len) },
        // SAFETY: the caller's promise, and 16 bytes at least.
        17..=32 => unsafe { copy_ends::<16>(dst, src, len) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: passed on from our caller, and there is at least one line.
        _ if x86::takes_groups(len) => unsafe { x86::copy_groups(dst, src, len) },
        // SAFETY: passed on from our caller.
        _ => unsafe { std::ptr::copy_nonoverlapping(src, dst, len) },
    }
}

/// Copies the first and the last `N` bytes, which may overlap.
///
/// # Safety
/// See [`copy_short`]; `len` is at least `N` and at most twice that.
#[inline(always)]
unsafe fn copy_ends<const N: usize>(dst: *mut u8, src: *const u8, len: usize) {
    let last = len - N;
    // SAFETY: the first `N` of `len` readable bytes; an array of bytes has no alignment.
    let head = unsafe { src.cast::<[u8; N]>().read() };
    // SAFETY: the last `N` of them.
    let tail = unsafe { src.wrapping_add(last).cast::<[u8; N]>().read() };
    // SAFETY: the first `N` of `len` writable bytes.
    unsafe { dst.cast::<[u8; N]>().write(head) };
    // SAFETY: the last `N` of them.
    unsafe { dst.wrapping_add(last).cast::<[u8; N]>().write(tail) };
}

/// Outputs of at least this many bytes are written past the caches. They would not stay in the caches, and
/// such stores need not read the lines first.
pub const STREAMED_FROM: usize = 8 << 20;

/// Copies `len` bytes out of shared memory to the user's buffer. `streaming` writes past the caches, for
/// outputs larger than the caches, whose lines would otherwise be read before they are overwritten.
///
/// On return, its stores are ordered before a later Release store, streaming or not.
///
/// # Safety
/// `src` is readable and `dst` writable for `len` bytes, and they do not overlap.
pub unsafe fn copy_from_shared(dst: *mut u8, src: *const u8, len: usize, streaming: bool) {
    #[cfg(target_arch = "x86_64")]
    if streaming && len >= x86::BLOCKS_FROM {
        // SAFETY: passed on from our caller.
        unsafe { x86::copy_past_caches(dst, src, len) };
        return;
    }
    // Other CPUs have no streaming stores here. A plain copy is correct everywhere.
    let _ = streaming;
    // SAFETY: passed on from our caller.
    unsafe { copy_plain(dst, src, len) };
}

/// # Safety
/// See [`copy_to_shared`].
#[inline]
unsafe fn copy_plain(dst: *mut u8, src: *const u8, len: usize) {
    #[cfg(target_arch = "x86_64")]
    if x86::takes_groups(len) {
        // SAFETY: passed on from our caller, and there is at least one line.
        unsafe { x86::copy_groups(dst, src, len) };
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if len >= x86::BLOCKS_FROM && x86::aliases(dst, src) {
        // SAFETY: passed on from our caller.
        unsafe { x86::copy_line_by_line(dst, src, len) };
        return;
    }
    // SAFETY: the caller vouches for both ranges; bytes have no alignment.
    unsafe { src.copy_to_nonoverlapping(dst, len) };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies `len` bytes between the given offsets in a page, and checks them and the bytes around them.
    fn check(len: usize, dst_offset: usize, src_offset: usize, copy: impl Fn(*mut u8, *const u8, usize)) {
        const PAGE: usize = 4096;
        let source: Vec<u8> = (0..2 * PAGE + len).map(|i| (i * 31 + i / 251 + 1) as u8).collect();
        let mut target = vec![0xa5u8; 3 * PAGE + len];
        let src_offset = source.as_ptr().align_offset(PAGE) + src_offset;
        let dst_offset = target.as_ptr().align_offset(PAGE) + dst_offset;
        let (dst, src) = (target[dst_offset..].as_mut_ptr(), source[src_offset..].as_ptr());
        // Both vectors have `len` bytes behind these offsets, and they are separate.
        copy(dst, src, len);
        assert_eq!(target[dst_offset..dst_offset + len], source[src_offset..src_offset + len], "{len} bytes");
        assert!(target[..dst_offset].iter().all(|&b| b == 0xa5), "bytes before the target, {len}");
        assert!(target[dst_offset + len..].iter().all(|&b| b == 0xa5), "bytes behind it, {len}");
    }

    fn check_sizes_and_alignments(copy: impl Fn(*mut u8, *const u8, usize)) {
        // Each copy fills and compares pages, which takes a second under Miri.
        let lens: &[usize] = match cfg!(miri) {
            true => &[1, 65, 321],
            false => &[
                0, 1, 63, 64, 65, 255, 256, 257, 319, 320, 321, 1023, 1024, 1025, 2047, 2048, 4095, 4096,
                4097, 70_001,
            ],
        };
        let offsets: &[(usize, usize)] = match cfg!(miri) {
            true => &[(1, 0), (0, 4095)],
            false => &[(0, 0), (1, 0), (63, 0), (64, 0), (0, 1), (0, 4095), (15, 16), (17, 16), (33, 7)],
        };
        for &len in lens {
            for &(dst_offset, src_offset) in offsets {
                check(len, dst_offset, src_offset, &copy);
            }
        }
    }

    #[test]
    fn few_bytes_are_copied_whole_and_nothing_around_them() {
        let step = if cfg!(miri) { 67 } else { 1 };
        for len in (0..=600).chain([767, 768, 769, 831, 832, 833, 2047, 2048, 2049]).step_by(step) {
            for offset in [0, 1, 7] {
                // SAFETY: `check` gives memory for `len` bytes.
                check(len, offset, 3, |dst, src, len| unsafe { copy_short(dst, src, len) });
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no inline assembly")]
    fn copy_to_shared_copies_every_byte_and_no_other_at_any_alignment() {
        for way in [CopyMode::Near, CopyMode::Far, CopyMode::PastCaches] {
            // SAFETY: the promise is passed on unchanged.
            check_sizes_and_alignments(|dst, src, len| unsafe { copy_to_shared(dst, src, len, way) });
        }
    }

    #[test]
    fn copy_from_shared_copies_every_byte_and_no_other_at_any_alignment() {
        // SAFETY: the promise is passed on unchanged.
        check_sizes_and_alignments(|dst, src, len| unsafe { copy_from_shared(dst, src, len, false) });
    }

    #[test]
    fn copy_from_shared_streaming_copies_every_byte_and_no_other_at_any_alignment() {
        // SAFETY: the promise is passed on unchanged.
        check_sizes_and_alignments(|dst, src, len| unsafe { copy_from_shared(dst, src, len, true) });
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn only_a_destination_less_than_a_line_ahead_of_the_source_counts_as_aliasing() {
        let at = |address: usize| std::ptr::without_provenance::<u8>(address);
        let ahead = |dst: usize, src: usize| x86::aliases(at(dst), at(src));
        assert!(ahead(0x10_001, 0x20_000));
        assert!(ahead(0x10_000, 0x20_fff));
        assert!(ahead(0x20_03f, 0x10_000));
        assert!(!ahead(0x10_000, 0x20_000));
        assert!(!ahead(0x10_040, 0x20_000));
        assert!(!ahead(0x10_000, 0x20_001));
    }
}

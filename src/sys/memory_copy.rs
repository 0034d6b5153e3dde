//! Copies into and out of memory shared with another process.
//!
//! How the sender writes a slot decides what the receiver pays. Plain stores first fetch the lines that the
//! peer has read last; `rep movsb` lets the CPU ask for whole lines to be overwritten. On CPUs that start it
//! quickly it pays from a few hundred bytes where the lines come from far, elsewhere from a few KiB. Below 2
//! KiB, where plain stores are best between near cores, the C library's copy has a good and a bad speed, by
//! the accidents of a build; so these bytes go by a copy of our own, both ways. Large outputs are a different
//! case: nobody reads them soon, so they are written past the caches.
//!
//! There is one trap. Where the destination is a few bytes ahead of the source modulo the page size,
//! AMD's `rep movsb` takes each load for one of what was just stored and becomes sixteen times
//! slower (3.4 instead of 55 GB/s on an EPYC of the Zen 4 generation), and so does the C library's
//! memcpy, which uses it for larger sizes. Such pairs are copied in blocks of one line.
//!
//! No function here forms a reference to the memory it is given; what another process writes there
//! meanwhile can spoil the bytes copied and nothing else.

#[cfg(target_arch = "x86_64")]
mod x86;

/// How bytes get to the reader of shared memory, by where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyMode {
    /// The reader shares a cache with the writer.
    Near,
    /// The reader shares no cache with the writer.
    Far,
    /// Like [`CopyMode::Far`], but getting the lines back from the reader would cost more than going past
    /// the caches.
    PastCaches,
}

/// Copies `len` bytes into memory that another core reads next, such as a slot of a ring.
///
/// A Release store afterwards publishes them, as with any ordinary stores.
///
/// # Safety
/// `src` is readable and `dst` writable for `len` bytes, and they do not overlap.
pub unsafe fn copy_to_shared(dst: *mut u8, src: *const u8, len: usize, way: CopyMode) {
    #[cfg(target_arch = "x86_64")]
    if way == CopyMode::PastCaches && len >= x86::PAST_FROM {
        // SAFETY: the caller's promise is the one asked for.
        unsafe { x86::copy_past_caches(dst, src, len) };
        return;
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = way;
    #[cfg(target_arch = "x86_64")]
    if len >= x86::rep_movsb_from(way) && !x86::aliases(dst, src) {
        // SAFETY: the caller's promise is the one asked for.
        unsafe { x86::rep_movsb(dst, src, len) };
        return;
    }
    // SAFETY: the caller's promise is the one asked for.
    unsafe { copy_plain(dst, src, len) };
}

/// Copies `len` bytes, most often few of them, without a call.
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
        // SAFETY: the caller's promise is the one asked for, and a line at least.
        _ if x86::takes_groups(len) => unsafe { x86::copy_groups(dst, src, len) },
        // SAFETY: the caller's promise is the one asked for.
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
    // SAFETY: the first `N` of `len` readable bytes; an array of bytes lies anywhere.
    let head = unsafe { src.cast::<[u8; N]>().read() };
    // SAFETY: the last `N` of them.
    let tail = unsafe { src.wrapping_add(last).cast::<[u8; N]>().read() };
    // SAFETY: the first `N` of `len` writable bytes.
    unsafe { dst.cast::<[u8; N]>().write(head) };
    // SAFETY: the last `N` of them.
    unsafe { dst.wrapping_add(last).cast::<[u8; N]>().write(tail) };
}

/// Outputs of so many bytes are written past the caches: they would not stay there, and are not read for
/// ownership so.
pub const STREAMED_FROM: usize = 8 << 20;

/// Copies `len` bytes out of shared memory to the user's buffer. With `streaming`, past the caches:
/// for outputs larger than the caches, which would otherwise be read before they are overwritten.
///
/// When it returns, what it stored is ordered before a later Release store, streaming or not.
///
/// # Safety
/// `src` is readable and `dst` writable for `len` bytes, and they do not overlap.
pub unsafe fn copy_from_shared(dst: *mut u8, src: *const u8, len: usize, streaming: bool) {
    #[cfg(target_arch = "x86_64")]
    if streaming && len >= x86::BLOCKS_FROM {
        // SAFETY: the caller's promise is the one asked for.
        unsafe { x86::copy_past_caches(dst, src, len) };
        return;
    }
    // Other CPUs have no streaming stores here: a plain copy is correct everywhere.
    let _ = streaming;
    // SAFETY: the caller's promise is the one asked for.
    unsafe { copy_plain(dst, src, len) };
}

/// # Safety
/// See [`copy_to_shared`].
#[inline]
unsafe fn copy_plain(dst: *mut u8, src: *const u8, len: usize) {
    #[cfg(target_arch = "x86_64")]
    if x86::takes_groups(len) {
        // SAFETY: the caller's promise is the one asked for, and a line at least.
        unsafe { x86::copy_groups(dst, src, len) };
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if len >= x86::BLOCKS_FROM && x86::aliases(dst, src) {
        // SAFETY: the caller's promise is the one asked for.
        unsafe { x86::copy_line_by_line(dst, src, len) };
        return;
    }
    // SAFETY: the caller vouches for both ranges; bytes have no alignment.
    unsafe { src.copy_to_nonoverlapping(dst, len) };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies `len` bytes between the given offsets in a page; checks them and what lies around.
    fn check(len: usize, dst_offset: usize, src_offset: usize, copy: impl Fn(*mut u8, *const u8, usize)) {
        const PAGE: usize = 4096;
        let source: Vec<u8> = (0..2 * PAGE + len).map(|i| (i * 31 + i / 251 + 1) as u8).collect();
        let mut target = vec![0xa5u8; 3 * PAGE + len];
        let src_offset = source.as_ptr().align_offset(PAGE) + src_offset;
        let dst_offset = target.as_ptr().align_offset(PAGE) + dst_offset;
        let (dst, src) = (target[dst_offset..].as_mut_ptr(), source[src_offset..].as_ptr());
        // Both vectors have `len` bytes behind these offsets, and they are two.
        copy(dst, src, len);
        assert_eq!(target[dst_offset..dst_offset + len], source[src_offset..src_offset + len], "{len} bytes");
        assert!(target[..dst_offset].iter().all(|&b| b == 0xa5), "bytes before the target, {len}");
        assert!(target[dst_offset + len..].iter().all(|&b| b == 0xa5), "bytes behind it, {len}");
    }

    fn check_sizes_and_alignments(copy: impl Fn(*mut u8, *const u8, usize)) {
        for len in [
            0, 1, 63, 64, 65, 255, 256, 257, 319, 320, 321, 1023, 1024, 1025, 2047, 2048, 4095, 4096, 4097,
            70_001,
        ] {
            for (dst_offset, src_offset) in
                [(0, 0), (1, 0), (63, 0), (64, 0), (0, 1), (0, 4095), (15, 16), (17, 16), (33, 7)]
            {
                check(len, dst_offset, src_offset, &copy);
            }
        }
    }

    #[test]
    fn few_bytes_are_copied_whole_and_nothing_beside_them() {
        for len in (0..=600).chain([767, 768, 769, 831, 832, 833, 2047, 2048, 2049]) {
            for offset in [0, 1, 7] {
                // SAFETY: `check` gives memory for `len` bytes.
                check(len, offset, 3, |dst, src, len| unsafe { copy_short(dst, src, len) });
            }
        }
    }

    #[test]
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

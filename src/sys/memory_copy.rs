//! Copies into and out of memory shared with another process.
//!
//! How the sender writes a slot decides what the receiver pays. Plain stores first fetch every line
//! that the peer has read last, word by word ahead of the copy; `rep movsb` lets the CPU ask for
//! whole lines to be overwritten. It has a start-up cost, so it pays from a few KiB only. Large
//! outputs are a different case: nobody reads them soon, so they are written past the caches.
//!
//! None of the two forms a reference to the memory it is given; what another process writes there
//! meanwhile can spoil the bytes copied and nothing else.

/// Copies `len` bytes into memory that another core reads next, such as a slot of a ring.
///
/// The stores are ordinary ones: a Release store afterwards publishes them.
///
/// # Safety
/// `src` is readable and `dst` writable for `len` bytes, and they do not overlap.
pub unsafe fn copy_to_shared(dst: *mut u8, src: *const u8, len: usize) {
    #[cfg(target_arch = "x86_64")]
    if len >= x86::REP_MOVSB_FROM && x86::has_fast_rep_movsb() {
        // SAFETY: the caller's promise is the one asked for.
        unsafe { x86::rep_movsb(dst, src, len) };
        return;
    }
    // SAFETY: the caller vouches for both ranges; bytes have no alignment.
    unsafe { src.copy_to_nonoverlapping(dst, len) };
}

/// Copies `len` bytes out of shared memory to the user's buffer. With `streaming`, past the caches:
/// for outputs larger than the caches, which would otherwise be read before they are overwritten.
///
/// When it returns, all stores are ordered before any later store of this thread, streaming or not.
///
/// # Safety
/// `src` is readable and `dst` writable for `len` bytes, and they do not overlap.
pub unsafe fn copy_from_shared(dst: *mut u8, src: *const u8, len: usize, streaming: bool) {
    #[cfg(target_arch = "x86_64")]
    if streaming && len >= x86::STREAM_FROM {
        // SAFETY: the caller's promise is the one asked for.
        unsafe { x86::copy_streaming(dst, src, len) };
        return;
    }
    let _ = streaming;
    // SAFETY: the caller vouches for both ranges; bytes have no alignment.
    unsafe { src.copy_to_nonoverlapping(dst, len) };
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::asm;
    use std::arch::x86_64::{
        __cpuid_count, __get_cpuid_max, __m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128,
    };
    use std::sync::OnceLock;

    /// Size from which `rep movsb` beats plain stores when the other core has read the slot.
    pub(super) const REP_MOVSB_FROM: usize = 4096;

    /// Below this, the unaligned ends and the fence cost more than streaming gains.
    pub(super) const STREAM_FROM: usize = 1024;

    const LINE: usize = 64;
    const WORD: usize = size_of::<__m128i>();

    /// Whether the CPU says that `rep movsb` is fast (ERMS, leaf 7).
    pub(super) fn has_fast_rep_movsb() -> bool {
        static ANSWER: OnceLock<bool> = OnceLock::new();
        *ANSWER.get_or_init(|| __get_cpuid_max(0).0 >= 7 && __cpuid_count(7, 0).ebx & (1 << 9) != 0)
    }

    /// # Safety
    /// As [`super::copy_to_shared`].
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

    /// # Safety
    /// As [`super::copy_from_shared`].
    pub(super) unsafe fn copy_streaming(dst: *mut u8, src: *const u8, len: usize) {
        // Whole lines only are streamed, since a line written in part goes to memory in pieces.
        let head = dst.align_offset(LINE).min(len);
        let lines = (len - head) / LINE;
        // SAFETY: `head` is at most `len`.
        unsafe { src.copy_to_nonoverlapping(dst, head) };
        for offset in (head..head + lines * LINE).step_by(LINE) {
            // SAFETY: `offset + LINE` is at most `len`.
            let from = unsafe { src.add(offset) };
            // SAFETY: as above.
            let to = unsafe { dst.add(offset) };
            // SAFETY: one line is readable and writable here, and `to` is aligned to a line.
            unsafe { stream_line(to.cast(), from.cast()) };
        }
        let done = head + lines * LINE;
        // SAFETY: `done` is at most `len`.
        let from = unsafe { src.add(done) };
        // SAFETY: as above.
        let to = unsafe { dst.add(done) };
        // SAFETY: `len - done` bytes are left of both.
        unsafe { from.copy_to_nonoverlapping(to, len - done) };
        // Streaming stores obey no Release; only the fence orders them before what follows.
        // SAFETY: every x86-64 has SSE.
        unsafe { _mm_sfence() };
    }

    /// # Safety
    /// `src` is readable and `dst` writable for one line; `dst` is aligned to it.
    #[inline(always)]
    unsafe fn stream_line(dst: *mut __m128i, src: *const __m128i) {
        for i in 0..LINE / WORD {
            // SAFETY: inside the line.
            let from = unsafe { src.add(i) };
            // SAFETY: inside the line.
            let to = unsafe { dst.add(i) };
            // SAFETY: readable, at any alignment.
            let word = unsafe { _mm_loadu_si128(from) };
            // SAFETY: writable, and aligned since the line is; the caller fences at the end.
            unsafe { _mm_stream_si128(to, word) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies `len` bytes between the given misalignments and checks them and what lies around.
    fn check(len: usize, dst_offset: usize, src_offset: usize, copy: unsafe fn(*mut u8, *const u8, usize)) {
        const MARGIN: usize = 64;
        let source: Vec<u8> = (0..src_offset + len).map(|i| (i * 31 + i / 251 + 1) as u8).collect();
        let mut target = vec![0xa5u8; dst_offset + len + MARGIN];
        let (dst, src) = (target[dst_offset..].as_mut_ptr(), source[src_offset..].as_ptr());
        // SAFETY: both vectors have `len` bytes behind these offsets, and they are two.
        unsafe { copy(dst, src, len) };
        assert_eq!(target[dst_offset..dst_offset + len], source[src_offset..], "{len} bytes");
        assert!(target[..dst_offset].iter().all(|&b| b == 0xa5), "bytes before the target, {len}");
        assert!(target[dst_offset + len..].iter().all(|&b| b == 0xa5), "bytes behind it, {len}");
    }

    fn check_sizes_and_alignments(copy: unsafe fn(*mut u8, *const u8, usize)) {
        for len in [0, 1, 63, 64, 65, 1000, 1023, 1024, 1025, 4095, 4096, 4097, 70_001] {
            for (dst_offset, src_offset) in [(0, 0), (1, 0), (0, 1), (15, 16), (63, 64), (64, 63), (33, 7)] {
                check(len, dst_offset, src_offset, copy);
            }
        }
    }

    #[test]
    fn copy_to_shared_copies_every_byte_and_no_other_at_any_alignment() {
        check_sizes_and_alignments(copy_to_shared);
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
}

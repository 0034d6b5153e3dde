//! The copies of x86-64: `rep movsb`, and line by line through or past the caches.

use std::arch::asm;
use std::arch::x86_64::{__cpuid_count, __get_cpuid_max, __m128i, _mm_loadu_si128, _mm_store_si128};
use std::sync::OnceLock;

use super::mode::CopyMode;
use crate::sys::line_store::{self, Avx, Avx512, LINE, LineStore, Sse};

/// Size from which copies in whole lines pay off. Below, the unaligned ends and the fence cost more than
/// streaming gains, and the C library does not use `rep movsb`.
pub(super) const BLOCKS_FROM: usize = 1024;

/// Size from which a copy past the caches reaches a far core earlier (docs/lab/constants.md).
pub(super) const PAST_FROM: usize = 512;

const PAGE: usize = 4096;

/// Size from which `rep movsb` beats plain stores into a slot that the other core has read. It depends on how
/// quickly the CPU starts it, and on whether the reader is near (docs/lab/constants.md).
#[inline]
pub(super) fn rep_movsb_from(way: CopyMode) -> usize {
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
    if way == CopyMode::Near { near } else { far }
}

/// Whether `dst` is ahead of `src` by less than a line, modulo the page size. The head of the parent module
/// explains this trap.
#[inline]
pub(super) fn aliases(dst: *const u8, src: *const u8) -> bool {
    let ahead = dst.addr().wrapping_sub(src.addr()) % PAGE;
    (1..LINE).contains(&ahead)
}

/// # Safety
/// See [`super::copy_to_shared`].
#[inline]
pub(super) unsafe fn rep_movsb(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: reads `len` bytes at `src` and writes them at `dst`, as the caller allows. The direction flag
    // is clear, as the ABI demands; the three registers are declared as changed.
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

/// Whether [`copy_groups`] is for `len` bytes. Fewer bytes are only a few words, and for more the C library
/// is as good.
#[inline]
pub(super) fn takes_groups(len: usize) -> bool {
    (LINE..2048).contains(&len) && is_x86_feature_detected!("avx")
}

/// Bytes that fit into eight registers.
const GROUP: usize = 4 * LINE;

/// Copies four lines at a time, and loads all four before it stores the first. Between cores that share a
/// cache no other way that was tried is faster. Its speed is the same in all builds, which that of the C
/// library is not (docs/lab/constants.md).
///
/// # Safety
/// See [`super::copy_to_shared`]; the CPU has AVX, and `len` is at least a line.
#[inline(always)]
pub(super) unsafe fn copy_groups(dst: *mut u8, src: *const u8, len: usize) {
    let mut done = 0;
    while len - done >= GROUP {
        // SAFETY: a group is left of both ranges, and the caller vouches for AVX.
        unsafe { copy_group(dst.wrapping_add(done), src.wrapping_add(done)) };
        done += GROUP;
    }
    while len - done >= LINE {
        // SAFETY: a line is left of both ranges.
        unsafe { src.wrapping_add(done).copy_to_nonoverlapping(dst.wrapping_add(done), LINE) };
        done += LINE;
    }
    if done < len {
        let last = len - LINE;
        // SAFETY: the last line of both ranges, which have at least one; parts of it may be copied already.
        unsafe { src.wrapping_add(last).copy_to_nonoverlapping(dst.wrapping_add(last), LINE) };
    }
}

/// Copies [`GROUP`] bytes. It is written in assembly because a compiler changes the order of the stores.
///
/// # Safety
/// `src` is readable and `dst` writable for [`GROUP`] bytes, and they do not overlap. The CPU has AVX.
#[inline(always)]
unsafe fn copy_group(dst: *mut u8, src: *const u8) {
    // SAFETY: reads and writes what the caller allows. All vector registers are declared as changed, because
    // `vzeroupper` changes the upper half of each. Without it, code that does not use AVX would be slow
    // afterwards.
    unsafe {
        asm!(
            "vmovdqu ymm0, [{src}]",
            "vmovdqu ymm1, [{src} + 32]",
            "vmovdqu ymm2, [{src} + 64]",
            "vmovdqu ymm3, [{src} + 96]",
            "vmovdqu ymm4, [{src} + 128]",
            "vmovdqu ymm5, [{src} + 160]",
            "vmovdqu ymm6, [{src} + 192]",
            "vmovdqu ymm7, [{src} + 224]",
            "vmovdqu [{dst}], ymm0",
            "vmovdqu [{dst} + 32], ymm1",
            "vmovdqu [{dst} + 64], ymm2",
            "vmovdqu [{dst} + 96], ymm3",
            "vmovdqu [{dst} + 128], ymm4",
            "vmovdqu [{dst} + 160], ymm5",
            "vmovdqu [{dst} + 192], ymm6",
            "vmovdqu [{dst} + 224], ymm7",
            "vzeroupper",
            src = in(reg) src,
            dst = in(reg) dst,
            out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _,
            out("ymm4") _, out("ymm5") _, out("ymm6") _, out("ymm7") _,
            out("ymm8") _, out("ymm9") _, out("ymm10") _, out("ymm11") _,
            out("ymm12") _, out("ymm13") _, out("ymm14") _, out("ymm15") _,
            options(nostack, preserves_flags),
        )
    };
}

/// Copies past the caches, with the widest stores of this CPU.
///
/// On return, its stores are ordered before a later Release store.
///
/// # Safety
/// See [`super::copy_to_shared`].
pub(super) unsafe fn copy_past_caches(dst: *mut u8, src: *const u8, len: usize) {
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: passed on from our caller, and AVX-512 F was found.
        unsafe { copy_past_avx512(dst, src, len) };
    } else if is_x86_feature_detected!("avx") {
        // SAFETY: passed on from our caller, and AVX was found.
        unsafe { copy_past_avx(dst, src, len) };
    } else {
        // SAFETY: passed on from our caller.
        unsafe { copy_lines::<Sse>(dst, src, len) };
    }
    line_store::fence();
}

/// # Safety
/// See [`super::copy_to_shared`], and the CPU has AVX-512 F.
#[target_feature(enable = "avx512f")]
unsafe fn copy_past_avx512(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: passed on from our caller.
    unsafe { copy_lines::<Avx512>(dst, src, len) };
}

/// # Safety
/// See [`super::copy_to_shared`], and the CPU has AVX.
#[target_feature(enable = "avx")]
unsafe fn copy_past_avx(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: passed on from our caller.
    unsafe { copy_lines::<Avx>(dst, src, len) };
}

/// Copies line by line through the caches, and loads each line whole before it stores it. For pairs that
/// [`aliases`] finds.
///
/// # Safety
/// See [`super::copy_to_shared`].
pub(super) unsafe fn copy_line_by_line(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: passed on from our caller; every x86-64 has SSE.
    unsafe { copy_lines::<Cached>(dst, src, len) };
}

/// Stores through the caches, 16 bytes at a time.
struct Cached;

impl LineStore for Cached {
    #[inline(always)]
    unsafe fn copy(dst: *mut u8, src: *const u8) {
        let words: [__m128i; LINE / size_of::<__m128i>()] = std::array::from_fn(|i| {
            // SAFETY: inside the line, at any alignment.
            unsafe { _mm_loadu_si128(src.cast::<__m128i>().wrapping_add(i)) }
        });
        for (i, word) in words.into_iter().enumerate() {
            // SAFETY: inside the line, and aligned because the line is.
            unsafe { _mm_store_si128(dst.cast::<__m128i>().wrapping_add(i), word) };
        }
    }
}

/// Copies whole lines of the destination by `S`, and the rest at both ends by plain copies.
///
/// # Safety
/// See [`super::copy_to_shared`], and the CPU has the instructions of `S`.
#[inline(always)]
unsafe fn copy_lines<S: LineStore>(dst: *mut u8, src: *const u8, len: usize) {
    // Only whole lines of the destination: a line that is streamed in part goes to memory in pieces.
    let head = dst.align_offset(LINE).min(len);
    let done = head + (len - head) / LINE * LINE;
    // SAFETY: `head` is at most `len`.
    unsafe { src.copy_to_nonoverlapping(dst, head) };
    for at in (head..done).step_by(LINE) {
        // SAFETY: `at + LINE` is at most `len`; `dst` is aligned there because of `head`. The caller vouches
        // for the CPU.
        unsafe { S::copy(dst.wrapping_add(at), src.wrapping_add(at)) };
    }
    // SAFETY: `done` is at most `len`, and that many bytes are left of both.
    unsafe { src.wrapping_add(done).copy_to_nonoverlapping(dst.wrapping_add(done), len - done) };
}

#[cfg(test)]
mod tests {
    use super::*;

    type Copy = unsafe fn(*mut u8, *const u8, usize);

    /// The copies of this CPU. The tests of the parent already use the widest.
    fn all_widths() -> Vec<(&'static str, Copy)> {
        let mut widths: Vec<(&str, Copy)> = vec![("sse", copy_lines::<Sse>)];
        if is_x86_feature_detected!("avx") {
            widths.push(("avx", copy_past_avx));
        }
        if is_x86_feature_detected!("avx512f") {
            widths.push(("avx512f", copy_past_avx512));
        }
        widths
    }

    #[test]
    fn stores_of_every_width_copy_every_byte_and_no_other() {
        let source: Vec<u8> = (0..1024).map(|i| (i * 31 + i / 251 + 1) as u8).collect();
        for (name, copy) in all_widths() {
            for (len, to, from) in
                [(0, 0, 0), (63, 1, 0), (64, 0, 1), (300, 7, 13), (512, 64, 64), (513, 33, 0)]
            {
                let mut target = vec![0xa5u8; 1024];
                // SAFETY: both have room for `len` bytes behind these offsets; the CPU has what is in the
                // list.
                unsafe { copy(target[to..to + len].as_mut_ptr(), source[from..from + len].as_ptr(), len) };
                line_store::fence();
                assert_eq!(target[to..to + len], source[from..from + len], "{name}, {len} bytes");
                assert!(
                    target[..to].iter().chain(&target[to + len..]).all(|&b| b == 0xa5),
                    "{name}: around {len}"
                );
            }
        }
    }
}

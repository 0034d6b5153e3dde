//! The loops, compiled once for each instruction set.
//!
//! A loop that is inlined into a function with AVX2 or AVX-512 enabled becomes a vector loop of that width.
//! All sets are compiled from the same source, so they compute the same results.

use super::instruction_set::InstructionSet;
use super::kernel::{DivideFn, ReduceKernel};
use super::loops::{Combine, Divide, Each, InPairs, Loop, divide_all};
#[cfg(target_arch = "x86_64")]
use super::streamed;
use crate::sys::line_store::{Avx, Avx512};

/// The kernel that applies `C` to each element, for `set`.
pub(super) fn reduce_loop<C: Combine>(set: InstructionSet) -> ReduceKernel {
    compiled_for::<Each<C>>(set)
}

/// The kernel that applies `P` to each two elements and `C` to an odd last one, for `set`.
pub(super) fn reduce_loop_in_pairs<P: Combine, C: Combine>(set: InstructionSet) -> ReduceKernel {
    compiled_for::<InPairs<P, C>>(set)
}

/// The kernel of `L`, for `set`.
pub(super) fn compiled_for<L: Loop>(set: InstructionSet) -> ReduceKernel {
    match set {
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 => ReduceKernel { plain: run_avx512::<L>, streamed: stream_avx512::<L> },
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 => ReduceKernel { plain: run_avx2::<L>, streamed: stream_avx2::<L> },
        // A streamed form is not worth its code here: other CPUs have no such stores in this library, and few
        // x86-64 CPUs lack AVX2.
        InstructionSet::Portable => ReduceKernel { plain: L::run, streamed: L::run },
    }
}

/// The loop of `D` for `set`.
pub(super) fn divide_loop<D: Divide>(set: InstructionSet) -> DivideFn {
    match set {
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 => divide_avx512::<D>,
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 => divide_avx2::<D>,
        InstructionSet::Portable => divide_all::<D>,
    }
}

/// # Safety
/// The contract of [`ReduceKernel::plain`] holds, and the CPU has AVX-512 F, BW, VL and DQ.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,f16c")]
#[inline(never)]
unsafe fn run_avx512<L: Loop>(dst: *mut u8, a: *const u8, b: *const u8, count: usize) {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { L::run(dst, a, b, count) }
}

/// # Safety
/// The contract of [`ReduceKernel::plain`] holds, and the CPU has AVX2 and F16C.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
#[inline(never)]
unsafe fn run_avx2<L: Loop>(dst: *mut u8, a: *const u8, b: *const u8, count: usize) {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { L::run(dst, a, b, count) }
}

/// # Safety
/// The contract of [`ReduceKernel::streamed`] holds, and the CPU has AVX-512 F, BW, VL and DQ.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,f16c")]
unsafe fn stream_avx512<L: Loop>(dst: *mut u8, a: *const u8, b: *const u8, count: usize) {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { streamed::run((run_avx512::<L>, blocks_avx512::<L>), L::ELEMENT_BYTES, dst, a, b, count) }
}

/// # Safety
/// The contract of [`streamed::combine_blocks`] holds, and the CPU has AVX-512 F, BW, VL and DQ.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,f16c")]
unsafe fn blocks_avx512<L: Loop>(dst: *mut u8, a: *const u8, b: *const u8, count: usize) {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { streamed::combine_blocks::<L, Avx512>(dst, a, b, count) }
}

/// # Safety
/// The contract of [`ReduceKernel::streamed`] holds, and the CPU has AVX2 and F16C.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
unsafe fn stream_avx2<L: Loop>(dst: *mut u8, a: *const u8, b: *const u8, count: usize) {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { streamed::run((run_avx2::<L>, blocks_avx2::<L>), L::ELEMENT_BYTES, dst, a, b, count) }
}

/// # Safety
/// The contract of [`streamed::combine_blocks`] holds, and the CPU has AVX2 and F16C.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
unsafe fn blocks_avx2<L: Loop>(dst: *mut u8, a: *const u8, b: *const u8, count: usize) {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { streamed::combine_blocks::<L, Avx>(dst, a, b, count) }
}

/// # Safety
/// The contract of [`DivideFn`] holds, and the CPU has AVX-512 F, BW, VL and DQ.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,f16c")]
unsafe fn divide_avx512<D: Divide>(data: *mut u8, count: usize, divisor: u32) {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { divide_all::<D>(data, count, divisor) }
}

/// # Safety
/// The contract of [`DivideFn`] holds, and the CPU has AVX2 and F16C.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
unsafe fn divide_avx2<D: Divide>(data: *mut u8, count: usize, divisor: u32) {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { divide_all::<D>(data, count, divisor) }
}

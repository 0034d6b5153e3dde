//! The loops, compiled once for each instruction set.
//!
//! A loop inlined into a function that enables AVX2 or AVX-512 becomes a vector loop of that width.
//! The source is one and the same, so all sets compute the same thing by construction.

use super::instruction_set::InstructionSet;
use super::loops::{Combine, Divide, Each, InPairs, Loop, divide_all};
use super::{DivideFn, ReduceFn};

/// The kernel that applies `C` to each element, for `set`.
pub(super) fn reduce_loop<C: Combine>(set: InstructionSet) -> ReduceFn {
    compiled_for::<Each<C>>(set)
}

/// The kernel that applies `P` to each two elements and `C` to a last one, for `set`.
pub(super) fn reduce_loop_in_pairs<P: Combine, C: Combine>(set: InstructionSet) -> ReduceFn {
    compiled_for::<InPairs<P, C>>(set)
}

fn compiled_for<L: Loop>(set: InstructionSet) -> ReduceFn {
    match set {
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 => run_avx512::<L>,
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 => run_avx2::<L>,
        InstructionSet::Portable => L::run,
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
/// As [`ReduceFn`], and the CPU has AVX-512 F, BW, VL and DQ.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,f16c")]
unsafe fn run_avx512<L: Loop>(dst: *mut u8, a: *const u8, b: *const u8, count: usize) {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { L::run(dst, a, b, count) }
}

/// # Safety
/// As [`ReduceFn`], and the CPU has AVX2 and F16C.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
unsafe fn run_avx2<L: Loop>(dst: *mut u8, a: *const u8, b: *const u8, count: usize) {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { L::run(dst, a, b, count) }
}

/// # Safety
/// As [`DivideFn`], and the CPU has AVX-512 F, BW, VL and DQ.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,f16c")]
unsafe fn divide_avx512<D: Divide>(data: *mut u8, count: usize, divisor: u32) {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { divide_all::<D>(data, count, divisor) }
}

/// # Safety
/// As [`DivideFn`], and the CPU has AVX2 and F16C.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
unsafe fn divide_avx2<D: Divide>(data: *mut u8, count: usize, divisor: u32) {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { divide_all::<D>(data, count, divisor) }
}

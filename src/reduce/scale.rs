//! Scaling, `dst[i] = scalar * src[i]`: the first step of a premultiplied sum, done while its input is
//! copied.
//!
//! The product is that of the operator "product", rounded to the datatype. So the sum starts from numbers
//! that any rank could have sent.

use super::bfloat16::Bfloat16;
use super::conversion::Saturating;
use super::float::{ComplexProduct, Float32, Float64, Rounded, Times};
use super::instruction_set::InstructionSet;
use super::integer;
use super::loops::{Combine, load, store};
use super::small_float::{Float8E4m3, Float8E5m2, Float16};
use crate::base::{Datatype, ReduceOp};

/// Computes `dst[i] = scalar[0] * src[i]` for `count` elements.
///
/// # Safety
/// `scalar` is readable for one element, `src` readable and `dst` writable for `count` elements of the
/// kernel's datatype. `dst` is exactly `src`, or overlaps neither `src` nor `scalar`. No pointer need be
/// aligned.
pub type ScaleFn = unsafe fn(dst: *mut u8, src: *const u8, scalar: *const u8, count: usize);

/// The scaling of `datatype`. `None`: the datatype has no premultiplied sum. `saturates`: 8-bit floats do not
/// overflow.
pub fn scale_fn(datatype: Datatype, saturates: bool) -> Option<ScaleFn> {
    let set = InstructionSet::of_this_cpu();
    match datatype {
        Datatype::Float8E4m3 if saturates => {
            Some(compiled_for::<Rounded<Saturating<Float8E4m3>, Times>>(set))
        }
        Datatype::Float8E5m2 if saturates => {
            Some(compiled_for::<Rounded<Saturating<Float8E5m2>, Times>>(set))
        }
        _ => scale_kernel(set, datatype),
    }
}

/// The scaling of `datatype` for an instruction set. `None`: the datatype has no premultiplied sum.
pub(super) fn scale_kernel(set: InstructionSet, datatype: Datatype) -> Option<ScaleFn> {
    if !ReduceOp::PremulSum.accepts(datatype) {
        return None;
    }
    Some(match datatype {
        Datatype::Int8 | Datatype::Uint8 => compiled_for::<integer::Product<u8>>(set),
        Datatype::Int16 | Datatype::Uint16 => compiled_for::<integer::Product<u16>>(set),
        Datatype::Int32 | Datatype::Uint32 => compiled_for::<integer::Product<u32>>(set),
        Datatype::Int64 | Datatype::Uint64 => compiled_for::<integer::Product<u64>>(set),
        Datatype::Float16 => compiled_for::<Rounded<Float16, Times>>(set),
        Datatype::Bfloat16 => compiled_for::<Rounded<Bfloat16, Times>>(set),
        Datatype::Float32 => compiled_for::<Rounded<Float32, Times>>(set),
        Datatype::Float64 => compiled_for::<Rounded<Float64, Times>>(set),
        Datatype::Float8E4m3 => compiled_for::<Rounded<Float8E4m3, Times>>(set),
        Datatype::Float8E5m2 => compiled_for::<Rounded<Float8E5m2, Times>>(set),
        Datatype::Complex64 => compiled_for::<ComplexProduct<Float32>>(set),
        Datatype::Complex128 => compiled_for::<ComplexProduct<Float64>>(set),
        Datatype::Bool | Datatype::Byte => return None,
    })
}

fn compiled_for<C: Combine>(set: InstructionSet) -> ScaleFn {
    match set {
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 => scale_avx512::<C>,
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 => scale_avx2::<C>,
        InstructionSet::Portable => scale_all::<C>,
    }
}

/// # Safety
/// The contract of [`ScaleFn`] holds.
#[inline(always)]
unsafe fn scale_all<C: Combine>(dst: *mut u8, src: *const u8, scalar: *const u8, count: usize) {
    // SAFETY: the caller vouches for one element.
    let factor = unsafe { load::<C::Element>(scalar, 0) };
    if dst.cast_const() == src {
        // This needs a loop of its own: the compiler's overlap check would choose the scalar loop.
        for i in 0..count {
            // SAFETY: `i` is below `count`, and `dst` is the source, hence readable.
            let x = unsafe { load::<C::Element>(dst, i) };
            // SAFETY: the caller vouches for `dst`.
            unsafe { store(dst, i, C::combine(factor, x)) };
        }
        return;
    }
    for i in 0..count {
        // SAFETY: `i` is below `count`, for which the caller vouches for `src`.
        let x = unsafe { load::<C::Element>(src, i) };
        // SAFETY: likewise for `dst`.
        unsafe { store(dst, i, C::combine(factor, x)) };
    }
}

/// # Safety
/// The contract of [`ScaleFn`] holds, and the CPU has AVX-512 F, BW, VL and DQ.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,f16c")]
unsafe fn scale_avx512<C: Combine>(dst: *mut u8, src: *const u8, scalar: *const u8, count: usize) {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { scale_all::<C>(dst, src, scalar, count) }
}

/// # Safety
/// The contract of [`ScaleFn`] holds, and the CPU has AVX2 and F16C.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
unsafe fn scale_avx2<C: Combine>(dst: *mut u8, src: *const u8, scalar: *const u8, count: usize) {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { scale_all::<C>(dst, src, scalar, count) }
}

//! The narrow forms of float32 in which sums travel between hosts ([`WireFormat`]).
//!
//! bf16 is the upper half of a float32, rounded to nearest even. In the other two, 256 numbers share a scale,
//! a float32 that comes in front of their codes. The scale maps the largest finite magnitude of the block to
//! the largest code. A code is float8_e4m3 or an integer from -127 to 127, the nearest one, ties to even.
//! All numbers of a block of zeros are zero.
//!
//! What is not finite stays so. bf16 keeps infinities, and makes one of a number that rounds to more than its
//! largest. The codes of the other two have a NaN but no infinity, so an infinity becomes NaN. It does not
//! change the other numbers of its block. NaNs are canonical, and integers have no -0.
//!
//! A product of code and scale is zero or a normal number, so it does not depend on how a CPU treats
//! denormals. Numbers below 2^-126 in blocks of nothing larger become 0 or 2^-126.

use super::bfloat16::Bfloat16;
use super::float::{Float, Float32};
use super::instruction_set::InstructionSet;
use super::loops::{load, store};
use super::small_float::Float8E4m3;
use crate::base::WireFormat;

/// Makes the narrow form of `count` float32 of `src` in `dst`.
///
/// # Safety
/// `src` is readable for `count` float32, and `dst` writable for [`WireFormat::narrow_len`] times 4 bytes, at
/// any alignment. They do not overlap.
pub type NarrowFn = unsafe fn(dst: *mut u8, src: *const u8, count: usize);

/// Makes `count` float32 in `dst` of a narrow form.
///
/// # Safety
/// Like [`NarrowFn`], the other way round.
pub type WidenFn = unsafe fn(dst: *mut u8, src: *const u8, count: usize);

/// Computes `dst[i] = a[i] + src[i]` for `count` float32, where `src` is in narrow form.
///
/// # Safety
/// Like [`WidenFn`]. `a` is readable for `count` float32; it is exactly `dst`, or does not overlap it.
pub type AddFn = unsafe fn(dst: *mut u8, a: *const u8, src: *const u8, count: usize);

/// The kernels of a format.
#[derive(Clone, Copy)]
pub struct WireKernels {
    /// To the narrow form.
    pub narrow: NarrowFn,
    /// Back to float32.
    pub widen: WidenFn,
    /// The sum of float32 and a narrow form.
    pub add: AddFn,
}

/// The kernels of a format for this CPU.
pub fn wire_kernels(format: WireFormat) -> WireKernels {
    kernels_for(InstructionSet::of_this_cpu(), format)
}

pub(super) fn kernels_for(set: InstructionSet, format: WireFormat) -> WireKernels {
    match format {
        WireFormat::Bf16 => compiled_for::<Plain<Bfloat16>>(set),
        WireFormat::F8 => compiled_for::<Blocks<Float8E4m3>>(set),
        WireFormat::Int8Block => compiled_for::<Blocks<Integer>>(set),
    }
}

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;

/// A narrow form. Both functions are `inline(always)`, so that they become part of vector loops.
trait Narrow {
    /// # Safety
    /// The contract of [`NarrowFn`] holds.
    unsafe fn narrow(dst: *mut u8, src: *const u8, count: usize);

    /// Calls `each` with the index and the value of each number.
    ///
    /// # Safety
    /// `src` is readable as for [`WidenFn`].
    unsafe fn for_each(src: *const u8, count: usize, each: impl FnMut(usize, f32));
}

/// One number after the other, without scales.
struct Plain<F>(std::marker::PhantomData<F>);

impl<F: Float<Bits = i16, Wide = f32>> Narrow for Plain<F> {
    #[inline(always)]
    unsafe fn narrow(dst: *mut u8, src: *const u8, count: usize) {
        for i in 0..count {
            // SAFETY: `i` is below `count`, for which the caller vouches.
            let value = f32::from_bits(unsafe { load::<u32>(src, i) });
            // SAFETY: likewise for `dst`.
            unsafe { store(dst, i, F::encode(value)) };
        }
        if count % 2 == 1 {
            // SAFETY: the form ends with a whole element of 4 bytes.
            unsafe { store(dst, count, 0i16) };
        }
    }

    #[inline(always)]
    unsafe fn for_each(src: *const u8, count: usize, mut each: impl FnMut(usize, f32)) {
        for i in 0..count {
            // SAFETY: `i` is below `count`, for which the caller vouches.
            each(i, F::decode(unsafe { load::<i16>(src, i) }));
        }
    }
}

/// Codes of a byte, with a scale for each block.
trait Code {
    /// The largest number that has a code.
    const LIMIT: f32;
    /// The least positive number that has a code.
    const LEAST: f32;
    /// The nearest code, or that of NaN.
    fn encode(value: f32) -> i8;
    /// The number or NaN that a code means.
    fn decode(code: i8) -> f32;
}

impl Code for Float8E4m3 {
    const LIMIT: f32 = 448.0;
    const LEAST: f32 = 1.0 / 512.0;

    #[inline(always)]
    fn encode(value: f32) -> i8 {
        <Float8E4m3 as Float>::encode(value)
    }

    #[inline(always)]
    fn decode(code: i8) -> f32 {
        <Float8E4m3 as Float>::decode(code)
    }
}

/// Whole numbers.
struct Integer;

/// The integer without a number: NaN.
const NO_NUMBER: i8 = -128;

/// The sum of this and a small number has the nearest integer in its low bits, ties to even.
const TO_INTEGER: f32 = 12_582_912.0;

impl Code for Integer {
    const LIMIT: f32 = 127.0;
    const LEAST: f32 = 1.0;

    #[inline(always)]
    fn encode(value: f32) -> i8 {
        let is_finite = value.to_bits() & !SIGN < INFINITY;
        // The largest may be just above the limit, after its division by the scale.
        let value = if value > Self::LIMIT { Self::LIMIT } else { value };
        let value = if value < -Self::LIMIT { -Self::LIMIT } else { value };
        let code = (value + TO_INTEGER).to_bits() as i8;
        if is_finite { code } else { NO_NUMBER }
    }

    #[inline(always)]
    fn decode(code: i8) -> f32 {
        if code == NO_NUMBER { f32::NAN } else { f32::from(code) }
    }
}

struct Blocks<C>(std::marker::PhantomData<C>);

impl<C: Code> Blocks<C> {
    /// Scale of a block with this largest magnitude. Each code times it is finite, and zero or normal.
    #[inline(always)]
    fn scale(largest: f32) -> f32 {
        let most = f32::from_bits((f32::MAX / C::LIMIT).to_bits() - 1);
        (largest / C::LIMIT).clamp(f32::MIN_POSITIVE / C::LEAST, most)
    }
}

impl<C: Code> Narrow for Blocks<C> {
    #[inline(always)]
    unsafe fn narrow(dst: *mut u8, src: *const u8, count: usize) {
        let (mut codes, mut done) = (dst, 0);
        while done < count {
            let len = WireFormat::BLOCK.min(count - done);
            // SAFETY: `done` numbers are within the caller's memory.
            let block = unsafe { src.add(4 * done) };
            let mut largest = 0u32;
            for i in 0..len {
                // SAFETY: the block has `len` numbers.
                let magnitude = unsafe { load::<u32>(block, i) } & !SIGN;
                largest = largest.max(if magnitude < INFINITY { magnitude } else { 0 });
            }
            let scale = Self::scale(f32::from_bits(largest));
            // SAFETY: the form has a scale for each block.
            unsafe { store(codes, 0, scale.to_bits()) };
            // SAFETY: the codes follow.
            codes = unsafe { codes.add(WireFormat::SCALE_BYTES) };
            let factor = 1.0 / scale;
            for i in 0..len {
                // SAFETY: as above.
                let value = f32::from_bits(unsafe { load::<u32>(block, i) });
                // SAFETY: the form has a code for each number.
                unsafe { store(codes, i, C::encode(value * factor)) };
            }
            // SAFETY: as many codes were just written.
            codes = unsafe { codes.add(len) };
            done += len;
        }
        for i in 0..count.wrapping_neg() % 4 {
            // SAFETY: the form ends with a whole element of 4 bytes.
            unsafe { store(codes, i, 0i8) };
        }
    }

    #[inline(always)]
    unsafe fn for_each(src: *const u8, count: usize, mut each: impl FnMut(usize, f32)) {
        let (mut codes, mut done) = (src, 0);
        while done < count {
            let len = WireFormat::BLOCK.min(count - done);
            // SAFETY: the form has a scale for each block.
            let scale = f32::from_bits(unsafe { load::<u32>(codes, 0) });
            // SAFETY: the codes follow.
            codes = unsafe { codes.add(WireFormat::SCALE_BYTES) };
            for i in 0..len {
                // SAFETY: the form has a code for each number.
                each(done + i, C::decode(unsafe { load::<i8>(codes, i) }) * scale);
            }
            // SAFETY: the block has as many codes.
            codes = unsafe { codes.add(len) };
            done += len;
        }
    }
}

/// # Safety
/// The contract of [`WidenFn`] holds.
#[inline(always)]
unsafe fn widen<N: Narrow>(dst: *mut u8, src: *const u8, count: usize) {
    // SAFETY: the caller vouches for `dst` as far as there are numbers.
    let number = |i, value| unsafe { store(dst, i, Float32::encode(value)) };
    // SAFETY: the caller vouches for `src`.
    unsafe { N::for_each(src, count, number) }
}

/// # Safety
/// The contract of [`AddFn`] holds.
#[inline(always)]
unsafe fn add<N: Narrow>(dst: *mut u8, a: *const u8, src: *const u8, count: usize) {
    if dst.cast_const() == a {
        // This needs a loop of its own: the compiler's overlap check would choose the scalar loop.
        let sum = |i, value: f32| {
            // SAFETY: `dst` is `a`, hence readable as far as there are numbers.
            let own = f32::from_bits(unsafe { load::<u32>(dst, i) });
            // SAFETY: the caller vouches for `dst` as far as there are numbers.
            unsafe { store(dst, i, Float32::encode(own + value)) };
        };
        // SAFETY: the caller vouches for `src`.
        return unsafe { N::for_each(src, count, sum) };
    }
    let sum = |i, value: f32| {
        // SAFETY: the caller vouches for `a` as far as there are numbers.
        let own = f32::from_bits(unsafe { load::<u32>(a, i) });
        // SAFETY: likewise for `dst`.
        unsafe { store(dst, i, Float32::encode(own + value)) };
    };
    // SAFETY: the caller vouches for `src`.
    unsafe { N::for_each(src, count, sum) }
}

fn compiled_for<N: Narrow>(set: InstructionSet) -> WireKernels {
    match set {
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 => {
            WireKernels { narrow: narrow_avx512::<N>, widen: widen_avx512::<N>, add: add_avx512::<N> }
        }
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 => {
            WireKernels { narrow: narrow_avx2::<N>, widen: widen_avx2::<N>, add: add_avx2::<N> }
        }
        InstructionSet::Portable => WireKernels { narrow: N::narrow, widen: widen::<N>, add: add::<N> },
    }
}

/// # Safety
/// The contract of [`NarrowFn`] holds, and the CPU has AVX-512 F, BW, VL and DQ.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,f16c")]
unsafe fn narrow_avx512<N: Narrow>(dst: *mut u8, src: *const u8, count: usize) {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { N::narrow(dst, src, count) }
}

/// # Safety
/// The contract of [`WidenFn`] holds, and the CPU has AVX-512 F, BW, VL and DQ.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,f16c")]
unsafe fn widen_avx512<N: Narrow>(dst: *mut u8, src: *const u8, count: usize) {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { widen::<N>(dst, src, count) }
}

/// # Safety
/// The contract of [`AddFn`] holds, and the CPU has AVX-512 F, BW, VL and DQ.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,f16c")]
unsafe fn add_avx512<N: Narrow>(dst: *mut u8, a: *const u8, src: *const u8, count: usize) {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { add::<N>(dst, a, src, count) }
}

/// # Safety
/// The contract of [`NarrowFn`] holds, and the CPU has AVX2 and F16C.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
unsafe fn narrow_avx2<N: Narrow>(dst: *mut u8, src: *const u8, count: usize) {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { N::narrow(dst, src, count) }
}

/// # Safety
/// The contract of [`WidenFn`] holds, and the CPU has AVX2 and F16C.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
unsafe fn widen_avx2<N: Narrow>(dst: *mut u8, src: *const u8, count: usize) {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { widen::<N>(dst, src, count) }
}

/// # Safety
/// The contract of [`AddFn`] holds, and the CPU has AVX2 and F16C.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
unsafe fn add_avx2<N: Narrow>(dst: *mut u8, a: *const u8, src: *const u8, count: usize) {
    // SAFETY: the caller's promise is the one asked for.
    unsafe { add::<N>(dst, a, src, count) }
}

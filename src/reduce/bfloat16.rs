//! bfloat16: the upper half of a float32.
//!
//! Two neighbours are combined at once in place, as the halves of 32 bits. Masking or shifting makes a
//! float32 of either, so nothing has to be widened and packed again. AVX-512 has an instruction for the
//! rounding. It is not used, because it flushes denormals, and ranks on other CPUs would get other bits.

use std::marker::PhantomData;

use super::float::{Arithmetic, Float};
use super::loops::Combine;

/// The format bfloat16.
pub(super) struct Bfloat16;

impl Float for Bfloat16 {
    type Bits = i16;
    type Wide = f32;
    const MAGNITUDE: i16 = i16::MAX;
    const LARGEST: i16 = 0x7f80;
    const NAN: i16 = 0x7fc0;
    #[inline(always)]
    fn decode(bits: i16) -> f32 {
        f32::from_bits(u32::from(bits as u16) << 16)
    }
    #[inline(always)]
    fn encode(value: f32) -> i16 {
        (round(value) >> 16) as i16
    }
    #[inline(always)]
    fn wide_from(integer: u32) -> f32 {
        integer as f32
    }
}

/// The nearest bfloat16, ties to even, in the upper half of the result. The lower half is meaningless.
#[inline(always)]
fn round(value: f32) -> u32 {
    let bits = value.to_bits();
    let odd = (bits >> 16) & 1;
    // A carry out of the fraction moves into the exponent, which is correct.
    if value.is_nan() { 0x7fc0_0000 } else { bits.wrapping_add(0x7fff + odd) }
}

const UPPER: u32 = 0xffff_0000;

/// Applies `O` to two adjacent numbers. In either byte order, each half meets the corresponding half.
pub(super) struct Pair<O>(PhantomData<O>);

impl<O: Arithmetic> Combine for Pair<O> {
    type Element = u32;
    #[inline(always)]
    fn combine(a: u32, b: u32) -> u32 {
        let upper = O::apply(f32::from_bits(a & UPPER), f32::from_bits(b & UPPER));
        let lower = O::apply(f32::from_bits(a << 16), f32::from_bits(b << 16));
        (round(upper) & UPPER) | (round(lower) >> 16)
    }
}

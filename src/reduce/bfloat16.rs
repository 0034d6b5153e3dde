//! bfloat16: the upper half of a float32.
//!
//! Two neighbours are combined at once where they lie, in the halves of 32 bits: masking or shifting
//! makes a float32 of either, and nothing has to be widened and packed again. AVX-512 has an
//! instruction for the rounding, not used here: it flushes denormals, and ranks on other CPUs would
//! get other bits.

use std::marker::PhantomData;

use super::float::{Arithmetic, Float};
use super::loops::Combine;

/// bfloat16.
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

/// The nearest bfloat16 in the upper half, ties to even; the lower half is left over.
#[inline(always)]
fn round(value: f32) -> u32 {
    let bits = value.to_bits();
    let odd = (bits >> 16) & 1;
    // A carry out of the fraction moves on into the exponent, which is just right.
    if value.is_nan() { 0x7fc0_0000 } else { bits.wrapping_add(0x7fff + odd) }
}

const UPPER: u32 = 0xffff_0000;

/// `O` on two adjacent numbers; in either byte order each half meets its like.
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

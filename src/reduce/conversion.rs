//! Conversions between a small float and float32, so that a reduction of several ranks is rounded only once.
//!
//! Every value of the formats is a float32, so widening is exact. Narrowing rounds to nearest even. A number
//! above the largest finite one becomes infinity in float16 and float8_e5m2, and NaN in float8_e4m3. When
//! saturating as NVIDIA's types do (`__NV_SATFINITE`), it becomes the largest finite number, and so does
//! infinity. NaN stays NaN.

use std::marker::PhantomData;

use super::bfloat16::Bfloat16;
use super::float::Float;
use super::loops::{load, store};
use super::small_float::{Float8E4m3, Float8E5m2, Float16, SmallFormat};
use crate::base::Datatype;

/// Converts `count` elements.
///
/// # Safety
/// `src` is readable and `dst` writable for `count` elements of their types, at any alignment. They do not
/// overlap.
pub type ConvertFn = unsafe fn(dst: *mut u8, src: *const u8, count: usize);

/// The conversions to float32 and back.
#[derive(Clone, Copy)]
pub struct Conversions {
    /// To float32.
    pub widen: ConvertFn,
    /// From float32.
    pub narrow: ConvertFn,
}

/// Conversions of 16-bit and 8-bit floats; `None` for any other datatype.
pub fn conversions(datatype: Datatype, saturates: bool) -> Option<Conversions> {
    Some(match (datatype, saturates) {
        (Datatype::Float16, _) => of::<Float16>(),
        (Datatype::Bfloat16, _) => of::<Bfloat16>(),
        (Datatype::Float8E4m3, false) => of::<Float8E4m3>(),
        (Datatype::Float8E4m3, true) => of::<Saturating<Float8E4m3>>(),
        (Datatype::Float8E5m2, false) => of::<Float8E5m2>(),
        (Datatype::Float8E5m2, true) => of::<Saturating<Float8E5m2>>(),
        _ => return None,
    })
}

/// A format that saturates: its results are finite or NaN.
pub(super) struct Saturating<S>(PhantomData<S>);

impl<S: SmallFormat> Float for Saturating<S> {
    type Bits = S::Bits;
    type Wide = f32;
    const MAGNITUDE: S::Bits = <S as SmallFormat>::MAGNITUDE;
    const LARGEST: S::Bits = <S as SmallFormat>::LARGEST;
    const NAN: S::Bits = <S as SmallFormat>::NAN;

    #[inline(always)]
    fn decode(bits: S::Bits) -> f32 {
        <S as Float>::decode(bits)
    }

    #[inline(always)]
    fn encode(value: f32) -> S::Bits {
        let largest = <S as Float>::decode(S::narrow(S::OVERFLOW - 1));
        // NaN fails both comparisons.
        let value = if value > largest { largest } else { value };
        let value = if value < -largest { -largest } else { value };
        <S as Float>::encode(value)
    }

    #[inline(always)]
    fn wide_from(integer: u32) -> f32 {
        <S as Float>::wide_from(integer)
    }
}

fn of<F: Float<Wide = f32>>() -> Conversions {
    Conversions { widen: widen::<F>, narrow: narrow::<F> }
}

/// # Safety
/// The contract of [`ConvertFn`] holds.
unsafe fn widen<F: Float<Wide = f32>>(dst: *mut u8, src: *const u8, count: usize) {
    for i in 0..count {
        // SAFETY: `i` is below `count`, for which the caller vouches for `src`.
        let bits = unsafe { load::<F::Bits>(src, i) };
        // SAFETY: likewise for `dst`.
        unsafe { store(dst, i, F::decode(bits).to_bits()) };
    }
}

/// # Safety
/// The contract of [`ConvertFn`] holds.
unsafe fn narrow<F: Float<Wide = f32>>(dst: *mut u8, src: *const u8, count: usize) {
    for i in 0..count {
        // SAFETY: `i` is below `count`, for which the caller vouches for `src`.
        let bits = unsafe { load::<u32>(src, i) };
        // SAFETY: likewise for `dst`.
        unsafe { store(dst, i, F::encode(f32::from_bits(bits))) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMATS: [Datatype; 2] = [Datatype::Float8E4m3, Datatype::Float8E5m2];

    fn wide(datatype: Datatype, code: u8) -> f32 {
        let mut wide = 0f32;
        let conversions = conversions(datatype, false).unwrap();
        // SAFETY: one element each.
        unsafe { (conversions.widen)((&raw mut wide).cast(), &raw const code, 1) };
        wide
    }

    fn narrowed(datatype: Datatype, saturates: bool, value: f32) -> u8 {
        let mut code = 0u8;
        let conversions = conversions(datatype, saturates).unwrap();
        // SAFETY: one element each.
        unsafe { (conversions.narrow)(&raw mut code, (&raw const value).cast(), 1) };
        code
    }

    #[test]
    fn every_finite_code_survives_the_way_to_float32_and_back() {
        for datatype in FORMATS {
            for code in 0..=u8::MAX {
                let value = wide(datatype, code);
                for saturates in [false, true] {
                    let back = narrowed(datatype, saturates, value);
                    if value.is_finite() {
                        assert_eq!(back, code);
                    } else if value.is_nan() {
                        assert!(wide(datatype, back).is_nan());
                    }
                }
            }
        }
    }

    /// The constants are those that NVIDIA's `__nv_fp8_e4m3` and `__nv_fp8_e5m2` give on the host.
    #[test]
    fn a_number_too_large_saturates_as_in_nvidias_types_or_becomes_nan_or_infinity() {
        let [e4m3, e5m2] = FORMATS;
        let cases = [
            (e4m3, 448.0 + 448.0, 0x7e, 0x7f),
            (e4m3, -896.0, 0xfe, 0x7f),
            (e4m3, 464.0, 0x7e, 0x7e),
            (e4m3, 464.1, 0x7e, 0x7f),
            (e5m2, 57_344.0 + 57_344.0, 0x7b, 0x7c),
            (e5m2, -114_688.0, 0xfb, 0xfc),
            (e5m2, f32::INFINITY, 0x7b, 0x7c),
            (e5m2, f32::NEG_INFINITY, 0xfb, 0xfc),
            (e4m3, f32::INFINITY, 0x7e, 0x7f),
            (e4m3, f32::NAN, 0x7f, 0x7f),
            (e5m2, f32::NAN, 0x7e, 0x7e),
        ];
        for (datatype, value, saturated, plain) in cases {
            assert_eq!(narrowed(datatype, true, value), saturated, "{} of {value}", datatype.name());
            assert_eq!(narrowed(datatype, false, value), plain, "{} of {value}", datatype.name());
        }
    }
}

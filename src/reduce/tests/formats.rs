//! Tests of the small formats against the `half` crate and against a search over all values.

use super::oracle;
use super::values::Generator;
use crate::base::Datatype;
use crate::reduce::bfloat16::Bfloat16;
use crate::reduce::float::Float;
use crate::reduce::small_float::{Float8E4m3, Float8E5m2, Float16};

fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Compares `F::decode` with the oracle on one pattern.
fn check_decode<F: Float<Wide = f32>>(datatype: Datatype, bits: F::Bits, bytes: &[u8]) {
    let (got, expected) = (F::decode(bits), oracle::float(datatype, bytes));
    assert!(same(got, expected), "{bytes:02x?} decodes to {got:e}, not {expected:e}");
}

/// Values whose rounding depends on the last bit: each value of the format, the midpoint to the next one, the
/// neighbours of both, and values beyond the range.
fn telling_values<F: Float<Wide = f32>>(patterns: impl Iterator<Item = F::Bits>) -> Vec<f32> {
    let mut finite: Vec<f32> = patterns.map(F::decode).filter(|v| v.is_finite()).collect();
    finite.sort_by(f32::total_cmp);
    let largest = finite[finite.len() - 1];
    let mut telling = vec![f32::NAN, -f32::NAN, f32::INFINITY, -f32::INFINITY, f32::MAX, f32::MIN];
    telling.extend(
        [1.0f32, 1.03, 1.0357, 1.0358, 1.04, 1.0625, 1.0714, 1.0715, 1.125, 2.0].map(|f| f * largest),
    );
    for (i, &value) in finite.iter().enumerate() {
        let next = finite.get(i + 1).copied().unwrap_or(value);
        let middle = ((f64::from(value) + f64::from(next)) / 2.0) as f32;
        for v in [value, middle] {
            telling.extend([v, v.next_up(), v.next_down()]);
        }
    }
    telling
}

/// Compares `F::encode` with the oracle on these values and on arbitrary ones.
fn check_encode<F: Float<Wide = f32>>(
    datatype: Datatype,
    patterns: impl Iterator<Item = F::Bits>,
    bytes_of: impl Fn(F::Bits) -> Vec<u8>,
) {
    let mut generator = Generator(7);
    let arbitrary = (0..20_000).map(|_| f32::from_bits(generator.next() as u32));
    for value in telling_values::<F>(patterns).into_iter().chain(arbitrary) {
        let (got, expected) = (bytes_of(F::encode(value)), oracle::float_bytes(datatype, value));
        assert_eq!(got, expected, "{value:e} as {}", datatype.name());
    }
}

fn all16() -> impl Iterator<Item = i16> {
    i16::MIN..=i16::MAX
}

fn all8() -> impl Iterator<Item = i8> {
    i8::MIN..=i8::MAX
}

#[test]
#[cfg_attr(miri, ignore = "65,536 patterns, in safe code")]
fn every_pattern_of_float16_and_bfloat16_decodes_as_in_the_half_crate() {
    for bits in all16() {
        check_decode::<Float16>(Datatype::Float16, bits, &bits.to_ne_bytes());
        check_decode::<Bfloat16>(Datatype::Bfloat16, bits, &bits.to_ne_bytes());
    }
}

#[test]
fn every_pattern_of_both_float8_decodes_by_their_definition() {
    for bits in all8() {
        check_decode::<Float8E4m3>(Datatype::Float8E4m3, bits, &bits.to_ne_bytes());
        check_decode::<Float8E5m2>(Datatype::Float8E5m2, bits, &bits.to_ne_bytes());
    }
}

#[test]
#[cfg_attr(miri, ignore = "65,536 patterns, in safe code")]
fn float16_and_bfloat16_round_to_nearest_even_around_every_value() {
    check_encode::<Float16>(Datatype::Float16, all16(), |bits| bits.to_ne_bytes().to_vec());
    check_encode::<Bfloat16>(Datatype::Bfloat16, all16(), |bits| bits.to_ne_bytes().to_vec());
}

#[test]
#[cfg_attr(miri, ignore = "a search for each of many values, in safe code")]
fn both_float8_round_to_nearest_even_around_every_value() {
    check_encode::<Float8E4m3>(Datatype::Float8E4m3, all8(), |bits| bits.to_ne_bytes().to_vec());
    check_encode::<Float8E5m2>(Datatype::Float8E5m2, all8(), |bits| bits.to_ne_bytes().to_vec());
}

#[test]
fn float8_e4m3_keeps_464_as_448_and_gives_nan_beyond() {
    assert_eq!(Float8E4m3::encode(464.0), 0x7e);
    assert_eq!(Float8E4m3::encode(-464.0), 0xfe_u8 as i8);
    assert_eq!(Float8E4m3::encode(464.0f32.next_up()), 0x7f);
    assert_eq!(Float8E4m3::encode(f32::NEG_INFINITY), 0x7f);
}

#[test]
fn float8_e5m2_gives_infinity_from_the_midpoint_beyond_57344() {
    assert_eq!(Float8E5m2::encode(61440.0f32.next_down()), 0x7b);
    assert_eq!(Float8E5m2::encode(61440.0), 0x7c);
    assert_eq!(Float8E5m2::encode(-1e30), 0xfc_u8 as i8);
}

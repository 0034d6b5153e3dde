//! Tests of the narrow forms: how far a number may be off, what becomes of special ones, and that all CPUs
//! make the same bytes.

use proptest::prelude::*;

use super::values::Generator;
use crate::base::{Datatype, WireFormat};
use crate::reduce::instruction_set::InstructionSet;
use crate::reduce::wire::{WireKernels, kernels_for};

/// Most by which a number of a block with this largest magnitude is off, with some units in the last place of
/// float32. This is the bound in docs/wire.md.
fn bound(format: WireFormat, value: f32, largest: f32) -> f64 {
    let (value, largest) = (f64::from(value).abs(), f64::from(largest));
    let (share, least) = match format {
        WireFormat::Bf16 => (value / 256.0, 2f64.powi(-134)),
        WireFormat::F8 => ((value / 16.0).max(largest / 448.0 / 1024.0), 2f64.powi(-127)),
        WireFormat::Int8Block => (largest / 254.0, 2f64.powi(-127)),
    };
    share + least + (value + largest) * 2f64.powi(-22)
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|four| f32::from_ne_bytes([four[0], four[1], four[2], four[3]])).collect()
}

/// The narrow form, at an odd address; what lies behind it must stay.
fn narrowed(kernels: &WireKernels, format: WireFormat, values: &[f32]) -> Vec<u8> {
    let len = 4 * format.narrow_len(values.len());
    let mut form = vec![0xa5; 1 + len + 8];
    // SAFETY: as many numbers, and their form behind the first byte.
    unsafe { (kernels.narrow)(form[1..].as_mut_ptr(), bytes(values).as_ptr(), values.len()) };
    assert!(form[0] == 0xa5 && form[1 + len..].iter().all(|byte| *byte == 0xa5));
    form[1..=len].to_vec()
}

fn widened(kernels: &WireKernels, form: &[u8], count: usize) -> Vec<f32> {
    let mut values = vec![0u8; 4 * count];
    // SAFETY: a form of as many numbers.
    unsafe { (kernels.widen)(values.as_mut_ptr(), form.as_ptr(), count) };
    floats(&values)
}

fn added(kernels: &WireKernels, own: &[f32], form: &[u8], in_place: bool) -> Vec<f32> {
    let own = bytes(own);
    let mut sum = own.clone();
    let a = if in_place { sum.as_ptr() } else { own.as_ptr() };
    // SAFETY: as many numbers as the form has; `a` is the result, or apart from it.
    unsafe { (kernels.add)(sum.as_mut_ptr(), a, form.as_ptr(), own.len() / 4) };
    floats(&sum)
}

fn round_trip(format: WireFormat, values: &[f32]) -> Vec<f32> {
    let kernels = kernels_for(InstructionSet::of_this_cpu(), format);
    widened(&kernels, &narrowed(&kernels, format, values), values.len())
}

/// The largest finite magnitude of each number's block.
fn largest(values: &[f32]) -> impl Iterator<Item = f32> + '_ {
    let of_block = |block: &[f32]| {
        block.iter().filter(|value| value.is_finite()).map(|value| value.abs()).fold(0.0, f32::max)
    };
    values.chunks(WireFormat::BLOCK).flat_map(move |block| vec![of_block(block); block.len()])
}

fn check(format: WireFormat, values: &[f32]) {
    let found = round_trip(format, values);
    for ((value, found), largest) in values.iter().zip(found).zip(largest(values)) {
        if !value.is_finite() {
            assert!(!found.is_finite(), "{} of {value} is {found}", format.name());
            continue;
        }
        let bound = bound(format, *value, largest);
        // Numbers of bf16 end below those of float32.
        let overflows = format == WireFormat::Bf16 && value.abs() > 3.3895e38;
        let off = (f64::from(*value) - f64::from(found)).abs();
        assert!(
            off <= bound || overflows,
            "{} of {value} is {found}, in a block of {largest}",
            format.name()
        );
    }
}

#[test]
fn special_numbers_stay_what_they_are() {
    let nan = f32::from_bits(0xffc1_2345);
    for format in WireFormat::ALL {
        let mut values = vec![0.25; 600];
        (values[3], values[4], values[300]) = (f32::INFINITY, nan, f32::NEG_INFINITY);
        (values[5], values[6]) = (0.0, -0.0);
        let found = round_trip(format, &values);
        assert!(found[4].to_bits() == 0x7fc0_0000, "NaNs are canonical");
        match format {
            WireFormat::Bf16 => assert_eq!((found[3], found[300]), (f32::INFINITY, f32::NEG_INFINITY)),
            _ => assert!(found[3].is_nan() && found[300].is_nan()),
        }
        let signed = if format == WireFormat::Int8Block { 0.0f32 } else { -0.0 };
        assert_eq!((found[5].to_bits(), found[6].to_bits()), (0, signed.to_bits()));
        // The rest of the blocks is as good as ever.
        assert!(found.iter().filter(|value| **value == 0.25).count() >= 595, "{}", format.name());
        assert!(round_trip(format, &[0.0; 257]).iter().all(|value| *value == 0.0));
        assert!(round_trip(format, &[f32::NAN; 300]).iter().all(|value| value.is_nan()));
        assert!(round_trip(format, &[]).is_empty());
    }
}

#[test]
fn the_largest_number_of_a_block_survives_and_none_becomes_infinite() {
    for format in [WireFormat::F8, WireFormat::Int8Block] {
        for largest in [f32::MAX, 1e38, 3.7e37, 1.0, 0.1, 1e-30, 1e-32] {
            let values = [largest, -largest, largest / 3.0, largest / 1000.0];
            check(format, &values);
            let found = round_trip(format, &values);
            assert!(
                found.iter().all(|value| value.is_finite()),
                "{} of {values:?}: {found:?}",
                format.name()
            );
            assert!((found[0] / largest - 1.0).abs() < 1e-6 && found[1] == -found[0], "{found:?}");
        }
    }
}

#[test]
fn all_instruction_sets_make_the_same_bytes_and_the_same_numbers() {
    let mut generator = Generator(3);
    for format in WireFormat::ALL {
        let plain = kernels_for(InstructionSet::Portable, format);
        for count in [0, 1, 2, 3, 15, 64, 255, 256, 257, 511, 1000, 1029] {
            let values = floats(&generator.elements(Datatype::Float32, count));
            let own = floats(&generator.elements(Datatype::Float32, count));
            let form = narrowed(&plain, format, &values);
            let wide = widened(&plain, &form, count);
            let sum: Vec<f32> = own.iter().zip(&wide).map(|(a, b)| a + b).collect();
            for set in InstructionSet::available() {
                let kernels = kernels_for(set, format);
                assert_eq!(narrowed(&kernels, format, &values), form, "{} {count}", format.name());
                assert_eq!(bytes(&widened(&kernels, &form, count)), bytes(&wide));
                for in_place in [false, true] {
                    for (found, sum) in added(&kernels, &own, &form, in_place).iter().zip(&sum) {
                        let canonical = if sum.is_nan() { 0x7fc0_0000 } else { sum.to_bits() };
                        assert_eq!(found.to_bits(), canonical);
                    }
                }
            }
        }
    }
}

/// Numbers of any size, and blocks of numbers of one size.
fn numbers() -> impl Strategy<Value = Vec<f32>> {
    let any = any::<u32>().prop_map(f32::from_bits);
    let one_size = (-140i32..127, prop::collection::vec(-1.0f32..1.0, 0..300))
        .prop_map(|(size, values)| values.iter().map(|value| value * 2f32.powi(size)).collect());
    prop_oneof![prop::collection::vec(any, 0..600), one_size]
}

proptest! {
    #[test]
    fn no_number_is_off_by_more_than_its_bound(values in numbers(), extra in numbers()) {
        for format in WireFormat::ALL {
            check(format, &values);
            check(format, &[values.as_slice(), &extra].concat());
        }
    }
}

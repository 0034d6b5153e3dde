//! Tests of every kernel of every instruction set against the oracle.

use super::memory::{self, Placement};
use super::oracle;
use super::values::Generator;
use crate::base::{Datatype, ReduceOp};
use crate::reduce::instruction_set::InstructionSet;
use crate::reduce::table::{divide_kernel, reduce_kernel};
use crate::reduce::{divide_fn, instruction_set, kernel_of};

const COUNTS: &[usize] = if cfg!(miri) { &[0, 17] } else { &[0, 1, 2, 3, 7, 8, 9, 17, 33, 999, 1000, 1001] };

const DIVISORS: &[u32] =
    if cfg!(miri) { &[2, 3, u32::MAX] } else { &[1, 2, 3, 7, 8, 255, 1000, 65_537, u32::MAX] };

fn expected(datatype: Datatype, op: ReduceOp, a: &[u8], b: &[u8]) -> Vec<u8> {
    let bytes = datatype.bytes();
    let pairs = a.chunks(bytes).zip(b.chunks(bytes));
    pairs.flat_map(|(x, y)| oracle::combine(datatype, op, x, y)).collect()
}

/// Compares element by element, so that the message names the element.
fn assert_elements(datatype: Datatype, what: &str, got: &[u8], expected: &[u8], inputs: [&[u8]; 2]) {
    if got == expected {
        return;
    }
    let bytes = datatype.bytes();
    for i in 0..expected.len() / bytes {
        let element = |all: &[u8]| all[i * bytes..(i + 1) * bytes].to_vec();
        let (got, expected) = (element(got), element(expected));
        let inputs = inputs.map(element);
        assert_eq!(got, expected, "{} {what}, element {i} of inputs {inputs:02x?}", datatype.name());
    }
}

#[test]
fn every_kernel_agrees_with_the_oracle_at_every_count_and_placement() {
    let mut generator = Generator(1);
    for set in InstructionSet::available() {
        for datatype in Datatype::ALL {
            for op in ReduceOp::ALL {
                let Some(kernel) = reduce_kernel(set, datatype, op) else { continue };
                for &count in COUNTS {
                    let a = generator.elements(datatype, count);
                    let b = generator.elements(datatype, count);
                    let expected = expected(datatype, op, &a, &b);
                    for place in Placement::ALL {
                        let got = memory::reduce(kernel, &a, &b, datatype.bytes(), place);
                        let what = format!("{} {} {place:?} of {count}", op.name(), set.name());
                        assert_elements(datatype, &what, &got, &expected, [&a, &b]);
                    }
                }
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "65,536 elements with each operator")]
fn every_pair_of_eight_bit_elements_agrees_with_the_oracle() {
    let a: Vec<u8> = (0..=u16::MAX).map(|i| i as u8).collect();
    let b: Vec<u8> = (0..=u16::MAX).map(|i| (i >> 8) as u8).collect();
    for datatype in Datatype::ALL.into_iter().filter(|d| d.bytes() == 1) {
        for op in ReduceOp::ALL.into_iter().filter(|op| op.accepts(datatype)) {
            let expected = expected(datatype, op, &a, &b);
            for set in InstructionSet::available() {
                let kernel = reduce_kernel(set, datatype, op).unwrap();
                let got = memory::reduce(kernel, &a, &b, 1, Placement::OnA);
                let what = format!("{} {}", op.name(), set.name());
                assert_elements(datatype, &what, &got, &expected, [&a, &b]);
            }
        }
    }
}

#[test]
fn every_division_agrees_with_the_oracle() {
    let mut generator = Generator(2);
    for set in InstructionSet::available() {
        for datatype in Datatype::ALL {
            let Some(kernel) = divide_kernel(set, datatype) else { continue };
            for &divisor in DIVISORS {
                for &count in COUNTS {
                    let data = generator.elements(datatype, count);
                    let values = data.chunks(datatype.bytes());
                    let expected: Vec<u8> =
                        values.flat_map(|v| oracle::divide(datatype, v, divisor)).collect();
                    let got = memory::divide(kernel, &data, datatype.bytes(), divisor);
                    let what = format!("/ {divisor} {}", set.name());
                    assert_elements(datatype, &what, &got, &expected, [&data, &data]);
                }
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "65,536 elements, many times")]
fn every_sixteen_bit_float_added_to_and_multiplied_by_others_agrees_with_the_oracle() {
    let every: Vec<u8> = (0..=u16::MAX).flat_map(|i| i.to_ne_bytes()).collect();
    let mut generator = Generator(3);
    for datatype in [Datatype::Float16, Datatype::Bfloat16] {
        for op in [ReduceOp::Sum, ReduceOp::Product] {
            for _ in 0..8 {
                let others = generator.elements(datatype, 1 << 16);
                let expected = expected(datatype, op, &every, &others);
                for set in InstructionSet::available() {
                    let kernel = reduce_kernel(set, datatype, op).unwrap();
                    let got = memory::reduce(kernel, &every, &others, 2, Placement::Apart);
                    let what = format!("{} {}", op.name(), set.name());
                    assert_elements(datatype, &what, &got, &expected, [&every, &others]);
                }
            }
        }
    }
}

#[test]
fn kernels_exist_exactly_where_the_operator_accepts_the_datatype() {
    for datatype in Datatype::ALL {
        for op in ReduceOp::ALL {
            assert_eq!(kernel_of(datatype, op).is_some(), op.accepts(datatype), "{op:?} of {datatype:?}");
        }
        assert_eq!(divide_fn(datatype).is_some(), ReduceOp::Avg.accepts(datatype), "{datatype:?}");
    }
}

#[test]
fn min_and_max_give_nan_when_either_operand_is_nan() {
    let nan = f32::from_bits(0xffc0_1234).to_ne_bytes();
    let one = 1.0f32.to_ne_bytes();
    for op in [ReduceOp::Min, ReduceOp::Max] {
        let kernel = kernel_of(Datatype::Float32, op).unwrap();
        for (a, b) in [(nan, one), (one, nan), (nan, nan)] {
            let got = memory::reduce(kernel, &a, &b, 4, Placement::Apart);
            assert_eq!(got, 0x7fc0_0000_u32.to_ne_bytes(), "{op:?}");
        }
    }
}

#[test]
fn the_chosen_instruction_set_is_the_best_available() {
    assert_eq!(instruction_set(), InstructionSet::available()[0].name());
    assert_eq!(InstructionSet::available().last(), Some(&InstructionSet::Portable));
}

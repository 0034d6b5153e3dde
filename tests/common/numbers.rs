//! The arithmetic of every datatype, one element at a time, written as its definition says.
//!
//! An element is its bits in a `u128`. Real floats are computed in float64, which holds every value of the
//! narrower formats. It has more than twice their digits plus two, so it rounds their sums, products and
//! quotients correctly. Each float8 format is a table of its 256 values; rounding searches that table for the
//! nearest value.

use std::sync::OnceLock;

use anyccl_engine::base::{Datatype, ReduceOp};
use half::{bf16, f16};

/// Combines the contributions of all ranks, in rank order. A single contribution is returned unchanged.
pub fn combine(datatype: Datatype, op: ReduceOp, contributions: &[u128]) -> u128 {
    let &[first, ref rest @ ..] = contributions else { panic!("no contribution") };
    if rest.is_empty() {
        return first;
    }
    match datatype {
        Datatype::Bool => u128::from(combine_bools(op, contributions)),
        Datatype::Byte => combine_integers(Datatype::Uint8, op, contributions),
        Datatype::Complex64 | Datatype::Complex128 => combine_complex(datatype, op, contributions),
        d if d.is_float() => combine_floats(d, op, contributions),
        d => combine_integers(d, op, contributions),
    }
}

fn combine_bools(op: ReduceOp, contributions: &[u128]) -> bool {
    use ReduceOp::*;
    let mut truths = contributions.iter().map(|&c| c != 0);
    match op {
        Sum | Max | Bor | Lor => truths.any(|t| t),
        Product | Min | Band | Land => truths.all(|t| t),
        Bxor | Lxor => truths.filter(|t| *t).count() % 2 == 1,
        Avg | PremulSum | Callback | OrderedCallback => panic!("not an operator of bool"),
    }
}

fn combine_integers(datatype: Datatype, op: ReduceOp, contributions: &[u128]) -> u128 {
    use ReduceOp::*;
    let numbers = contributions.iter().map(|&c| integer(datatype, c));
    let truths = || contributions.iter().map(|&c| c != 0);
    let result: i128 = match op {
        Sum => numbers.fold(0, i128::wrapping_add),
        Product => numbers.fold(1, i128::wrapping_mul),
        Min => numbers.min().unwrap(),
        Max => numbers.max().unwrap(),
        Avg => {
            let sum = numbers.fold(0, i128::wrapping_add) as u128 & mask(datatype);
            integer(datatype, sum) / contributions.len() as i128
        }
        Band => numbers.fold(-1, |a, b| a & b),
        Bor => numbers.fold(0, |a, b| a | b),
        Bxor => numbers.fold(0, |a, b| a ^ b),
        Land => i128::from(truths().all(|t| t)),
        Lor => i128::from(truths().any(|t| t)),
        Lxor => (truths().filter(|t| *t).count() % 2) as i128,
        PremulSum | Callback | OrderedCallback => panic!("an operator of the program"),
    };
    result as u128 & mask(datatype)
}

/// The integer with these bits in this datatype.
fn integer(datatype: Datatype, bits: u128) -> i128 {
    use Datatype::*;
    let unused = 128 - 8 * datatype.bytes() as u32;
    match datatype {
        Int8 | Int16 | Int32 | Int64 => ((bits << unused) as i128) >> unused,
        _ => bits as i128,
    }
}

/// A number in which all bits of the datatype are set.
pub fn mask(datatype: Datatype) -> u128 {
    u128::MAX >> (128 - 8 * datatype.bytes())
}

fn combine_floats(datatype: Datatype, op: ReduceOp, contributions: &[u128]) -> u128 {
    let numbers = || contributions.iter().map(|&c| decode(datatype, c));
    let result = match op {
        ReduceOp::Sum => numbers().sum(),
        ReduceOp::Product => numbers().product(),
        ReduceOp::Avg => numbers().sum::<f64>() / contributions.len() as f64,
        // -0 is less than +0, and NaN wins.
        ReduceOp::Min | ReduceOp::Max if numbers().any(f64::is_nan) => f64::NAN,
        ReduceOp::Min => numbers().min_by(f64::total_cmp).unwrap(),
        ReduceOp::Max => numbers().max_by(f64::total_cmp).unwrap(),
        _ => panic!("{} is not for floats", op.name()),
    };
    encode(datatype, result)
}

fn combine_complex(datatype: Datatype, op: ReduceOp, contributions: &[u128]) -> u128 {
    let part = if datatype == Datatype::Complex64 { Datatype::Float32 } else { Datatype::Float64 };
    let numbers = contributions.iter().map(|&c| split(part, c));
    let (re, im) = match op {
        ReduceOp::Sum | ReduceOp::Avg => numbers.fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1)),
        ReduceOp::Product => numbers.fold((1.0, 0.0), |a, b| (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)),
        _ => panic!("{} is not for complex numbers", op.name()),
    };
    let parts = if op == ReduceOp::Avg { contributions.len() as f64 } else { 1.0 };
    join(part, re / parts, im / parts)
}

fn split(part: Datatype, bits: u128) -> (f64, f64) {
    (decode(part, bits & mask(part)), decode(part, bits >> (8 * part.bytes())))
}

/// The complex number with these two parts.
pub fn join(part: Datatype, re: f64, im: f64) -> u128 {
    encode(part, re) | encode(part, im) << (8 * part.bytes())
}

/// The value of a real float.
pub fn decode(datatype: Datatype, bits: u128) -> f64 {
    match datatype {
        Datatype::Float16 => f16::from_bits(bits as u16).to_f64(),
        Datatype::Bfloat16 => bf16::from_bits(bits as u16).to_f64(),
        Datatype::Float32 => f64::from(f32::from_bits(bits as u32)),
        Datatype::Float64 => f64::from_bits(bits as u64),
        Datatype::Float8E4m3 | Datatype::Float8E5m2 => values_of_float8(datatype)[bits as usize],
        _ => panic!("{} is no real float", datatype.name()),
    }
}

/// The bits of a real float, rounded to nearest, ties to even. Every NaN becomes the quiet NaN without
/// payload.
pub fn encode(datatype: Datatype, value: f64) -> u128 {
    if value.is_nan() {
        return canonical_nan(datatype);
    }
    match datatype {
        Datatype::Float16 => u128::from(f16::from_f64(value).to_bits()),
        Datatype::Bfloat16 => u128::from(bf16::from_f64(value).to_bits()),
        Datatype::Float32 => u128::from((value as f32).to_bits()),
        Datatype::Float64 => u128::from(value.to_bits()),
        Datatype::Float8E4m3 | Datatype::Float8E5m2 => u128::from(nearest_float8(datatype, value)),
        _ => panic!("{} is no real float", datatype.name()),
    }
}

fn canonical_nan(datatype: Datatype) -> u128 {
    match datatype {
        Datatype::Float16 => 0x7e00,
        Datatype::Bfloat16 => 0x7fc0,
        Datatype::Float32 => 0x7fc0_0000,
        Datatype::Float64 => 0x7ff8_0000_0000_0000,
        Datatype::Float8E4m3 => 0x7f,
        Datatype::Float8E5m2 => 0x7e,
        _ => panic!("{} is no real float", datatype.name()),
    }
}

/// The value of each of the 256 codes, from the OCP's table of the format.
fn values_of_float8(datatype: Datatype) -> &'static [f64; 256] {
    static E4M3: OnceLock<[f64; 256]> = OnceLock::new();
    static E5M2: OnceLock<[f64; 256]> = OnceLock::new();
    if datatype == Datatype::Float8E4m3 {
        E4M3.get_or_init(|| {
            std::array::from_fn(|code| match code & 0x7f {
                0x7f => f64::NAN,
                _ => signed_float8(code, 3, 7),
            })
        })
    } else {
        E5M2.get_or_init(|| {
            std::array::from_fn(|code| match code & 0x7f {
                0x7d.. => f64::NAN,
                0x7c => signed_float8(code & 0x80, 2, 15) + if code > 0x7f { -1.0 } else { 1.0 } / 0.0,
                _ => signed_float8(code, 2, 15),
            })
        })
    }
}

fn signed_float8(code: usize, fraction_bits: u32, bias: i32) -> f64 {
    let exponent = ((code & 0x7f) >> fraction_bits) as i32;
    let units = 2f64.powi(fraction_bits as i32);
    let fraction = (code & ((1 << fraction_bits) - 1)) as f64 / units;
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(1 - bias),
        _ => (1.0 + fraction) * 2f64.powi(exponent - bias),
    };
    if code & 0x80 == 0 { magnitude } else { -magnitude }
}

/// The finite code nearest to `value`; of two equally near codes, the one whose last bit is even. The tests
/// stay in range.
fn nearest_float8(datatype: Datatype, value: f64) -> u8 {
    let values = values_of_float8(datatype);
    let sign = u8::from(value.is_sign_negative()) << 7;
    if value.is_infinite() {
        assert_eq!(datatype, Datatype::Float8E5m2, "float8_e4m3 has no infinity");
        return 0x7c | sign;
    }
    let finite = (0..0x7fu8).filter(|&code| values[usize::from(code)].is_finite());
    let distance = |code: u8| (values[usize::from(code)] - value.abs()).abs();
    let better = |a: &u8, b: &u8| distance(*a).total_cmp(&distance(*b)).then((a & 1).cmp(&(b & 1)));
    let nearest = finite.min_by(better).unwrap();
    let largest = if datatype == Datatype::Float8E4m3 { 448.0 } else { 57344.0 };
    assert!(value.abs() <= largest, "{value} is out of the range of {}", datatype.name());
    nearest | sign
}

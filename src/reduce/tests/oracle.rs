//! The oracle: the result of one combination, computed as plainly as possible.

use half::{bf16, f16};

use super::float8::{E4M3, E5M2};
use crate::base::{Datatype, ReduceOp};

/// `a op b` for one element, as bytes.
pub fn combine(datatype: Datatype, op: ReduceOp, a: &[u8], b: &[u8]) -> Vec<u8> {
    match datatype {
        Datatype::Bool => vec![u8::from(combine_bools(op, a[0] != 0, b[0] != 0))],
        Datatype::Complex64 | Datatype::Complex128 => combine_complex(datatype, op, a, b),
        d if d.is_float() => combine_floats(datatype, op, a, b),
        _ => {
            let value = combine_integers(op, integer(datatype, a), integer(datatype, b));
            integer_bytes(datatype, value)
        }
    }
}

/// `value / divisor` for one element, as bytes.
pub fn divide(datatype: Datatype, value: &[u8], divisor: u32) -> Vec<u8> {
    match datatype {
        Datatype::Complex64 | Datatype::Complex128 => {
            let (re, im) = value.split_at(value.len() / 2);
            [divide(part(datatype), re, divisor), divide(part(datatype), im, divisor)].concat()
        }
        Datatype::Float64 => float64_bytes(float64(value) / f64::from(divisor)),
        d if d.is_float() => float_bytes(d, float(d, value) / divisor as f32),
        _ => integer_bytes(datatype, integer(datatype, value) / i128::from(divisor)),
    }
}

fn combine_bools(op: ReduceOp, a: bool, b: bool) -> bool {
    match op {
        ReduceOp::Product | ReduceOp::Min | ReduceOp::Band | ReduceOp::Land => a && b,
        ReduceOp::Sum | ReduceOp::Max | ReduceOp::Bor | ReduceOp::Lor => a || b,
        ReduceOp::Bxor | ReduceOp::Lxor => a != b,
        _ => unreachable!("not an operator of bool"),
    }
}

fn combine_integers(op: ReduceOp, a: i128, b: i128) -> i128 {
    match op {
        ReduceOp::Sum | ReduceOp::Avg => a + b,
        ReduceOp::Product => a.wrapping_mul(b),
        ReduceOp::Min => a.min(b),
        ReduceOp::Max => a.max(b),
        ReduceOp::Band => a & b,
        ReduceOp::Bor => a | b,
        ReduceOp::Bxor => a ^ b,
        ReduceOp::Land => i128::from(a != 0 && b != 0),
        ReduceOp::Lor => i128::from(a != 0 || b != 0),
        ReduceOp::Lxor => i128::from((a != 0) != (b != 0)),
        _ => unreachable!("an operator of the program"),
    }
}

fn combine_floats(datatype: Datatype, op: ReduceOp, a: &[u8], b: &[u8]) -> Vec<u8> {
    if datatype == Datatype::Float64 {
        let (x, y) = (float64(a), float64(b));
        return match op {
            ReduceOp::Sum | ReduceOp::Avg => float64_bytes(x + y),
            ReduceOp::Product => float64_bytes(x * y),
            ReduceOp::Min => float64_bytes(minimum(x, y)),
            _ => float64_bytes(-minimum(-x, -y)),
        };
    }
    let (x, y) = (float(datatype, a), float(datatype, b));
    float_bytes(
        datatype,
        match op {
            ReduceOp::Sum | ReduceOp::Avg => x + y,
            ReduceOp::Product => x * y,
            // Exact in float64, and back again.
            ReduceOp::Min => minimum(x.into(), y.into()) as f32,
            _ => -minimum(-f64::from(x), -f64::from(y)) as f32,
        },
    )
}

/// IEEE 754-2019 minimum.
fn minimum(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        f64::NAN
    } else if x == 0.0 && y == 0.0 {
        if x.is_sign_negative() || y.is_sign_negative() { -0.0 } else { 0.0 }
    } else if x < y {
        x
    } else {
        y
    }
}

fn combine_complex(datatype: Datatype, op: ReduceOp, a: &[u8], b: &[u8]) -> Vec<u8> {
    let part = part(datatype);
    let (a_re, a_im) = a.split_at(a.len() / 2);
    let (b_re, b_im) = b.split_at(b.len() / 2);
    if op != ReduceOp::Product {
        return [combine(part, op, a_re, b_re), combine(part, op, a_im, b_im)].concat();
    }
    let times = |x: &[u8], y: &[u8]| combine(part, ReduceOp::Product, x, y);
    let (re_re, im_im, re_im, im_re) =
        (times(a_re, b_re), times(a_im, b_im), times(a_re, b_im), times(a_im, b_re));
    let (re, im) = if part == Datatype::Float64 {
        (float64_bytes(float64(&re_re) - float64(&im_im)), float64_bytes(float64(&re_im) + float64(&im_re)))
    } else {
        (
            float_bytes(part, float(part, &re_re) - float(part, &im_im)),
            float_bytes(part, float(part, &re_im) + float(part, &im_re)),
        )
    };
    [re, im].concat()
}

/// The type of a complex number's parts.
fn part(datatype: Datatype) -> Datatype {
    if datatype == Datatype::Complex64 { Datatype::Float32 } else { Datatype::Float64 }
}

fn integer(datatype: Datatype, bytes: &[u8]) -> i128 {
    match datatype {
        Datatype::Int8 => i8::from_ne_bytes(bytes.try_into().unwrap()).into(),
        Datatype::Int16 => i16::from_ne_bytes(bytes.try_into().unwrap()).into(),
        Datatype::Int32 => i32::from_ne_bytes(bytes.try_into().unwrap()).into(),
        Datatype::Int64 => i64::from_ne_bytes(bytes.try_into().unwrap()).into(),
        Datatype::Uint16 => u16::from_ne_bytes(bytes.try_into().unwrap()).into(),
        Datatype::Uint32 => u32::from_ne_bytes(bytes.try_into().unwrap()).into(),
        Datatype::Uint64 => u64::from_ne_bytes(bytes.try_into().unwrap()).into(),
        Datatype::Uint8 | Datatype::Byte => bytes[0].into(),
        _ => unreachable!("{} is no integer", datatype.name()),
    }
}

fn integer_bytes(datatype: Datatype, value: i128) -> Vec<u8> {
    match datatype.bytes() {
        1 => (value as u8).to_ne_bytes().to_vec(),
        2 => (value as u16).to_ne_bytes().to_vec(),
        4 => (value as u32).to_ne_bytes().to_vec(),
        _ => (value as u64).to_ne_bytes().to_vec(),
    }
}

fn float64(bytes: &[u8]) -> f64 {
    f64::from_ne_bytes(bytes.try_into().unwrap())
}

fn float64_bytes(value: f64) -> Vec<u8> {
    let bits = if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() };
    bits.to_ne_bytes().to_vec()
}

/// The value of a float of at most 32 bits.
pub fn float(datatype: Datatype, bytes: &[u8]) -> f32 {
    match datatype {
        Datatype::Float32 => f32::from_ne_bytes(bytes.try_into().unwrap()),
        Datatype::Float16 => f16::from_ne_bytes(bytes.try_into().unwrap()).to_f32(),
        Datatype::Bfloat16 => bf16::from_ne_bytes(bytes.try_into().unwrap()).to_f32(),
        Datatype::Float8E4m3 => E4M3.decode(bytes[0]),
        Datatype::Float8E5m2 => E5M2.decode(bytes[0]),
        _ => unreachable!("{} is no float up to 32 bits", datatype.name()),
    }
}

/// The nearest float of at most 32 bits, ties to even; every NaN gives the same NaN.
pub fn float_bytes(datatype: Datatype, value: f32) -> Vec<u8> {
    let nan = value.is_nan();
    match datatype {
        Datatype::Float32 if nan => 0x7fc0_0000_u32.to_ne_bytes().to_vec(),
        Datatype::Float32 => value.to_ne_bytes().to_vec(),
        Datatype::Float16 if nan => 0x7e00_u16.to_ne_bytes().to_vec(),
        Datatype::Float16 => f16::from_f32(value).to_ne_bytes().to_vec(),
        Datatype::Bfloat16 if nan => 0x7fc0_u16.to_ne_bytes().to_vec(),
        Datatype::Bfloat16 => bf16::from_f32(value).to_ne_bytes().to_vec(),
        Datatype::Float8E4m3 => vec![E4M3.nearest(value)],
        Datatype::Float8E5m2 => vec![E5M2.nearest(value)],
        _ => unreachable!("{} is no float up to 32 bits", datatype.name()),
    }
}

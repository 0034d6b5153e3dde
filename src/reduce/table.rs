//! The kernel of each datatype and operator.

use std::num::Wrapping;
use std::ops::{Add, Mul};

use super::bfloat16::{self, Bfloat16};
use super::compiled::{compiled_for, divide_loop, reduce_loop, reduce_loop_in_pairs};
use super::divide::Truncated;
use super::float::{self, ComplexProduct, Float, Float32, Float64, Plus, Quotient, Rounded, Times};
use super::instruction_set::InstructionSet;
use super::integer::{self, Integer};
use super::kernel::{DivideFn, ReduceKernel};
use super::loops::BothParts;
use super::small_float::{Float8E4m3, Float8E5m2, Float16};
use crate::base::{Datatype, ReduceOp};

/// The kernel of `op` on `datatype` for `set`. `None`: the operator is not accepted.
pub(super) fn reduce_kernel(set: InstructionSet, datatype: Datatype, op: ReduceOp) -> Option<ReduceKernel> {
    if !op.accepts(datatype) {
        return None;
    }
    if matches!(op, ReduceOp::Callback | ReduceOp::OrderedCallback) {
        return None;
    }
    match datatype {
        Datatype::Int8 => order::<i8>(set, op).or_else(|| arithmetic::<u8>(set, op)),
        Datatype::Uint8 => order::<u8>(set, op).or_else(|| arithmetic::<u8>(set, op)),
        Datatype::Int16 => order::<i16>(set, op).or_else(|| arithmetic::<u16>(set, op)),
        Datatype::Uint16 => order::<u16>(set, op).or_else(|| arithmetic::<u16>(set, op)),
        Datatype::Int32 => order::<i32>(set, op).or_else(|| arithmetic::<u32>(set, op)),
        Datatype::Uint32 => order::<u32>(set, op).or_else(|| arithmetic::<u32>(set, op)),
        Datatype::Int64 => order::<i64>(set, op).or_else(|| arithmetic::<u64>(set, op)),
        Datatype::Uint64 => order::<u64>(set, op).or_else(|| arithmetic::<u64>(set, op)),
        Datatype::Float16 => float16(set, op).or_else(|| real::<Float16>(set, op)),
        Datatype::Bfloat16 => bfloat16(set, op).or_else(|| real::<Bfloat16>(set, op)),
        Datatype::Float32 => real::<Float32>(set, op),
        Datatype::Float64 => real::<Float64>(set, op),
        Datatype::Float8E4m3 => real::<Float8E4m3>(set, op),
        Datatype::Float8E5m2 => real::<Float8E5m2>(set, op),
        Datatype::Bool => boolean(set, op),
        Datatype::Complex64 => complex::<Float32>(set, op),
        Datatype::Complex128 => complex::<Float64>(set, op),
        Datatype::Byte => arithmetic::<u8>(set, op),
    }
}

/// The division of `datatype` for `set`. `None`: the datatype has no average.
pub(super) fn divide_kernel(set: InstructionSet, datatype: Datatype) -> Option<DivideFn> {
    Some(match datatype {
        Datatype::Int8 => divide_loop::<Truncated<i8>>(set),
        Datatype::Uint8 => divide_loop::<Truncated<u8>>(set),
        Datatype::Int16 => divide_loop::<Truncated<i16>>(set),
        Datatype::Uint16 => divide_loop::<Truncated<u16>>(set),
        Datatype::Int32 => divide_loop::<Truncated<i32>>(set),
        Datatype::Uint32 => divide_loop::<Truncated<u32>>(set),
        Datatype::Int64 => divide_loop::<Truncated<i64>>(set),
        Datatype::Uint64 => divide_loop::<Truncated<u64>>(set),
        Datatype::Float16 => divide_loop::<Quotient<Float16>>(set),
        Datatype::Bfloat16 => divide_loop::<Quotient<Bfloat16>>(set),
        Datatype::Float32 => divide_loop::<Quotient<Float32>>(set),
        Datatype::Float64 => divide_loop::<Quotient<Float64>>(set),
        Datatype::Float8E4m3 => divide_loop::<Quotient<Float8E4m3>>(set),
        Datatype::Float8E5m2 => divide_loop::<Quotient<Float8E5m2>>(set),
        Datatype::Complex64 => divide_loop::<BothParts<Quotient<Float32>>>(set),
        Datatype::Complex128 => divide_loop::<BothParts<Quotient<Float64>>>(set),
        Datatype::Bool | Datatype::Byte => return None,
    })
}

/// The operators for which signed and unsigned integers differ.
fn order<T: Integer>(set: InstructionSet, op: ReduceOp) -> Option<ReduceKernel> {
    match op {
        ReduceOp::Min => Some(reduce_loop::<integer::Min<T>>(set)),
        ReduceOp::Max => Some(reduce_loop::<integer::Max<T>>(set)),
        _ => None,
    }
}

/// The operators for which signed and unsigned integers do not differ.
fn arithmetic<T: Integer>(set: InstructionSet, op: ReduceOp) -> Option<ReduceKernel>
where
    Wrapping<T>: Add<Output = Wrapping<T>> + Mul<Output = Wrapping<T>>,
{
    Some(match op {
        ReduceOp::Sum | ReduceOp::Avg | ReduceOp::PremulSum => reduce_loop::<integer::Sum<T>>(set),
        ReduceOp::Product => reduce_loop::<integer::Product<T>>(set),
        ReduceOp::Band => reduce_loop::<integer::Band<T>>(set),
        ReduceOp::Bor => reduce_loop::<integer::Bor<T>>(set),
        ReduceOp::Bxor => reduce_loop::<integer::Bxor<T>>(set),
        ReduceOp::Land => reduce_loop::<integer::Land<T>>(set),
        ReduceOp::Lor => reduce_loop::<integer::Lor<T>>(set),
        ReduceOp::Lxor => reduce_loop::<integer::Lxor<T>>(set),
        _ => return None,
    })
}

/// On truth values several operators coincide. The logical kernels also accept bytes above 1.
fn boolean(set: InstructionSet, op: ReduceOp) -> Option<ReduceKernel> {
    use ReduceOp::*;
    Some(match op {
        Product | Min | Band | Land => reduce_loop::<integer::Land<u8>>(set),
        Sum | Max | Bor | Lor => reduce_loop::<integer::Lor<u8>>(set),
        Bxor | Lxor => reduce_loop::<integer::Lxor<u8>>(set),
        Avg | PremulSum | Callback | OrderedCallback => return None,
    })
}

fn real<F: Float>(set: InstructionSet, op: ReduceOp) -> Option<ReduceKernel> {
    match op {
        ReduceOp::Sum | ReduceOp::Avg | ReduceOp::PremulSum => Some(reduce_loop::<Rounded<F, Plus>>(set)),
        ReduceOp::Product => Some(reduce_loop::<Rounded<F, Times>>(set)),
        ReduceOp::Min => Some(reduce_loop::<float::Min<F>>(set)),
        ReduceOp::Max => Some(reduce_loop::<float::Max<F>>(set)),
        _ => None,
    }
}

fn complex<F: Float>(set: InstructionSet, op: ReduceOp) -> Option<ReduceKernel> {
    match op {
        ReduceOp::Sum | ReduceOp::Avg | ReduceOp::PremulSum => {
            Some(reduce_loop::<BothParts<Rounded<F, Plus>>>(set))
        }
        ReduceOp::Product => Some(reduce_loop::<ComplexProduct<F>>(set)),
        _ => None,
    }
}

/// The operators on bfloat16 that combine two elements at a time.
fn bfloat16(set: InstructionSet, op: ReduceOp) -> Option<ReduceKernel> {
    use bfloat16::Pair;
    match op {
        ReduceOp::Sum | ReduceOp::Avg | ReduceOp::PremulSum => {
            Some(reduce_loop_in_pairs::<Pair<Plus>, Rounded<Bfloat16, Plus>>(set))
        }
        ReduceOp::Product => Some(reduce_loop_in_pairs::<Pair<Times>, Rounded<Bfloat16, Times>>(set)),
        _ => None,
    }
}

/// The operators on float16 that have kernels of their own.
#[cfg(target_arch = "x86_64")]
fn float16(set: InstructionSet, op: ReduceOp) -> Option<ReduceKernel> {
    use super::f16c::{self, Halves};
    match (set, op) {
        (InstructionSet::Portable, _) => None,
        (_, ReduceOp::Sum | ReduceOp::Avg | ReduceOp::PremulSum) => {
            Some(compiled_for::<Halves<f16c::Sum>>(set))
        }
        (_, ReduceOp::Product) => Some(compiled_for::<Halves<f16c::Product>>(set)),
        _ => None,
    }
}

/// The operators on float16 that have kernels of their own: none on this target.
#[cfg(not(target_arch = "x86_64"))]
fn float16(_set: InstructionSet, _op: ReduceOp) -> Option<ReduceKernel> {
    None
}

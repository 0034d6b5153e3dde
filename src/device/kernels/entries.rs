//! Names of the kernels in the PTX.

use std::ffi::CStr;

use crate::base::{Datatype, ReduceOp};

/// Copies of segments; its table is `CopyArguments`.
pub const COPY: &CStr = c"anyccl_copy";
/// Addition to a counter; takes `CounterArguments` by value.
pub const COUNTER_ADD: &CStr = c"anyccl_counter_add";

/// A wait for a word; takes `WaitArguments` by value.
pub const WAIT: &CStr = c"anyccl_wait";

/// The kernel of an operator on a datatype. Its table is `PremulSumArguments` for a premultiplied sum, and
/// `ReduceArguments` for all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// Name of the entry in the PTX.
    pub entry: &'static CStr,
    /// Units that the kernel counts in one element of the datatype.
    pub units: u32,
    /// Bytes of a unit.
    pub unit_bytes: u32,
}

/// The kernel of `op` on `datatype`. `None`: the operator is not
/// accepted, or it is a function of the program.
pub fn reduction(datatype: Datatype, op: ReduceOp) -> Option<Reduction> {
    if !op.accepts(datatype) {
        return None;
    }
    let entry = match datatype {
        Datatype::Bool => boolean(op)?,
        _ if matches!(op, ReduceOp::Band | ReduceOp::Bor | ReduceOp::Bxor) => bitwise(op)?,
        Datatype::Float16 => float16(op)?,
        Datatype::Bfloat16 => bfloat16(op)?,
        Datatype::Float32 => float32(op)?,
        Datatype::Float64 => float64(op)?,
        Datatype::Float8E4m3 => float8_e4m3(op)?,
        Datatype::Float8E5m2 => float8_e5m2(op)?,
        Datatype::Complex64 => complex64(op)?,
        Datatype::Complex128 => complex128(op)?,
        Datatype::Int8 => signed_8(op).or_else(|| unsigned_8(op))?,
        Datatype::Int16 => signed_16(op).or_else(|| unsigned_16(op))?,
        Datatype::Int32 => signed_32(op).or_else(|| unsigned_32(op))?,
        Datatype::Int64 => signed_64(op).or_else(|| unsigned_64(op))?,
        Datatype::Uint8 | Datatype::Byte => unsigned_8(op)?,
        Datatype::Uint16 => unsigned_16(op)?,
        Datatype::Uint32 => unsigned_32(op)?,
        Datatype::Uint64 => unsigned_64(op)?,
    };
    let units = match op {
        // Bitwise kernels count bytes.
        ReduceOp::Band | ReduceOp::Bor | ReduceOp::Bxor => datatype.bytes() as u32,
        // A sum of complex numbers is one of twice as many real ones.
        ReduceOp::Sum | ReduceOp::Avg if datatype.is_complex() => 2,
        _ => 1,
    };
    Some(Reduction { entry, units, unit_bytes: datatype.bytes() as u32 / units })
}

/// Operators on bytes, which serve every datatype.
fn bitwise(op: ReduceOp) -> Option<&'static CStr> {
    Some(match op {
        ReduceOp::Band => c"anyccl_reduce_band_byte",
        ReduceOp::Bor => c"anyccl_reduce_bor_byte",
        ReduceOp::Bxor => c"anyccl_reduce_bxor_byte",
        _ => return None,
    })
}

/// On truth values several operators coincide.
fn boolean(op: ReduceOp) -> Option<&'static CStr> {
    use ReduceOp::*;
    Some(match op {
        Product | Min | Band | Land => c"anyccl_reduce_land_uint8",
        Sum | Max | Bor | Lor => c"anyccl_reduce_lor_uint8",
        Bxor | Lxor => c"anyccl_reduce_lxor_uint8",
        Avg | PremulSum | Callback | OrderedCallback => return None,
    })
}

/// Operators for which signed and unsigned integers of 8 bits differ.
fn signed_8(op: ReduceOp) -> Option<&'static CStr> {
    Some(match op {
        ReduceOp::Min => c"anyccl_reduce_min_int8",
        ReduceOp::Max => c"anyccl_reduce_max_int8",
        ReduceOp::Avg => c"anyccl_reduce_avg_int8",
        _ => return None,
    })
}

/// Operators on unsigned integers of 8 bits.
fn unsigned_8(op: ReduceOp) -> Option<&'static CStr> {
    Some(match op {
        ReduceOp::Sum => c"anyccl_reduce_sum_uint8",
        ReduceOp::Product => c"anyccl_reduce_product_uint8",
        ReduceOp::Min => c"anyccl_reduce_min_uint8",
        ReduceOp::Max => c"anyccl_reduce_max_uint8",
        ReduceOp::Avg => c"anyccl_reduce_avg_uint8",
        ReduceOp::PremulSum => c"anyccl_reduce_premul_sum_uint8",
        ReduceOp::Land => c"anyccl_reduce_land_uint8",
        ReduceOp::Lor => c"anyccl_reduce_lor_uint8",
        ReduceOp::Lxor => c"anyccl_reduce_lxor_uint8",
        _ => return None,
    })
}

/// Operators for which signed and unsigned integers of 16 bits differ.
fn signed_16(op: ReduceOp) -> Option<&'static CStr> {
    Some(match op {
        ReduceOp::Min => c"anyccl_reduce_min_int16",
        ReduceOp::Max => c"anyccl_reduce_max_int16",
        ReduceOp::Avg => c"anyccl_reduce_avg_int16",
        _ => return None,
    })
}

/// Operators on unsigned integers of 16 bits.
fn unsigned_16(op: ReduceOp) -> Option<&'static CStr> {
    Some(match op {
        ReduceOp::Sum => c"anyccl_reduce_sum_uint16",
        ReduceOp::Product => c"anyccl_reduce_product_uint16",
        ReduceOp::Min => c"anyccl_reduce_min_uint16",
        ReduceOp::Max => c"anyccl_reduce_max_uint16",
        ReduceOp::Avg => c"anyccl_reduce_avg_uint16",
        ReduceOp::PremulSum => c"anyccl_reduce_premul_sum_uint16",
        ReduceOp::Land => c"anyccl_reduce_land_uint16",
        ReduceOp::Lor => c"anyccl_reduce_lor_uint16",
        ReduceOp::Lxor => c"anyccl_reduce_lxor_uint16",
        _ => return None,
    })
}

/// Operators for which signed and unsigned integers of 32 bits differ.
fn signed_32(op: ReduceOp) -> Option<&'static CStr> {
    Some(match op {
        ReduceOp::Min => c"anyccl_reduce_min_int32",
        ReduceOp::Max => c"anyccl_reduce_max_int32",
        ReduceOp::Avg => c"anyccl_reduce_avg_int32",
        _ => return None,
    })
}

/// Operators on unsigned integers of 32 bits.
fn unsigned_32(op: ReduceOp) -> Option<&'static CStr> {
    Some(match op {
        ReduceOp::Sum => c"anyccl_reduce_sum_uint32",
        ReduceOp::Product => c"anyccl_reduce_product_uint32",
        ReduceOp::Min => c"anyccl_reduce_min_uint32",
        ReduceOp::Max => c"anyccl_reduce_max_uint32",
        ReduceOp::Avg => c"anyccl_reduce_avg_uint32",
        ReduceOp::PremulSum => c"anyccl_reduce_premul_sum_uint32",
        ReduceOp::Land => c"anyccl_reduce_land_uint32",
        ReduceOp::Lor => c"anyccl_reduce_lor_uint32",
        ReduceOp::Lxor => c"anyccl_reduce_lxor_uint32",
        _ => return None,
    })
}

/// Operators for which signed and unsigned integers of 64 bits differ.
fn signed_64(op: ReduceOp) -> Option<&'static CStr> {
    Some(match op {
        ReduceOp::Min => c"anyccl_reduce_min_int64",
        ReduceOp::Max => c"anyccl_reduce_max_int64",
        ReduceOp::Avg => c"anyccl_reduce_avg_int64",
        _ => return None,
    })
}

/// Operators on unsigned integers of 64 bits.
fn unsigned_64(op: ReduceOp) -> Option<&'static CStr> {
    Some(match op {
        ReduceOp::Sum => c"anyccl_reduce_sum_uint64",
        ReduceOp::Product => c"anyccl_reduce_product_uint64",
        ReduceOp::Min => c"anyccl_reduce_min_uint64",
        ReduceOp::Max => c"anyccl_reduce_max_uint64",
        ReduceOp::Avg => c"anyccl_reduce_avg_uint64",
        ReduceOp::PremulSum => c"anyccl_reduce_premul_sum_uint64",
        ReduceOp::Land => c"anyccl_reduce_land_uint64",
        ReduceOp::Lor => c"anyccl_reduce_lor_uint64",
        ReduceOp::Lxor => c"anyccl_reduce_lxor_uint64",
        _ => return None,
    })
}

/// Operators on float16.
fn float16(op: ReduceOp) -> Option<&'static CStr> {
    Some(match op {
        ReduceOp::Sum => c"anyccl_reduce_sum_float16",
        ReduceOp::Product => c"anyccl_reduce_product_float16",
        ReduceOp::Min => c"anyccl_reduce_min_float16",
        ReduceOp::Max => c"anyccl_reduce_max_float16",
        ReduceOp::Avg => c"anyccl_reduce_avg_float16",
        ReduceOp::PremulSum => c"anyccl_reduce_premul_sum_float16",
        _ => return None,
    })
}

/// Operators on bfloat16.
fn bfloat16(op: ReduceOp) -> Option<&'static CStr> {
    Some(match op {
        ReduceOp::Sum => c"anyccl_reduce_sum_bfloat16",
        ReduceOp::Product => c"anyccl_reduce_product_bfloat16",
        ReduceOp::Min => c"anyccl_reduce_min_bfloat16",
        ReduceOp::Max => c"anyccl_reduce_max_bfloat16",
        ReduceOp::Avg => c"anyccl_reduce_avg_bfloat16",
        ReduceOp::PremulSum => c"anyccl_reduce_premul_sum_bfloat16",
        _ => return None,
    })
}

/// Operators on float32.
fn float32(op: ReduceOp) -> Option<&'static CStr> {
    Some(match op {
        ReduceOp::Sum => c"anyccl_reduce_sum_float32",
        ReduceOp::Product => c"anyccl_reduce_product_float32",
        ReduceOp::Min => c"anyccl_reduce_min_float32",
        ReduceOp::Max => c"anyccl_reduce_max_float32",
        ReduceOp::Avg => c"anyccl_reduce_avg_float32",
        ReduceOp::PremulSum => c"anyccl_reduce_premul_sum_float32",
        _ => return None,
    })
}

/// Operators on float64.
fn float64(op: ReduceOp) -> Option<&'static CStr> {
    Some(match op {
        ReduceOp::Sum => c"anyccl_reduce_sum_float64",
        ReduceOp::Product => c"anyccl_reduce_product_float64",
        ReduceOp::Min => c"anyccl_reduce_min_float64",
        ReduceOp::Max => c"anyccl_reduce_max_float64",
        ReduceOp::Avg => c"anyccl_reduce_avg_float64",
        ReduceOp::PremulSum => c"anyccl_reduce_premul_sum_float64",
        _ => return None,
    })
}

/// Operators on float8_e4m3.
fn float8_e4m3(op: ReduceOp) -> Option<&'static CStr> {
    Some(match op {
        ReduceOp::Sum => c"anyccl_reduce_sum_float8_e4m3",
        ReduceOp::Product => c"anyccl_reduce_product_float8_e4m3",
        ReduceOp::Min => c"anyccl_reduce_min_float8_e4m3",
        ReduceOp::Max => c"anyccl_reduce_max_float8_e4m3",
        ReduceOp::Avg => c"anyccl_reduce_avg_float8_e4m3",
        ReduceOp::PremulSum => c"anyccl_reduce_premul_sum_float8_e4m3",
        _ => return None,
    })
}

/// Operators on float8_e5m2.
fn float8_e5m2(op: ReduceOp) -> Option<&'static CStr> {
    Some(match op {
        ReduceOp::Sum => c"anyccl_reduce_sum_float8_e5m2",
        ReduceOp::Product => c"anyccl_reduce_product_float8_e5m2",
        ReduceOp::Min => c"anyccl_reduce_min_float8_e5m2",
        ReduceOp::Max => c"anyccl_reduce_max_float8_e5m2",
        ReduceOp::Avg => c"anyccl_reduce_avg_float8_e5m2",
        ReduceOp::PremulSum => c"anyccl_reduce_premul_sum_float8_e5m2",
        _ => return None,
    })
}

/// Operators on complex64.
fn complex64(op: ReduceOp) -> Option<&'static CStr> {
    Some(match op {
        ReduceOp::Sum => c"anyccl_reduce_sum_float32",
        ReduceOp::Avg => c"anyccl_reduce_avg_float32",
        ReduceOp::Product => c"anyccl_reduce_product_complex64",
        ReduceOp::PremulSum => c"anyccl_reduce_premul_sum_complex64",
        _ => return None,
    })
}

/// Operators on complex128.
fn complex128(op: ReduceOp) -> Option<&'static CStr> {
    Some(match op {
        ReduceOp::Sum => c"anyccl_reduce_sum_float64",
        ReduceOp::Avg => c"anyccl_reduce_avg_float64",
        ReduceOp::Product => c"anyccl_reduce_product_complex128",
        ReduceOp::PremulSum => c"anyccl_reduce_premul_sum_complex128",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::kernels::ptx;

    fn text() -> String {
        ptx().expect("compressed by the build").into_string().expect("PTX is ASCII")
    }

    #[test]
    fn every_pair_that_the_engine_accepts_has_an_entry_in_the_ptx() {
        let ptx = text();
        for datatype in Datatype::ALL {
            for op in ReduceOp::ALL.into_iter().chain([ReduceOp::PremulSum]) {
                let found = reduction(datatype, op);
                assert_eq!(found.is_some(), op.accepts(datatype), "{} of {}", op.name(), datatype.name());
                let Some(found) = found else { continue };
                let entry = format!(".entry {}(", found.entry.to_str().unwrap());
                assert!(ptx.contains(&entry), "the PTX has no {entry}");
                assert_eq!((found.units * found.unit_bytes) as usize, datatype.bytes());
            }
        }
        for entry in [COPY, COUNTER_ADD, WAIT] {
            assert!(ptx.contains(&format!(".entry {}(", entry.to_str().unwrap())));
        }
    }

    #[test]
    fn no_multiplication_is_fused_with_an_addition() {
        let ptx = text();
        assert!(!ptx.contains("fma."));
        assert!(!ptx.contains("mad.f"));
    }
}

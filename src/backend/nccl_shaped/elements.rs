//! Our datatypes and operators in the numbers that NCCL and oneCCL share.
//!
//! Elements that are only moved can travel as another datatype of the same length. Elements that are added
//! can do so if their parts are added separately: a complex number is two floats.

use std::ffi::c_int;

use crate::base::{Datatype, ReduceOp};

/// A run of the library's elements that stands for one of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elements {
    /// The library's number of the datatype.
    pub datatype: c_int,
    /// How many of the library's elements make one of ours.
    pub per_element: usize,
}

const BYTE: c_int = 1;

/// The library's number of a datatype of ours. `float8`: the library knows 8-bit floats.
const fn number(datatype: Datatype, float8: bool) -> Option<c_int> {
    Some(match datatype {
        Datatype::Int8 => 0,
        Datatype::Uint8 => 1,
        Datatype::Int32 => 2,
        Datatype::Uint32 => 3,
        Datatype::Int64 => 4,
        Datatype::Uint64 => 5,
        Datatype::Float16 => 6,
        Datatype::Float32 => 7,
        Datatype::Float64 => 8,
        Datatype::Bfloat16 => 9,
        Datatype::Float8E4m3 if float8 => 10,
        Datatype::Float8E5m2 if float8 => 11,
        _ => return None,
    })
}

/// The datatype as which the library moves elements.
pub const fn moved(datatype: Datatype) -> Elements {
    match number(datatype, false) {
        Some(datatype) => Elements { datatype, per_element: 1 },
        None => Elements { datatype: BYTE, per_element: datatype.bytes() },
    }
}

/// The datatype as which the library reduces elements, and the number of the operator. `None`: it cannot
/// reduce them.
pub fn reduced(datatype: Datatype, op: ReduceOp, float8: bool) -> Option<(Elements, c_int)> {
    if !op.accepts(datatype) {
        return None;
    }
    let adds = matches!(op, ReduceOp::Sum | ReduceOp::Avg);
    let op = match op {
        ReduceOp::Sum => 0,
        ReduceOp::Product => 1,
        ReduceOp::Max => 2,
        ReduceOp::Min => 3,
        ReduceOp::Avg => 4,
        _ => return None,
    };
    let (datatype, per_element) = match datatype {
        Datatype::Complex64 if adds => (Datatype::Float32, 2),
        Datatype::Complex128 if adds => (Datatype::Float64, 2),
        other => (other, 1),
    };
    let datatype = number(datatype, float8)?;
    Some((Elements { datatype, per_element }, op))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_moved_keeps_its_length() {
        let bytes = [1, 1, 4, 4, 8, 8, 2, 4, 8, 2];
        for datatype in Datatype::ALL {
            let elements = moved(datatype);
            assert_eq!(
                bytes[elements.datatype as usize] * elements.per_element,
                datatype.bytes(),
                "{datatype:?}"
            );
        }
    }

    #[test]
    fn only_what_the_library_knows_is_reduced_by_it() {
        use Datatype::*;
        assert_eq!(reduced(Int16, ReduceOp::Sum, true), None);
        assert_eq!(reduced(Bool, ReduceOp::Max, true), None);
        assert_eq!(reduced(Int32, ReduceOp::Bxor, true), None);
        assert_eq!(reduced(Complex64, ReduceOp::Product, true), None);
        assert_eq!(reduced(Float8E5m2, ReduceOp::Sum, false), None);
        let floats = Elements { datatype: 7, per_element: 2 };
        assert_eq!(reduced(Complex64, ReduceOp::Sum, false), Some((floats, 0)));
        assert_eq!(reduced(Int8, ReduceOp::Min, false).map(|(_, op)| op), Some(3));
        assert_eq!(reduced(Float8E4m3, ReduceOp::Max, true).map(|(elements, _)| elements.datatype), Some(10));
    }
}

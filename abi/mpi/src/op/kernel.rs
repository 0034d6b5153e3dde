//! The predefined operators on predefined datatypes (MPI 5.0, section 6.9.2). Two elements are combined by a
//! kernel of the engine, or by one of this crate if the engine does not know the elements.

use anyccl_engine::base::{Datatype as Element, ReduceOp};
use anyccl_engine::reduce::ReduceFn;

use super::kind::{Kind, kind};
use super::quad::Quad;
use super::{LongDouble, floating, pair, wide};
use crate::constants as c;

/// The code that combines elements.
#[derive(Clone, Copy)]
pub enum Kernel {
    /// A kernel of the engine, which knows operator and datatype.
    Engine(ReduceOp, Element),
    /// A loop of this crate.
    Own(ReduceFn),
}

/// The kernel of the predefined operator `op` on the datatype `code`. `None`: the operator is not defined on
/// it.
#[inline]
pub fn kernel(op: u32, code: u32) -> Option<Kernel> {
    let kind = kind(code)?;
    let (element, is_defined) = match kind {
        Kind::Integer(element) => (element, !matches!(op, c::MINLOC | c::MAXLOC)),
        Kind::FortranInteger(element) => (element, is_arithmetic(op) || is_order(op) || is_bitwise(op)),
        Kind::Real(element) => (element, is_arithmetic(op) || is_order(op)),
        Kind::Complex(element) => (element, is_arithmetic(op)),
        Kind::Logical(element) => (element, is_logical(op)),
        Kind::Byte => (Element::Byte, is_bitwise(op)),
        _ => return own_kernel(op, kind),
    };
    let op = engine_op(op)?;
    is_defined.then_some(Kernel::Engine(op, element))
}

#[cold]
fn own_kernel(op: u32, kind: Kind) -> Option<Kernel> {
    let function = match kind {
        Kind::Integer16 => wide::integer(op),
        Kind::Logical16 => wide::logical(op),
        Kind::LongDouble => floating::real::<LongDouble>(op),
        Kind::LongDoubleComplex => floating::complex::<LongDouble>(op),
        Kind::Quad => floating::real::<Quad>(op),
        Kind::QuadComplex => floating::complex::<Quad>(op),
        Kind::Pair(pair) => pair::kernel(op, pair),
        _ => None,
    };
    function.map(Kernel::Own)
}

fn is_arithmetic(op: u32) -> bool {
    matches!(op, c::SUM | c::PROD)
}

fn is_order(op: u32) -> bool {
    matches!(op, c::MIN | c::MAX)
}

fn is_bitwise(op: u32) -> bool {
    matches!(op, c::BAND | c::BOR | c::BXOR)
}

fn is_logical(op: u32) -> bool {
    matches!(op, c::LAND | c::LOR | c::LXOR)
}

/// The engine's operator.
#[inline]
fn engine_op(op: u32) -> Option<ReduceOp> {
    Some(match op {
        c::SUM => ReduceOp::Sum,
        c::MIN => ReduceOp::Min,
        c::MAX => ReduceOp::Max,
        c::PROD => ReduceOp::Product,
        c::BAND => ReduceOp::Band,
        c::BOR => ReduceOp::Bor,
        c::BXOR => ReduceOp::Bxor,
        c::LAND => ReduceOp::Land,
        c::LOR => ReduceOp::Lor,
        c::LXOR => ReduceOp::Lxor,
        _ => return None,
    })
}

/// Name of a predefined operator.
pub fn name(op: u32) -> &'static str {
    match op {
        c::SUM => "MPI_SUM",
        c::MIN => "MPI_MIN",
        c::MAX => "MPI_MAX",
        c::PROD => "MPI_PROD",
        c::BAND => "MPI_BAND",
        c::BOR => "MPI_BOR",
        c::BXOR => "MPI_BXOR",
        c::LAND => "MPI_LAND",
        c::LOR => "MPI_LOR",
        c::LXOR => "MPI_LXOR",
        c::MINLOC => "MPI_MINLOC",
        c::MAXLOC => "MPI_MAXLOC",
        c::REPLACE => "MPI_REPLACE",
        c::NO_OP => "MPI_NO_OP",
        _ => "MPI_OP_NULL",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::kind::FIRST;

    const OPS: [u32; 14] = [
        c::SUM,
        c::MIN,
        c::MAX,
        c::PROD,
        c::BAND,
        c::BOR,
        c::BXOR,
        c::LAND,
        c::LOR,
        c::LXOR,
        c::MINLOC,
        c::MAXLOC,
        c::REPLACE,
        c::NO_OP,
    ];

    /// Operators that are defined on a datatype, by name and without `MPI_`.
    fn defined(code: u32) -> String {
        let names = OPS.into_iter().filter(|op| kernel(*op, code).is_some()).map(|op| &name(op)[4..]);
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn operators_are_defined_on_the_groups_of_datatypes_that_mpi_names() {
        let all = "SUM MIN MAX PROD BAND BOR BXOR LAND LOR LXOR";
        for code in [c::AINT, c::COUNT, c::SHORT, c::UNSIGNED_LONG_LONG, c::CHAR, c::UINT8_T, c::INT64_T] {
            assert_eq!(defined(code), all, "{code:#x}");
        }
        for code in [c::INTEGER, c::INTEGER1, c::INTEGER16] {
            assert_eq!(defined(code), "SUM MIN MAX PROD BAND BOR BXOR", "{code:#x}");
        }
        for code in [c::FLOAT, c::DOUBLE_PRECISION, c::REAL8, c::REAL2, c::REAL16, c::FLOAT16, c::BFLOAT16] {
            assert_eq!(defined(code), "SUM MIN MAX PROD", "{code:#x}");
        }
        for code in [c::COMPLEX, c::CXX_DOUBLE_COMPLEX, c::COMPLEX16, c::COMPLEX32] {
            assert_eq!(defined(code), "SUM PROD", "{code:#x}");
        }
        for code in [c::LOGICAL, c::C_BOOL, c::LOGICAL16] {
            assert_eq!(defined(code), "LAND LOR LXOR", "{code:#x}");
        }
        for code in [c::FLOAT_INT, c::TWO_INTEGER, c::TWO_REAL, c::SHORT_INT] {
            assert_eq!(defined(code), "MINLOC MAXLOC", "{code:#x}");
        }
        assert_eq!(defined(c::BYTE), "BAND BOR BXOR");
        for code in [c::PACKED, c::CHARACTER, c::WCHAR, c::COMPLEX4, c::DATATYPE_NULL, 0x1000] {
            assert_eq!(defined(code), "", "{code:#x}");
        }
    }

    #[test]
    fn the_engine_accepts_every_operator_that_is_left_to_it() {
        for code in FIRST..=c::COMPLEX32 {
            for op in OPS {
                if let Some(Kernel::Engine(op, element)) = kernel(op, code) {
                    assert!(op.accepts(element), "{op:?} on {element:?}");
                }
            }
        }
    }

    #[test]
    fn long_double_has_operators() {
        assert_eq!(defined(c::LONG_DOUBLE), "SUM MIN MAX PROD");
        assert_eq!(defined(c::C_LONG_DOUBLE_COMPLEX), "SUM PROD");
        assert_eq!(defined(c::LONG_DOUBLE_INT), "MINLOC MAXLOC");
    }
}

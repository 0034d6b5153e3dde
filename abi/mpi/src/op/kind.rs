//! The groups of predefined datatypes that MPI's rules for operators name (MPI 5.0, section 6.9.2).
//!
//! Where MPI leaves a choice, this is MPICH's: `MPI_CHAR` is an integer, because C programs add bytes.

use anyccl_engine::base::Datatype as Element;

use crate::constants as c;

/// The group of datatypes that MPI's rules name, with the engine's datatype of the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Integers of C, and `MPI_AINT`, `MPI_COUNT`, `MPI_OFFSET`.
    Integer(Element),
    /// Integers of Fortran, which have no logical operators.
    FortranInteger(Element),
    /// Floating-point numbers.
    Real(Element),
    /// Complex numbers.
    Complex(Element),
    /// Truth values.
    Logical(Element),
    /// `MPI_BYTE`.
    Byte,
    /// Integers and truth values of 16 bytes.
    Integer16,
    Logical16,
    /// Numbers of the C type `long double`, and complex numbers of two of them.
    LongDouble,
    LongDoubleComplex,
    /// Numbers of quadruple precision, and complex numbers of two of them.
    Quad,
    QuadComplex,
    /// A value and an index.
    Pair(Pair),
    /// Numbers that cannot be reduced here.
    Other,
}

/// Value and index of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub(super) enum Pair {
    FloatInt,
    DoubleInt,
    LongInt,
    TwoInt,
    ShortInt,
    LongDoubleInt,
    TwoReal,
    TwoDouble,
}

/// First code of a datatype.
pub(super) const FIRST: u32 = c::DATATYPE_NULL;
const CODES: usize = (c::COMPLEX32 - FIRST + 1) as usize;

/// The kind of every code.
static KINDS: [Kind; CODES] = {
    let mut kinds = [Kind::Other; CODES];
    let mut at = 0;
    while at < ROWS.len() {
        let (code, kind) = ROWS[at];
        kinds[(code - FIRST) as usize] = kind;
        at += 1;
    }
    kinds
};

const ROWS: &[(u32, Kind)] = &[
    (c::AINT, Kind::Integer(Element::Int64)),
    (c::COUNT, Kind::Integer(Element::Int64)),
    (c::OFFSET, Kind::Integer(Element::Int64)),
    (c::SHORT, Kind::Integer(Element::Int16)),
    (c::INT, Kind::Integer(Element::Int32)),
    (c::LONG, Kind::Integer(Element::Int64)),
    (c::LONG_LONG, Kind::Integer(Element::Int64)),
    (c::UNSIGNED_SHORT, Kind::Integer(Element::Uint16)),
    (c::UNSIGNED, Kind::Integer(Element::Uint32)),
    (c::UNSIGNED_LONG, Kind::Integer(Element::Uint64)),
    (c::UNSIGNED_LONG_LONG, Kind::Integer(Element::Uint64)),
    (c::FLOAT, Kind::Real(Element::Float32)),
    (c::C_FLOAT_COMPLEX, Kind::Complex(Element::Complex64)),
    (c::CXX_FLOAT_COMPLEX, Kind::Complex(Element::Complex64)),
    (c::DOUBLE, Kind::Real(Element::Float64)),
    (c::C_DOUBLE_COMPLEX, Kind::Complex(Element::Complex128)),
    (c::CXX_DOUBLE_COMPLEX, Kind::Complex(Element::Complex128)),
    (c::LOGICAL, Kind::Logical(Element::Int32)),
    (c::INTEGER, Kind::FortranInteger(Element::Int32)),
    (c::REAL, Kind::Real(Element::Float32)),
    (c::COMPLEX, Kind::Complex(Element::Complex64)),
    (c::DOUBLE_PRECISION, Kind::Real(Element::Float64)),
    (c::DOUBLE_COMPLEX, Kind::Complex(Element::Complex128)),
    (c::LONG_DOUBLE, Kind::LongDouble),
    (c::C_LONG_DOUBLE_COMPLEX, Kind::LongDoubleComplex),
    (c::CXX_LONG_DOUBLE_COMPLEX, Kind::LongDoubleComplex),
    (c::FLOAT_INT, Kind::Pair(Pair::FloatInt)),
    (c::DOUBLE_INT, Kind::Pair(Pair::DoubleInt)),
    (c::LONG_INT, Kind::Pair(Pair::LongInt)),
    (c::TWO_INT, Kind::Pair(Pair::TwoInt)),
    (c::SHORT_INT, Kind::Pair(Pair::ShortInt)),
    (c::LONG_DOUBLE_INT, Kind::Pair(Pair::LongDoubleInt)),
    (c::TWO_REAL, Kind::Pair(Pair::TwoReal)),
    (c::TWO_DOUBLE_PRECISION, Kind::Pair(Pair::TwoDouble)),
    (c::TWO_INTEGER, Kind::Pair(Pair::TwoInt)),
    (c::C_BOOL, Kind::Logical(Element::Bool)),
    (c::CXX_BOOL, Kind::Logical(Element::Bool)),
    (c::INT8_T, Kind::Integer(Element::Int8)),
    (c::UINT8_T, Kind::Integer(Element::Uint8)),
    (c::CHAR, Kind::Integer(Element::Int8)),
    (c::SIGNED_CHAR, Kind::Integer(Element::Int8)),
    (c::UNSIGNED_CHAR, Kind::Integer(Element::Uint8)),
    (c::BYTE, Kind::Byte),
    (c::INT16_T, Kind::Integer(Element::Int16)),
    (c::UINT16_T, Kind::Integer(Element::Uint16)),
    (c::FLOAT16, Kind::Real(Element::Float16)),
    (c::BFLOAT16, Kind::Real(Element::Bfloat16)),
    (c::INT32_T, Kind::Integer(Element::Int32)),
    (c::UINT32_T, Kind::Integer(Element::Uint32)),
    (c::INT64_T, Kind::Integer(Element::Int64)),
    (c::UINT64_T, Kind::Integer(Element::Uint64)),
    (c::LOGICAL1, Kind::Logical(Element::Int8)),
    (c::INTEGER1, Kind::FortranInteger(Element::Int8)),
    (c::LOGICAL2, Kind::Logical(Element::Int16)),
    (c::INTEGER2, Kind::FortranInteger(Element::Int16)),
    (c::REAL2, Kind::Real(Element::Float16)),
    (c::LOGICAL4, Kind::Logical(Element::Int32)),
    (c::INTEGER4, Kind::FortranInteger(Element::Int32)),
    (c::REAL4, Kind::Real(Element::Float32)),
    (c::LOGICAL8, Kind::Logical(Element::Int64)),
    (c::INTEGER8, Kind::FortranInteger(Element::Int64)),
    (c::REAL8, Kind::Real(Element::Float64)),
    (c::COMPLEX8, Kind::Complex(Element::Complex64)),
    (c::LOGICAL16, Kind::Logical16),
    (c::INTEGER16, Kind::Integer16),
    (c::REAL16, Kind::Quad),
    (c::COMPLEX16, Kind::Complex(Element::Complex128)),
    (c::COMPLEX32, Kind::QuadComplex),
];

/// The kind of the datatype with this code.
#[inline]
pub(super) fn kind(code: u32) -> Option<Kind> {
    KINDS.get(code.wrapping_sub(FIRST) as usize).copied()
}

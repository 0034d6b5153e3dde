//! The predefined datatypes of the standard ABI, with the name, code, size and form of each.
//!
//! A pair type such as `MPI_DOUBLE_INT` is a C struct of two scalars, with the layout that C compilers use on
//! x86-64 and AArch64 Linux. [`Basic::of`] finds a row by its code in an array, without a search.

use std::sync::OnceLock;

use crate::constants as c;

/// First code of a datatype.
const FIRST: u32 = c::DATATYPE_NULL;
/// Number of codes from the first to the last.
const CODES: usize = (c::COMPLEX32 - FIRST + 1) as usize;

/// The composition of a predefined datatype's bytes, which `external32` needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Scalars of this many bytes: one, or two of a complex number.
    Scalars(u32),
    /// A C `long`, which has four bytes in `external32`.
    Long {
        /// Whether it has a sign.
        signed: bool,
    },
    /// A `wchar_t`, which has two bytes in `external32`.
    Wchar,
    /// One or two C `long double`, which are IEEE quadruple precision in `external32`.
    LongDouble,
    /// A value and an index.
    Pair {
        /// Code of the value.
        value: u32,
        /// Code of the index.
        index: u32,
        /// Bytes from the start of the value to the index.
        at: u32,
    },
}

/// One predefined datatype.
#[derive(Debug)]
pub(super) struct Basic {
    /// Name, as the header spells it.
    pub name: &'static str,
    /// Number of the predefined handle.
    pub code: u32,
    /// Bytes of data.
    pub size: u32,
    /// Bytes from one element of an array to the next.
    pub extent: u32,
    /// Alignment that C gives it in a struct.
    pub align: u32,
    /// Composition of the bytes.
    pub form: Form,
}

impl Basic {
    /// The predefined datatype of this code.
    pub fn of(code: u32) -> Option<&'static Basic> {
        static BY_CODE: OnceLock<[Option<&'static Basic>; CODES]> = OnceLock::new();
        let by_code = BY_CODE.get_or_init(|| {
            let mut by_code = [None; CODES];
            for basic in ROWS {
                by_code[(basic.code - FIRST) as usize] = Some(basic);
            }
            by_code
        });
        *by_code.get(code.checked_sub(FIRST)? as usize)?
    }

    /// All of them, in the order of their codes.
    pub fn all() -> &'static [Basic] {
        ROWS
    }

    /// Number of basic elements that MPI_Get_elements counts: two for a pair, else one.
    pub fn elements(&self) -> u64 {
        if matches!(self.form, Form::Pair { .. }) { 2 } else { 1 }
    }
}

/// A scalar or a complex number.
const fn row(name: &'static str, code: u32, size: u32, form: Form) -> Basic {
    let align = match form {
        // MPICH gives a complex number of two half floats the alignment of four bytes.
        Form::Scalars(2) if size == 4 => 4,
        Form::Scalars(bytes) => bytes,
        Form::LongDouble => 16,
        _ => size,
    };
    Basic { name, code, size, extent: size, align, form }
}

/// Size of a scalar that occurs in pairs.
const fn scalar(code: u32) -> u32 {
    match code {
        c::SHORT => 2,
        c::LONG | c::DOUBLE | c::DOUBLE_PRECISION => 8,
        c::LONG_DOUBLE => 16,
        _ => 4,
    }
}

/// A struct of a value and an index.
const fn pair(name: &'static str, code: u32, value: u32, index: u32) -> Basic {
    let (value_size, index_size) = (scalar(value), scalar(index));
    let align = if value_size > index_size { value_size } else { index_size };
    let at = value_size.next_multiple_of(index_size);
    let extent = (at + index_size).next_multiple_of(align);
    Basic { name, code, size: value_size + index_size, extent, align, form: Form::Pair { value, index, at } }
}

/// Every predefined datatype.
pub(super) const ROWS: &[Basic] = &[
    row("MPI_AINT", c::AINT, 8, Form::Scalars(8)),
    row("MPI_COUNT", c::COUNT, 8, Form::Scalars(8)),
    row("MPI_OFFSET", c::OFFSET, 8, Form::Scalars(8)),
    row("MPI_PACKED", c::PACKED, 1, Form::Scalars(1)),
    row("MPI_SHORT", c::SHORT, 2, Form::Scalars(2)),
    row("MPI_INT", c::INT, 4, Form::Scalars(4)),
    row("MPI_LONG", c::LONG, 8, Form::Long { signed: true }),
    row("MPI_LONG_LONG_INT", c::LONG_LONG, 8, Form::Scalars(8)),
    row("MPI_UNSIGNED_SHORT", c::UNSIGNED_SHORT, 2, Form::Scalars(2)),
    row("MPI_UNSIGNED", c::UNSIGNED, 4, Form::Scalars(4)),
    row("MPI_UNSIGNED_LONG", c::UNSIGNED_LONG, 8, Form::Long { signed: false }),
    row("MPI_UNSIGNED_LONG_LONG", c::UNSIGNED_LONG_LONG, 8, Form::Scalars(8)),
    row("MPI_FLOAT", c::FLOAT, 4, Form::Scalars(4)),
    row("MPI_C_COMPLEX", c::C_FLOAT_COMPLEX, 8, Form::Scalars(4)),
    row("MPI_CXX_FLOAT_COMPLEX", c::CXX_FLOAT_COMPLEX, 8, Form::Scalars(4)),
    row("MPI_DOUBLE", c::DOUBLE, 8, Form::Scalars(8)),
    row("MPI_C_DOUBLE_COMPLEX", c::C_DOUBLE_COMPLEX, 16, Form::Scalars(8)),
    row("MPI_CXX_DOUBLE_COMPLEX", c::CXX_DOUBLE_COMPLEX, 16, Form::Scalars(8)),
    row("MPI_LOGICAL", c::LOGICAL, 4, Form::Scalars(4)),
    row("MPI_INTEGER", c::INTEGER, 4, Form::Scalars(4)),
    row("MPI_REAL", c::REAL, 4, Form::Scalars(4)),
    row("MPI_COMPLEX", c::COMPLEX, 8, Form::Scalars(4)),
    row("MPI_DOUBLE_PRECISION", c::DOUBLE_PRECISION, 8, Form::Scalars(8)),
    row("MPI_DOUBLE_COMPLEX", c::DOUBLE_COMPLEX, 16, Form::Scalars(8)),
    row("MPI_CHARACTER", c::CHARACTER, 1, Form::Scalars(1)),
    row("MPI_LONG_DOUBLE", c::LONG_DOUBLE, 16, Form::LongDouble),
    row("MPI_C_LONG_DOUBLE_COMPLEX", c::C_LONG_DOUBLE_COMPLEX, 32, Form::LongDouble),
    row("MPI_CXX_LONG_DOUBLE_COMPLEX", c::CXX_LONG_DOUBLE_COMPLEX, 32, Form::LongDouble),
    pair("MPI_FLOAT_INT", c::FLOAT_INT, c::FLOAT, c::INT),
    pair("MPI_DOUBLE_INT", c::DOUBLE_INT, c::DOUBLE, c::INT),
    pair("MPI_LONG_INT", c::LONG_INT, c::LONG, c::INT),
    pair("MPI_2INT", c::TWO_INT, c::INT, c::INT),
    pair("MPI_SHORT_INT", c::SHORT_INT, c::SHORT, c::INT),
    pair("MPI_LONG_DOUBLE_INT", c::LONG_DOUBLE_INT, c::LONG_DOUBLE, c::INT),
    pair("MPI_2REAL", c::TWO_REAL, c::REAL, c::REAL),
    pair("MPI_2DOUBLE_PRECISION", c::TWO_DOUBLE_PRECISION, c::DOUBLE_PRECISION, c::DOUBLE_PRECISION),
    pair("MPI_2INTEGER", c::TWO_INTEGER, c::INTEGER, c::INTEGER),
    row("MPI_C_BOOL", c::C_BOOL, 1, Form::Scalars(1)),
    row("MPI_CXX_BOOL", c::CXX_BOOL, 1, Form::Scalars(1)),
    row("MPI_WCHAR", c::WCHAR, 4, Form::Wchar),
    row("MPI_INT8_T", c::INT8_T, 1, Form::Scalars(1)),
    row("MPI_UINT8_T", c::UINT8_T, 1, Form::Scalars(1)),
    row("MPI_CHAR", c::CHAR, 1, Form::Scalars(1)),
    row("MPI_SIGNED_CHAR", c::SIGNED_CHAR, 1, Form::Scalars(1)),
    row("MPI_UNSIGNED_CHAR", c::UNSIGNED_CHAR, 1, Form::Scalars(1)),
    row("MPI_BYTE", c::BYTE, 1, Form::Scalars(1)),
    row("MPI_INT16_T", c::INT16_T, 2, Form::Scalars(2)),
    row("MPI_UINT16_T", c::UINT16_T, 2, Form::Scalars(2)),
    row("MPIX_C_FLOAT16", c::FLOAT16, 2, Form::Scalars(2)),
    row("MPIX_BFLOAT16", c::BFLOAT16, 2, Form::Scalars(2)),
    row("MPI_INT32_T", c::INT32_T, 4, Form::Scalars(4)),
    row("MPI_UINT32_T", c::UINT32_T, 4, Form::Scalars(4)),
    row("MPI_INT64_T", c::INT64_T, 8, Form::Scalars(8)),
    row("MPI_UINT64_T", c::UINT64_T, 8, Form::Scalars(8)),
    row("MPI_LOGICAL1", c::LOGICAL1, 1, Form::Scalars(1)),
    row("MPI_INTEGER1", c::INTEGER1, 1, Form::Scalars(1)),
    row("MPI_LOGICAL2", c::LOGICAL2, 2, Form::Scalars(2)),
    row("MPI_INTEGER2", c::INTEGER2, 2, Form::Scalars(2)),
    row("MPI_REAL2", c::REAL2, 2, Form::Scalars(2)),
    row("MPI_LOGICAL4", c::LOGICAL4, 4, Form::Scalars(4)),
    row("MPI_INTEGER4", c::INTEGER4, 4, Form::Scalars(4)),
    row("MPI_REAL4", c::REAL4, 4, Form::Scalars(4)),
    row("MPI_COMPLEX4", c::COMPLEX4, 4, Form::Scalars(2)),
    row("MPI_LOGICAL8", c::LOGICAL8, 8, Form::Scalars(8)),
    row("MPI_INTEGER8", c::INTEGER8, 8, Form::Scalars(8)),
    row("MPI_REAL8", c::REAL8, 8, Form::Scalars(8)),
    row("MPI_COMPLEX8", c::COMPLEX8, 8, Form::Scalars(4)),
    row("MPI_LOGICAL16", c::LOGICAL16, 16, Form::Scalars(16)),
    row("MPI_INTEGER16", c::INTEGER16, 16, Form::Scalars(16)),
    row("MPI_REAL16", c::REAL16, 16, Form::Scalars(16)),
    row("MPI_COMPLEX16", c::COMPLEX16, 16, Form::Scalars(8)),
    row("MPI_COMPLEX32", c::COMPLEX32, 32, Form::Scalars(16)),
];

//! Element types.

use std::ffi::{c_char, c_int};

use anyccl_edge::check;

/// Type of one element: one of enum anyccl_datatype.
pub type anyccl_datatype_t = c_int;

/// Values of anyccl_datatype_t. They never change.
// Numbers from C are integers until checked, so Rust uses this only to compare it with the engine's.
#[allow(dead_code)]
#[repr(C)]
pub enum anyccl_datatype {
    /// int8_t
    ANYCCL_INT8 = 0,
    /// uint8_t
    ANYCCL_UINT8 = 1,
    /// int16_t
    ANYCCL_INT16 = 2,
    /// uint16_t
    ANYCCL_UINT16 = 3,
    /// int32_t
    ANYCCL_INT32 = 4,
    /// uint32_t
    ANYCCL_UINT32 = 5,
    /// int64_t
    ANYCCL_INT64 = 6,
    /// uint64_t
    ANYCCL_UINT64 = 7,
    /// IEEE 754 half precision, _Float16
    ANYCCL_FLOAT16 = 8,
    /// bfloat16: the upper half of a float
    ANYCCL_BFLOAT16 = 9,
    /// float
    ANYCCL_FLOAT32 = 10,
    /// double
    ANYCCL_FLOAT64 = 11,
    /// 8-bit float of OCP with 4 bits of exponent, 3 of mantissa and no infinity. Reductions compute in float
    /// and round once, at the end. A result beyond 448 is NaN.
    ANYCCL_FLOAT8_E4M3 = 12,
    /// 8-bit float of OCP with 5 bits of exponent and 2 of mantissa. Reductions compute in float and round
    /// once, at the end. A result beyond 57344 is infinite.
    ANYCCL_FLOAT8_E5M2 = 13,
    /// bool; any byte that is not 0 is true
    ANYCCL_BOOL = 14,
    /// float _Complex
    ANYCCL_COMPLEX64 = 15,
    /// double _Complex
    ANYCCL_COMPLEX128 = 16,
    /// Byte without a meaning; only bitwise operators accept it
    ANYCCL_BYTE = 17,
}

/// Gives the size of one element in bytes.
///
/// \param[in] datatype  Any number.
/// \returns 1 to 16; 0 when it is not a datatype.
///
/// Local. Replacement for MPI_Type_size.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_datatype_bytes(datatype: anyccl_datatype_t) -> usize {
    check::datatype(datatype).map_or(0, |datatype| datatype.bytes())
}

/// Gives the name of a datatype, such as "float32".
///
/// \param[in] datatype  Any number. One that is not a datatype is named "unknown".
/// \returns A string that is always valid and never NULL. Do not free it.
///
/// Local. Replacement for MPI_Type_get_name.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_datatype_name(datatype: anyccl_datatype_t) -> *const c_char {
    const NAMES: [&std::ffi::CStr; 18] = [
        c"int8",
        c"uint8",
        c"int16",
        c"uint16",
        c"int32",
        c"uint32",
        c"int64",
        c"uint64",
        c"float16",
        c"bfloat16",
        c"float32",
        c"float64",
        c"float8_e4m3",
        c"float8_e5m2",
        c"bool",
        c"complex64",
        c"complex128",
        c"byte",
    ];
    let name = usize::try_from(datatype).ok().and_then(|number| NAMES.get(number));
    name.unwrap_or(&c"unknown").as_ptr()
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use anyccl_engine::base::Datatype;

    use super::anyccl_datatype::*;
    use super::*;

    #[test]
    fn the_numbers_and_names_of_c_are_those_of_the_engine() {
        for datatype in Datatype::ALL {
            let number = match datatype {
                Datatype::Int8 => ANYCCL_INT8,
                Datatype::Uint8 => ANYCCL_UINT8,
                Datatype::Int16 => ANYCCL_INT16,
                Datatype::Uint16 => ANYCCL_UINT16,
                Datatype::Int32 => ANYCCL_INT32,
                Datatype::Uint32 => ANYCCL_UINT32,
                Datatype::Int64 => ANYCCL_INT64,
                Datatype::Uint64 => ANYCCL_UINT64,
                Datatype::Float16 => ANYCCL_FLOAT16,
                Datatype::Bfloat16 => ANYCCL_BFLOAT16,
                Datatype::Float32 => ANYCCL_FLOAT32,
                Datatype::Float64 => ANYCCL_FLOAT64,
                Datatype::Float8E4m3 => ANYCCL_FLOAT8_E4M3,
                Datatype::Float8E5m2 => ANYCCL_FLOAT8_E5M2,
                Datatype::Bool => ANYCCL_BOOL,
                Datatype::Complex64 => ANYCCL_COMPLEX64,
                Datatype::Complex128 => ANYCCL_COMPLEX128,
                Datatype::Byte => ANYCCL_BYTE,
            } as c_int;
            assert_eq!(number, datatype as c_int);
            assert_eq!(anyccl_datatype_bytes(number), datatype.bytes());
            // SAFETY: always a terminated text.
            let name = unsafe { CStr::from_ptr(anyccl_datatype_name(number)) };
            assert_eq!(name.to_str(), Ok(datatype.name()));
        }
    }

    #[test]
    fn what_is_no_datatype_has_no_bytes() {
        for number in [-1, 18, c_int::MIN, c_int::MAX] {
            assert_eq!(anyccl_datatype_bytes(number), 0);
            // SAFETY: always a terminated text.
            assert_eq!(unsafe { CStr::from_ptr(anyccl_datatype_name(number)) }, c"unknown");
        }
    }
}

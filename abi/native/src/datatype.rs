//! Element types.

use std::ffi::{c_char, c_int};

use anyccl_edge::check;

/// Type of one buffer element: one of enum anyccl_datatype.
pub type anyccl_datatype_t = c_int;

/// The values of anyccl_datatype_t. They never change.
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
    /// 8 bits: 4 of exponent, 3 of mantissa, no infinity (OCP E4M3). Reductions are done in float and rounded
    /// once, at their end; a result beyond 448 is NaN
    ANYCCL_FLOAT8_E4M3 = 12,
    /// 8 bits: 5 of exponent, 2 of mantissa (OCP E5M2). Reductions are done in float and rounded once, at
    /// their end; a result beyond 57344 is infinite
    ANYCCL_FLOAT8_E5M2 = 13,
    /// bool; any non-zero byte is true
    ANYCCL_BOOL = 14,
    /// float _Complex
    ANYCCL_COMPLEX64 = 15,
    /// double _Complex
    ANYCCL_COMPLEX128 = 16,
    /// A byte without a meaning: moved, and combined by the bitwise operators only
    ANYCCL_BYTE = 17,
}

/// Gives the bytes of one element.
///
/// \param datatype  [in] Any number.
/// \returns 1 to 16; 0 when it is no datatype.
///
/// Local. Any thread. Replacement for MPI_Type_size.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_datatype_bytes(datatype: anyccl_datatype_t) -> usize {
    check::datatype(datatype).map_or(0, |datatype| datatype.bytes())
}

/// Names a datatype as messages do: "float32".
///
/// \param datatype  [in] Any number; one that is no datatype is named "unknown".
/// \returns A text that is always valid and never NULL. Not to be freed.
///
/// Local. Any thread. Replacement for MPI_Type_get_name.
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

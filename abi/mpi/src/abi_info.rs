//! Functions that read and set facts about the ABI, Fortran's types and the hardware.
//!
//! The ABI chapter of MPI 5.0 defines these functions, except `MPI_Get_hw_resource_info`.
//!
//! The facts about Fortran are fixed: its default types have the sizes that all usual compilers give them. A
//! library of Fortran bindings may set the same sizes and truth values. Other ones are refused, because
//! datatypes and operators are built on the fixed ones.

use std::ffi::c_void;

use crate::arguments::{InfoHandle, Output};
use crate::error::{Class, Error, Result};
use crate::info::Pairs;

/// Sizes of Fortran's default types.
const SIZES: [(&str, &str); 4] = [
    ("mpi_logical_size", "4"),
    ("mpi_integer_size", "4"),
    ("mpi_real_size", "4"),
    ("mpi_double_precision_size", "8"),
];

/// Fortran types that have datatypes.
const SUPPORTED: [&str; 19] = [
    "logical1",
    "logical2",
    "logical4",
    "logical8",
    "logical16",
    "integer1",
    "integer2",
    "integer4",
    "integer8",
    "integer16",
    "real2",
    "real4",
    "real8",
    "real16",
    "complex4",
    "complex8",
    "complex16",
    "complex32",
    "double_complex",
];

/// Makes an info of these pairs.
fn give(pairs: &[(String, String)], info: &Output<InfoHandle>) -> Result<()> {
    let mut all = Pairs::default();
    pairs.iter().try_for_each(|(key, value)| all.set(key, value))?;
    info.set(all.handle());
    Ok(())
}

/// `MPI_Abi_get_info`.
pub unsafe fn get_info(info: Output<InfoHandle>) -> Result<()> {
    let sizes = ["mpi_aint_size", "mpi_count_size", "mpi_offset_size"];
    give(&sizes.map(|key| (key.into(), "8".into())), &info)
}

/// The known facts about Fortran.
fn fortran() -> Vec<(String, String)> {
    let sizes = SIZES.iter().map(|(key, value)| ((*key).into(), (*value).into()));
    let supported = SUPPORTED.iter().map(|name| (format!("mpi_{name}_supported"), "true".into()));
    sizes.chain(supported).collect()
}

/// `MPI_Abi_get_fortran_info`.
pub unsafe fn get_fortran_info(info: Output<InfoHandle>) -> Result<()> {
    give(&fortran(), &info)
}

/// `MPI_Abi_set_fortran_info`. Refuses a value that differs from a known fact, and ignores unknown keys.
pub unsafe fn set_fortran_info(info: InfoHandle) -> Result<()> {
    let given = Pairs::of_handle(info)?;
    for (key, value) in fortran() {
        if let Some(other) = given.get(&key).filter(|given| *given != value) {
            let text = format!("{key} is {other}; this library is built for {value}");
            return Err(Error::new(Class::ABI, text));
        }
    }
    Ok(())
}

fn check_size(logical_size: i32) -> Result<usize> {
    match logical_size {
        1 | 2 | 4 | 8 | 16 => Ok(logical_size as usize),
        other => Err(Error::new(Class::ARG, format!("a LOGICAL of {other} bytes"))),
    }
}

/// The bytes of a logical of this size, in the order of this machine.
fn logical(value: u8, size: usize) -> Vec<u8> {
    let mut bytes = u128::from(value).to_ne_bytes().to_vec();
    if cfg!(target_endian = "big") {
        bytes.reverse();
        bytes.truncate(size);
        bytes.reverse();
    } else {
        bytes.truncate(size);
    }
    bytes
}

/// `MPI_Abi_get_fortran_booleans`.
pub unsafe fn get_fortran_booleans(
    logical_size: i32,
    logical_true: *mut c_void,
    logical_false: *mut c_void,
    is_set: Output<i32>,
) -> Result<()> {
    let size = check_size(logical_size)?;
    for (place, value) in [(logical_true, 1), (logical_false, 0)] {
        if place.is_null() {
            return Err(Error::new(Class::ARG, "a place for a logical is NULL"));
        }
        let bytes = logical(value, size);
        // SAFETY: the program passes places of as many bytes as it says.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), place.cast(), size) };
    }
    is_set.set(1);
    Ok(())
}

/// `MPI_Abi_set_fortran_booleans`. Refuses values that differ from 1 and 0.
pub unsafe fn set_fortran_booleans(
    logical_size: i32,
    logical_true: *mut c_void,
    logical_false: *mut c_void,
) -> Result<()> {
    let size = check_size(logical_size)?;
    for (place, value) in [(logical_true, 1), (logical_false, 0)] {
        if place.is_null() {
            return Err(Error::new(Class::ARG, "a logical is NULL"));
        }
        // SAFETY: the program passes logicals of as many bytes as it says.
        let given = unsafe { std::slice::from_raw_parts(place.cast::<u8>(), size) };
        if given != logical(value, size) {
            let text = "Fortran's .TRUE. is 1 and .FALSE. is 0 in this library";
            return Err(Error::new(Class::ABI, text));
        }
    }
    Ok(())
}

/// `MPI_Get_hw_resource_info`. Gives an info without keys: this library does not name parts of a host.
pub unsafe fn get_hw_resource_info(info: Output<InfoHandle>) -> Result<()> {
    give(&[], &info)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_sizes_of_fortran_types_are_refused() {
        let given = |value: &str| {
            let mut pairs = Pairs::default();
            pairs.set("mpi_integer_size", value).unwrap();
            pairs.handle()
        };
        // SAFETY: a handle.
        unsafe { set_fortran_info(given("4")) }.unwrap();
        // SAFETY: a handle.
        let refused = unsafe { set_fortran_info(given("8")) };
        assert_eq!(refused.unwrap_err().class, Class::ABI);
    }

    #[test]
    fn logicals_have_their_size() {
        assert_eq!(logical(1, 1), [1]);
        assert_eq!(logical(1, 4), 1u32.to_ne_bytes());
        assert_eq!(logical(0, 16), [0; 16]);
    }
}

//! The version of the library.

use std::ffi::{c_char, c_int};

/// Gives the version of the library in use, such as "0.1.0". The library may be newer than the header.
///
/// \returns A string that is always valid and never NULL. Do not free it.
///
/// Local.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_version_string() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Gives the version of the library in use as one number: 10000 * major + 100 * minor + patch.
///
/// \returns The number. ANYCCL_VERSION is the one of the header.
///
/// Local. Replacement for ncclGetVersion and MPI_Get_library_version.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_version() -> c_int {
    const fn number(text: &str) -> c_int {
        match c_int::from_str_radix(text, 10) {
            Ok(number) => number,
            Err(_) => panic!("a version in Cargo.toml is three numbers"),
        }
    }
    const VERSION: c_int = 10_000 * number(env!("CARGO_PKG_VERSION_MAJOR"))
        + 100 * number(env!("CARGO_PKG_VERSION_MINOR"))
        + number(env!("CARGO_PKG_VERSION_PATCH"));
    VERSION
}

//! Functions of the program, each with the way in which its ABI calls it.

mod attribute;
mod error;
mod generalized;
mod reduce;

use std::ffi::c_int;

pub use attribute::*;
pub use error::*;
pub use generalized::*;
pub use reduce::*;

use super::{Element, ErrorCode};
use crate::abi::Abi;
use crate::error::{Class, Error, Result};

/// Address of a function of the program, 0 for none.
type Address = usize;

/// Result of a callback: a nonzero error code becomes an error.
pub(crate) fn outcome<A: Abi>(code: c_int, what: &str) -> Result<()> {
    match <ErrorCode as Element<A>>::value(code) {
        0 => Ok(()),
        code => Err(Error::new(Class(code), format!("the program's {what} has returned error code {code}"))),
    }
}

//! What a kind of argument or result is.

use crate::abi::Abi;
use crate::error::{Class, Error, Result};

/// A kind of argument.
pub trait Kind<A: Abi> {
    /// Its type in C.
    type C: Copy;
    /// The value that functions of this crate get.
    type Value;

    /// Translates an argument; `name` is its name in MPI.
    ///
    /// # Safety
    /// A pointer is NULL, or valid as MPI requires for this argument. It stays valid until the function
    /// returns, or, if a request uses it, until that is complete.
    unsafe fn value(raw: Self::C, name: &'static str) -> Result<Self::Value>;
}

/// A kind of value that a function returns itself, instead of an error code.
pub trait Returned<A: Abi> {
    /// Its type in C.
    type C;
    /// The value that the function of this crate returns.
    type Value;

    /// Translates the result.
    fn raw(value: Self::Value) -> Self::C;
}

#[cold]
pub(in crate::arguments) fn null(name: &'static str) -> Error {
    Error::new(Class::ARG, format!("{name} is NULL"))
}

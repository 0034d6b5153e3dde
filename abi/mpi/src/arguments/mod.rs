//! Arguments of MPI functions. A kind of argument has a type in C, and a value for the functions of this
//! crate.
//!
//! The tables in [`crate::functions`] name a kind for each argument. The door's [`Abi`] gives the C type, and
//! [`Kind::value`] translates. It also checks pointers that must not be NULL, so the functions of this crate
//! never see such a NULL.
//!
//! An [`Element`] can be passed alone, behind a pointer, or in an array. [`Out`], [`InOut`], [`Array`],
//! [`OutArray`] and [`InOutArray`] are kinds made of elements.

mod callbacks;
mod element;
mod handles;
mod numbers;
mod places;
mod plain;
mod statuses;
mod text;

pub use callbacks::*;
pub use element::{Array, Element, InOut, InOutArray, Out, OutArray};
pub use handles::*;
pub use numbers::*;
pub use places::{InputOutput, InputOutputs, Inputs, Output, Outputs};
pub use plain::*;
pub use statuses::*;
pub use text::*;

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
fn null(name: &'static str) -> Error {
    Error::new(Class::ARG, format!("{name} is NULL"))
}

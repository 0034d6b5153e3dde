//! Arguments of MPI functions: each kind says what it is in C, and what the functions of this crate get.
//!
//! The tables in [`crate::functions`] name a kind for each argument. The door's [`Abi`] gives the C type, and
//! [`Kind::value`] translates. A pointer that must not be NULL is checked there, so the functions of this
//! crate never see one.
//!
//! An [`Element`] is what stands alone, behind a pointer, or in an array: [`Out`], [`InOut`], [`Array`],
//! [`OutArray`] and [`InOutArray`] are the kinds made of it.

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
    /// What functions get.
    type Value;

    /// Translates an argument; `name` is what MPI calls it.
    ///
    /// # Safety
    /// A pointer is NULL, or valid as MPI asks for in this argument, until the function returns, or, for what
    /// a request uses, until that is complete.
    unsafe fn value(raw: Self::C, name: &'static str) -> Result<Self::Value>;
}

/// A kind of value that a function returns itself, instead of an error code.
pub trait Returned<A: Abi> {
    /// Its type in C.
    type C;
    /// What the function of this crate gives.
    type Value;

    /// Translates.
    fn raw(value: Self::Value) -> Self::C;
}

#[cold]
fn null(name: &'static str) -> Error {
    Error::new(Class::ARG, format!("{name} is NULL"))
}

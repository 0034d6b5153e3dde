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
mod kind;
mod numbers;
mod places;
mod plain;
mod statuses;
mod text;
mod tool_handle;

pub use callbacks::*;
pub use element::{Array, Element, InOut, InOutArray, InOutOrNull, Out, OutArray, OutOrNull};
pub use handles::*;
pub use kind::{Kind, Returned};
pub use numbers::*;
pub use places::{InputOutput, InputOutputs, Inputs, Output, Outputs};
pub use plain::*;
pub use statuses::*;
pub use text::*;
pub use tool_handle::ToolHandle;

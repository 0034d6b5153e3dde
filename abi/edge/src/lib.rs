//! The edge between C and the engine. Each *door*, a C library that this project makes, depends on this
//! crate, which depends on none of them.
//!
//! - [`guard()`] runs the body of one C call: nothing unwinds into C, and every failure leaves a sentence.
//! - [`last_error`] keeps that sentence, one per thread.
//! - [`Handles`] is the table behind C's handles. A handle is a number that is looked up, never an address
//!   that is followed.
//! - [`Operators`] is the table of operators that the program makes, which C names by small numbers.
//! - [`Out`] is a checked pointer to a result. [`Pinned`] keeps an object while a call uses it.
//! - [`PerProcess`] is state that a child of fork begins anew.
//! - [`fork`] counts forks, so that a child cannot use what belongs to its parent.
//! - [`check`] turns integers and pointers from C into the engine's types, or says what was wrong.
//! - [`blocks`] reads arrays of counts and displacements.
//! - [`buffers`] knows how many bytes a call touches and which overlaps are allowed.
//!
//! This crate exports no C symbol: a `#[no_mangle]` here would appear in every door that links this crate.

pub mod blocks;
pub mod buffers;
pub mod check;
mod guard;
mod handle_table;
mod handles;
pub mod last_error;
mod operators;
mod out;
mod slot;
mod sync;

pub use anyccl_engine::sys::fork;
pub use anyccl_engine::sys::per_process::PerProcess;
pub use guard::{guard, guard_boxed};
pub use handle_table::{HandleTable, ObjectRef};
pub use handles::Handles;
pub use operators::{FIRST_OPERATOR, Operators, Resolved};
pub use out::Out;
pub use slot::Pinned;

//! Engines whose C functions have NCCL's shape: NCCL itself, and oneCCL.
//!
//! Their names differ by a prefix; their datatypes and operators have the same numbers. The other differences
//! are few enough to be data, a [`Dialect`]: the length of a unique id, the meaning of results, the layout of
//! the configuration. So both share one communicator, over a table of functions that is filled by name.
//!
//! - [`functions`] is the table of functions, some of which may be missing.
//! - [`dialect`] has what the libraries spell differently; [`config`] is their configuration struct;
//!   [`outcome`] their results.
//! - [`elements`] translates our datatypes and operators to their numbers.
//! - [`engine`] is the opened library, what it can do, and how it makes a communicator.
//! - [`communicator`] makes the calls. [`turns`] runs them one after the other, started ones in a thread of
//!   its own.
//! - [`stream`] is the order of calls on a device; host memory has none.
//!
//! A call on host memory has ended when the library returns. A call on a device is ordered on a stream, and
//! waited for there.

pub mod communicator;
pub mod config;
mod connect;
pub mod dialect;
pub mod elements;
pub mod engine;
pub mod features;
pub mod functions;
pub mod outcome;
pub mod stream;
pub mod turns;

#[cfg(test)]
mod tests;

pub use dialect::Dialect;
pub use engine::Engine;
pub use functions::Functions;

//! Engines whose C functions have NCCL's shape: NCCL itself, and oneCCL.
//!
//! Their names differ by a prefix, their datatypes and operators have the same numbers. What else differs is
//! small enough to be data, a [`Dialect`]: how long a unique id is, what the results mean, what stands in the
//! configuration. So there is one communicator for both, over a table of functions that was filled by name.
//!
//! - [`functions`]: the table, and which functions may be missing.
//! - [`dialect`]: what the libraries spell differently; [`config`]: their configuration struct; [`outcome`]:
//!   their results.
//! - [`elements`]: our datatypes and operators in their numbers.
//! - [`engine`]: the opened library, what it can do, and how a communicator is made of it.
//! - [`communicator`]: its calls; [`turns`] makes them one after the other, and in the background where
//!   asked.
//! - [`stream`]: where calls are ordered, which for host memory is nowhere.
//!
//! A call on host memory has ended when the library returns. One on a device is ordered on a stream, and
//! waited for there.

pub mod communicator;
pub mod config;
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

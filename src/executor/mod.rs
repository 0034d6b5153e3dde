//! The executor: runs compiled plans, for every algorithm and every transport.
//!
//! - [`Program`] is a plan compiled for execution (`steps`, `program`, `compile`); `hazards` finds the sends
//!   that a receive must not overtake.
//! - [`Prepared`] is a call that lacks only its buffers (`prepared`).
//! - `execution` runs one program, a part at each visit, on its `buffers` and its `scratch`.
//! - `fast_path` runs a small program from top to bottom, without that bookkeeping (`fast_program`,
//!   `fast_compile`).
//! - `copy_progress` holds up a call whose buffers are copied while it runs, in `pieces`.
//! - `widened` runs a call on 8-bit floats in float32.
//!
//! The executor knows neither communicators nor failures, and never waits longer than a moment. It is given
//! endpoints ([`crate::endpoint`]) and reports how far it came. `progress` decides when it runs again.

mod buffers;
mod compile;
mod copy_progress;
mod execution;
mod fast_compile;
pub(crate) mod fast_path;
mod fast_program;
mod hazards;
mod pieces;
mod prepared;
mod program;
mod scratch;
mod steps;
mod widened;

pub use buffers::Buffers;
pub use copy_progress::StagedBuffers;
pub use pieces::Piece;
pub use prepared::{Division, Extent, Key, PreExchange, Prepared};
pub use program::Program;
pub use widened::{Stretch, Widened};

pub(crate) use buffers::{Memory, placed};
pub(crate) use execution::{Execution, LinkFailure, Visit};
pub(crate) use prepared::RecentCalls;
#[cfg(test)]
pub(crate) use prepared::fingerprint;
pub(crate) use widened::Copies;

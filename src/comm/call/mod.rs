//! Calls before a communicator makes them: their data, their checks, and the plans that serve them.
//!
//! - [`operation`] is a call with its buffers, [`unequal`] a call whose blocks differ in length, [`list`] one
//!   on a list of buffers. [`spec`] is a call of any kind, and [`operator`] a reduction operator that the
//!   program has made.
//! - [`placement`] says where unequal blocks lie in memory, and refuses overlaps.
//! - [`plan_cache`] finds or builds the compiled plan of a call. [`layout_cache`] keeps those of recent
//!   unequal calls.
//! - [`length_exchange`] prepares calls whose ranks first tell each other the lengths of their blocks.
//!
//! Nothing here knows a communicator.

mod layout_cache;
mod length_exchange;
pub(super) mod list;
pub(super) mod operation;
pub(super) mod operator;
pub(super) mod placement;
pub(super) mod plan_cache;
mod prediction;
pub(super) mod spec;
pub(super) mod unequal;

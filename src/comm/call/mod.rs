//! Calls before a communicator makes them: their data, their checks, and the plans that serve them.
//!
//! - [`operation`] is a call with its buffers, [`unequal`] one whose blocks differ in length; [`operator`] is
//!   a reduction that the program has made.
//! - [`placement`] says where unequal blocks lie in memory, and refuses what overlaps.
//! - [`plan_cache`] finds or builds the compiled plan of a call, [`layout_cache`] those of the latest unequal
//!   ones.
//! - [`length_exchange`] prepares calls whose ranks first tell each other how long their blocks are.
//!
//! Nothing here knows a communicator.

mod layout_cache;
mod length_exchange;
pub(super) mod operation;
pub(super) mod operator;
pub(super) mod placement;
pub(super) mod plan_cache;
pub(super) mod unequal;

//! The staged path: buffers of a device have copies in pinned memory, and the call runs on the copies.
//!
//! - [`StagedCall`] is such a call in its stream (`call`).
//! - [`ranges`] lays out the copies in a block of pinned memory.
//! - `bounced` has the copies of a call that has found no block.
//! - [`in_pieces`] makes the copies of a long call overlap with the call.

mod bounced;
mod call;
mod in_pieces;
pub(super) mod ranges;

pub(super) use bounced::Step;
pub(super) use call::StagedCall;
pub(super) use in_pieces::in_pieces;

//! Parts of hierarchical algorithms, which are made of other algorithms within hosts and between them.
//!
//! - [`hosts`] groups the ranks by host and decides which rank carries what across the wire.
//! - [`compose`] glues plans of groups of ranks into one plan.
//! - [`between_hosts`] chooses the algorithm of the carriers.
//! - [`length_exchange`] lets the ranks of a host exchange lengths first, if blocks are unequal; [`parcels`]
//!   decides which of these blocks travel together.

pub(super) mod between_hosts;
pub(super) mod compose;
pub(super) mod hosts;
pub(super) mod length_exchange;
pub(super) mod parcels;

//! Parts of hierarchical algorithms, which are made of other algorithms within hosts and between them.
//!
//! - [`hosts`] sorts the ranks by host and says who carries what across the wire.
//! - [`compose`] glues plans of groups of ranks into one plan.
//! - [`between_hosts`] picks the algorithm of the carriers.
//! - [`length_exchange`] is what the ranks of a host tell each other first, where blocks are unequal;
//!   [`parcels`] decides which of these blocks travel together.

pub(super) mod between_hosts;
pub(super) mod compose;
pub(super) mod hosts;
pub(super) mod length_exchange;
pub(super) mod parcels;

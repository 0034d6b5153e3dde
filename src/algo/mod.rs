//! The algorithms: pure functions that make plans. Each has one file and one row in [`ALGORITHMS`] (`table`).
//!
//! Every algorithm serves every count, every number of ranks and every root, and some ranks may be in place
//! while others are not; `tests` proves it with the verifier. Each collective has a folder. Two more folders
//! have shared parts: `patterns` the phases of flat algorithms, `hierarchy` the parts of algorithms for
//! several hosts.

mod algorithm;
mod all_gather;
mod all_reduce;
mod all_to_all;
mod barrier;
mod broadcast;
mod fixed;
mod gather;
mod hierarchy;
mod narrow;
mod neighbor;
mod ordered;
mod patterns;
mod reduce;
mod reduce_scatter;
mod scan;
mod scatter;
mod table;
#[cfg(test)]
mod tests;

pub use algorithm::{Algorithm, Cost};
pub use fixed::{FIXED, fixed, fixed_in_order};
pub use hierarchy::length_exchange::LengthExchange;
pub use hierarchy::parcels::ParcelDigests;
pub use narrow::{NARROW, narrow};
pub use ordered::{ORDERED, ordered};
pub use table::{ALGORITHMS, find, of};

use crate::plan::{Plan, PlanRequest};

/// The plan of a neighbour exchange that carries a [`LengthExchange`] out.
pub fn length_exchange_plan(request: &PlanRequest) -> Plan {
    neighbor::direct::build(request)
}

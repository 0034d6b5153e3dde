//! The algorithms: pure functions that make plans. One file each, one row each in [`ALGORITHMS`] (`table`).
//!
//! Every algorithm serves every count, every number of ranks, every root, and ranks in place beside ranks
//! that are not; `tests` proves it with the verifier. Each collective has a folder. What several of them
//! share is in two more: `patterns` has the phases that flat algorithms are made of, `hierarchy` what makes
//! one of several hosts.

mod algorithm;
mod all_gather;
mod all_reduce;
mod all_to_all;
mod barrier;
mod broadcast;
mod gather;
mod hierarchy;
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
pub use hierarchy::length_exchange::LengthExchange;
pub use hierarchy::parcels::ParcelDigests;
pub use ordered::{ORDERED, ordered};
pub use table::{ALGORITHMS, find, of};

use crate::plan::{Plan, PlanRequest};

/// The plan of a neighbour exchange that carries a [`LengthExchange`] out.
pub fn length_exchange_plan(request: &PlanRequest) -> Plan {
    neighbor::direct::build(request)
}

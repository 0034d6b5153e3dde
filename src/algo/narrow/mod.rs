//! Sums that travel between hosts in a narrow form ([`crate::base::WireFormat`]).
//!
//! Each form rounds, so a number takes as few of them as there can be. Contributions are reduced within each
//! host at full width. Between hosts, each carrier sends its part to the owner of the result, in one step and
//! narrow. The owner adds all parts in float32. A contribution is therefore rounded once at most. In
//! reduce_scatter, that is all. In all_reduce, the result is rounded once more, because it travels as well.
//! The owner takes the rounded result, too, so all ranks have the same bits.
//!
//! Messages within a host, and the numbers of the caller, have full width. The tests prove every row with the
//! verifier, and that no number is rounded more often.

mod exchange;
mod table;
#[cfg(test)]
mod tests;

pub use table::{NARROW, narrow};

use super::all_reduce::hierarchical as all_reduce_by_host;
use super::hierarchy::between_hosts::Candidate;
use super::reduce::one_shot;
use super::reduce_scatter::hierarchical as reduce_scatter_by_host;
use crate::cost::Paths;
use crate::plan::{Plan, PlanRequest};

/// The phases of all_reduce with the format of this number.
struct Form<const NUMBER: u8>;

impl<const NUMBER: u8> Form<NUMBER> {
    const BETWEEN: [Candidate; 1] =
        [Candidate { build: exchange::all_reduce::<NUMBER>, cost: exchange::all_reduce_cost::<NUMBER> }];

    /// Contributions are reduced within a host in any order. Conversions overlap with other chunks.
    const PARTS: all_reduce_by_host::Parts =
        all_reduce_by_host::Parts { within: one_shot::build, between: &Self::BETWEEN, converts: true };
}

fn all_reduce<const NUMBER: u8>(request: &PlanRequest) -> Plan {
    all_reduce_by_host::build_of(request, &Form::<NUMBER>::PARTS)
}

fn all_reduce_cost<const NUMBER: u8>(request: &PlanRequest, paths: &Paths) -> f64 {
    all_reduce_by_host::cost_of(request, paths, &Form::<NUMBER>::PARTS)
}

fn reduce_scatter<const NUMBER: u8>(request: &PlanRequest) -> Plan {
    reduce_scatter_by_host::build_of(request, one_shot::build, exchange::reduce::<NUMBER>)
}

fn reduce_scatter_cost<const NUMBER: u8>(request: &PlanRequest, paths: &Paths) -> f64 {
    reduce_scatter_by_host::cost_of(request, paths, exchange::narrow_bytes::<NUMBER>)
}

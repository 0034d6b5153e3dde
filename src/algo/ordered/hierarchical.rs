//! Ordered reductions by host, where each host holds consecutive ranks. The result of a host keeps the order
//! of its ranks, and is an operand in the order of the hosts.
//!
//! These are the hierarchical algorithms for commutative operators with other parts: every reduction, within
//! hosts and between them, is an ordered one. Each local rank carries a slice, and each byte crosses a wire
//! as often as if each host were a single rank.
//!
//! Cost: that of the algorithms on which they are based ([`super::super::all_reduce::hierarchical`] and its
//! siblings).

use super::super::{
    all_reduce as any_all_reduce, reduce as any_reduce, reduce_scatter as any_reduce_scatter,
};
use super::{all_reduce, reduce};
use crate::algo::hierarchy::between_hosts::Candidate;
use crate::algo::hierarchy::hosts::Hosts;
use crate::cost::Paths;
use crate::plan::{Plan, PlanRequest};

/// all_reduce of a slice.
const ALL_REDUCE: any_all_reduce::hierarchical::Parts = any_all_reduce::hierarchical::Parts {
    within: reduce::one_shot,
    between: &[
        Candidate { build: all_reduce::one_shot, cost: all_reduce::one_shot_cost },
        Candidate { build: all_reduce::two_shot, cost: all_reduce::two_shot_cost },
    ],
    converts: false,
};

/// reduce of a slice.
const REDUCE: any_reduce::hierarchical::Parts = any_reduce::hierarchical::Parts {
    within: reduce::one_shot,
    between: &[
        Candidate { build: reduce::one_shot, cost: reduce::one_shot_cost },
        Candidate { build: reduce::two_shot, cost: reduce::two_shot_cost },
    ],
};

/// Whether each host holds consecutive ranks, so that the hosts have an order.
pub(super) fn is_in_runs(request: &PlanRequest) -> bool {
    let hosts = Hosts::of(request);
    (0..hosts.count()).all(|host| hosts.consecutive(host).is_some())
}

pub(super) fn all_reduce(request: &PlanRequest) -> Plan {
    any_all_reduce::hierarchical::build_of(request, &ALL_REDUCE)
}

pub(super) fn all_reduce_cost(request: &PlanRequest, paths: &Paths) -> f64 {
    any_all_reduce::hierarchical::cost_of(request, paths, &ALL_REDUCE)
}

pub(super) fn reduce(request: &PlanRequest) -> Plan {
    // Members are in rank order: the root does not lead its host.
    any_reduce::hierarchical::build_of(request, &Hosts::of(request), &REDUCE)
}

pub(super) fn reduce_cost(request: &PlanRequest, paths: &Paths) -> f64 {
    any_reduce::hierarchical::cost_of(request, &Hosts::of(request), paths, &REDUCE)
}

pub(super) fn reduce_scatter(request: &PlanRequest) -> Plan {
    any_reduce_scatter::hierarchical::build_of(request, reduce::one_shot, reduce::one_shot)
}

pub(super) fn reduce_scatter_cost(request: &PlanRequest, paths: &Paths) -> f64 {
    any_reduce_scatter::hierarchical::cost(request, paths)
}

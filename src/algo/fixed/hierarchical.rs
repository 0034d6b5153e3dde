//! Reductions by host that build the fixed tree: each host holds as many consecutive ranks, a power of two.
//! Then the fixed tree of all ranks is that of the hosts over those of their ranks.
//!
//! These are the hierarchical algorithms for any order, with those parts that build the fixed tree. Cost:
//! that of the algorithms on which they are based.

use super::super::{all_reduce, ordered, reduce, reduce_scatter};
use super::binomial;
use crate::algo::hierarchy::between_hosts::Candidate;
use crate::algo::hierarchy::hosts::Hosts;
use crate::cost::Paths;
use crate::plan::{Plan, PlanRequest};

/// all_reduce of a slice.
const ALL_REDUCE: all_reduce::hierarchical::Parts = all_reduce::hierarchical::Parts {
    within: reduce::one_shot::build,
    between: &[
        Candidate { build: all_reduce::one_shot::build, cost: all_reduce::one_shot::cost },
        Candidate { build: all_reduce::two_shot::build, cost: all_reduce::two_shot::cost },
        Candidate {
            build: all_reduce::recursive_doubling::build,
            cost: all_reduce::recursive_doubling::cost,
        },
        Candidate { build: all_reduce::rabenseifner::build, cost: all_reduce::rabenseifner::cost },
    ],
    converts: false,
};

/// reduce of a slice.
const REDUCE: reduce::hierarchical::Parts = reduce::hierarchical::Parts {
    within: reduce::one_shot::build,
    between: &[
        Candidate { build: reduce::one_shot::build, cost: reduce::one_shot::cost },
        Candidate { build: binomial::build, cost: reduce::binomial::cost },
        Candidate { build: ordered::reduce::two_shot, cost: ordered::reduce::two_shot_cost },
    ],
};

/// Whether each host holds a subtree of the fixed tree, all of one shape.
pub(super) fn is_aligned(request: &PlanRequest) -> bool {
    let hosts = Hosts::of(request);
    let ranks = hosts.most();
    ranks.is_power_of_two()
        && hosts.fewest() == ranks
        && (0..hosts.count()).all(|host| hosts.consecutive(host).is_some())
}

pub(super) fn all_reduce(request: &PlanRequest) -> Plan {
    all_reduce::hierarchical::build_of(request, &ALL_REDUCE)
}

pub(super) fn all_reduce_cost(request: &PlanRequest, paths: &Paths) -> f64 {
    all_reduce::hierarchical::cost_of(request, paths, &ALL_REDUCE)
}

pub(super) fn reduce(request: &PlanRequest) -> Plan {
    // Members are in rank order: the root does not lead its host.
    reduce::hierarchical::build_of(request, &Hosts::of(request), &REDUCE)
}

pub(super) fn reduce_cost(request: &PlanRequest, paths: &Paths) -> f64 {
    reduce::hierarchical::cost_of(request, &Hosts::of(request), paths, &REDUCE)
}

pub(super) fn reduce_scatter(request: &PlanRequest) -> Plan {
    reduce_scatter::hierarchical::build(request)
}

pub(super) fn reduce_scatter_cost(request: &PlanRequest, paths: &Paths) -> f64 {
    reduce_scatter::hierarchical::cost(request, paths)
}

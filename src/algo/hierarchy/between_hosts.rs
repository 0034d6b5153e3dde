//! The algorithm that carriers use between hosts: the cheapest of some candidates on the wire.
//!
//! All columns cross the wire at once and share it. So together they cost as much as one call with all their
//! elements. The choice is part of the plan, so it is made with the default figures of TCP: these are equal
//! on all ranks.

use super::hosts::Hosts;
use crate::cost::LinkModel;
use crate::plan::{Plan, PlanRequest};

/// An algorithm whose plan is one lane, with the same rounds for the same group rank.
pub(in crate::algo) struct Candidate {
    /// Makes the plan of one carrier, like [`super::super::Algorithm::build`].
    pub(in crate::algo) build: fn(&PlanRequest) -> Plan,
    /// Predicted microseconds.
    pub(in crate::algo) cost: fn(&PlanRequest, &LinkModel) -> f64,
}

/// The candidate to use for the columns of `whole`.
pub(in crate::algo) fn cheapest<'c>(
    candidates: &'c [Candidate],
    whole: &PlanRequest,
    hosts: &Hosts,
) -> &'c Candidate {
    let cost = |candidate: &&Candidate| candidate.price(whole, hosts, &LinkModel::TCP);
    // The first of equals wins.
    candidates.iter().min_by(|a, b| cost(a).total_cmp(&cost(b))).expect("there are candidates")
}

/// Upper limit of the rounds of every candidate for this number of hosts: a ring has 2 (h-1), halving and
/// doubling with folding 2 log2(h) + 2.
pub(in crate::algo) fn most_rounds(hosts: &Hosts) -> usize {
    2 * hosts.count()
}

impl Candidate {
    /// Predicted microseconds for all columns of `whole`.
    pub(in crate::algo) fn price(&self, whole: &PlanRequest, hosts: &Hosts, remote: &LinkModel) -> f64 {
        (self.cost)(&PlanRequest { size: hosts.count() as u32, rank: 0, root: 0, ..*whole }, remote)
    }
}

//! Proof that a reduction keeps the order of the ranks, for operators that do not commute.
//!
//! On a third kind of symbolic value: the run of ranks whose contributions it combines, from left to right. Two runs
//! combine if the right one begins where the left one ends; everything else is out of order, and stays so. Brackets do not
//! count: operators are associative.

use super::algebra::Algebra;
use super::layout::Layout;
use super::machine::Machine;
use super::matching::Messages;
use super::{Exact, Violation};
use crate::base::Rank;
use crate::plan::{Plan, PlanRequest};

/// The contributions of ranks `first` to `last` to one element, combined from left to right; `None`: of some ranks in
/// some other order.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Run(Option<(Rank, Rank)>);

impl Algebra for Run {
    fn contribution(rank: Rank, _element: usize) -> Run {
        Run(Some((rank, rank)))
    }

    fn reduce(&self, other: &Run) -> Run {
        Run(match (self.0, other.0) {
            (Some((first, middle)), Some((next, last))) if middle + 1 == next => Some((first, last)),
            _ => None,
        })
    }
}

/// Proves that every result of plans that [`super::verify`] has accepted is `0 op 1 op 2 ...`.
///
/// # Panics
/// Where `verify` would not accept the plans.
pub fn verify_order(plans: &[Plan], in_place: &[bool], request: &PlanRequest) -> Result<(), Violation> {
    let layouts: Vec<Layout> = (0..)
        .zip(plans)
        .zip(in_place)
        .map(|((rank, plan), &in_place)| Layout::new(request, rank, in_place, plan.scratch))
        .collect();
    let messages = Messages::match_up(plans).expect("they have been verified");
    let outputs = Machine::<Run>::run(plans, &layouts, &messages, request).expect("they have been verified");
    let whole = Some(Run(Some((0, request.size - 1))));
    for (rank, output) in (0..).zip(&outputs) {
        if let Some(element) = output.iter().position(|found| *found != whole) {
            let exact = Machine::<Exact>::run(plans, &layouts, &messages, request).expect("it ran before");
            let found = exact[rank as usize][element].as_ref().map_or(String::new(), Exact::to_string);
            return Err(Violation::OutOfOrder { rank, element, found });
        }
    }
    Ok(())
}

//! Proof that a scan combines contributions in the order of the ranks, as operators that do not commute need it.
//!
//! On a third kind of symbolic value: the run of ranks whose contributions it combines, from left to right. Two runs
//! combine if the right one begins where the left one ends; everything else is out of order, and stays so. Brackets do
//! not count: operators are associative.

use super::layout::Layout;
use super::machine::Machine;
use super::matching::Messages;
use super::{Algebra, Exact, Violation};
use crate::base::{Collective, Rank};
use crate::plan::{Plan, PlanRequest};

/// First and last rank; `None`: some ranks in some other order.
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

/// Every result of plans that compute a scan is `0 op 1 op 2 ...` up to its rank, or the one before.
pub(super) fn check(
    plans: &[Plan],
    layouts: &[Layout],
    messages: &Messages,
    request: &PlanRequest,
) -> Result<(), Violation> {
    let outputs = Machine::<Run>::run(plans, layouts, messages, request)?;
    let left_out = Rank::from(request.collective == Collective::Exscan);
    for (rank, output) in (0..).zip(&outputs) {
        // Rank 0 of an exclusive scan has no output to look at.
        let wanted = |found: &Option<Run>| *found == Some(Run(Some((0, rank - left_out))));
        if let Some(element) = output.iter().position(|found| !wanted(found)) {
            let exact = Machine::<Exact>::run(plans, layouts, messages, request)?;
            let found = exact[rank as usize][element].as_ref().map_or(String::new(), Exact::to_string);
            return Err(Violation::WrongResult {
                rank,
                element,
                found,
                expected: "the same from left to right".to_owned(),
            });
        }
    }
    Ok(())
}

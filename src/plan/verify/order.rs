//! Proof that a reduction keeps the order of the ranks, for operators that do not commute.
//!
//! It uses a third kind of symbolic value: the run of ranks whose contributions are combined, from left to
//! right. Two runs combine if the right one begins where the left one ends. Any other combination is out of
//! order, and stays so. Brackets do not matter, because operators are associative.

use super::algebra::{Algebra, Exact, NarrowPlace};
use super::machine::outputs_of_verified;
use super::violation::Violation;
use crate::base::Rank;
use crate::plan::{Plan, PlanRequest};

/// The contributions of ranks `first` to `last` to one element, combined from left to right. `None`: some
/// contributions in another order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct RankRun(pub(super) Option<(Rank, Rank)>);

impl Algebra for RankRun {
    fn contribution(rank: Rank, _element: usize) -> RankRun {
        RankRun(Some((rank, rank)))
    }

    fn reduce(&self, other: &RankRun) -> RankRun {
        RankRun(match (self.0, other.0) {
            (Some((first, middle)), Some((next, last))) if middle + 1 == next => Some((first, last)),
            _ => None,
        })
    }

    // Only sums have narrow forms, and they commute.
    fn rounded(&self) -> RankRun {
        RankRun(None)
    }

    fn narrow(_place: NarrowPlace) -> RankRun {
        RankRun(None)
    }

    fn narrow_place(&self) -> Option<NarrowPlace> {
        None
    }
}

/// Proves that every result is `0 op 1 op 2 ...`, for plans that [`super::verify_each`] has accepted for
/// these requests.
///
/// # Panics
/// If `verify_each` would not accept the plans.
pub fn verify_order(plans: &[Plan], requests: &[PlanRequest]) -> Result<(), Violation> {
    let request = &requests[0];
    let outputs = outputs_of_verified::<RankRun>(plans, requests);
    let whole = Some(RankRun(Some((0, request.size - 1))));
    for (rank, output) in (0..).zip(&outputs) {
        // Elements between blocks are no results.
        let blocks = requests[rank as usize].layout.output;
        let is_result =
            |at: usize| blocks.is_empty() || blocks.iter().any(|b| (b.offset..b.end()).contains(&at));
        let mut wrong = output.iter().enumerate().filter(|(at, found)| is_result(*at) && **found != whole);
        if let Some((element, _)) = wrong.next() {
            let exact = outputs_of_verified::<Exact>(plans, requests);
            let found = exact[rank as usize][element].as_ref().map_or(String::new(), Exact::to_string);
            return Err(Violation::OutOfOrder { rank, element, found });
        }
    }
    Ok(())
}

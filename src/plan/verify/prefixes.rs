//! Proof that a scan combines contributions in the order of the ranks: its algorithms serve operators that do
//! not commute, too. It uses the runs of `order`.

use super::algebra::Exact;
use super::layout::Layout;
use super::machine::Machine;
use super::matching::Messages;
use super::order::RankRun;
use super::violation::Violation;
use crate::base::{Collective, Rank};
use crate::plan::{Plan, PlanRequest};

/// Checks that every result of a scan is `0 op 1 op 2 ...` up to its rank, or up to the rank before.
pub(super) fn check(
    plans: &[Plan],
    layouts: &[Layout],
    messages: &Messages,
    request: &PlanRequest,
) -> Result<(), Violation> {
    let outputs = Machine::<RankRun>::run(plans, layouts, messages, request)?;
    let left_out = Rank::from(request.collective == Collective::Exscan);
    for (rank, output) in (0..).zip(&outputs) {
        // Rank 0 of an exclusive scan has no output to check.
        let wanted = |found: &Option<RankRun>| *found == Some(RankRun(Some((0, rank - left_out))));
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

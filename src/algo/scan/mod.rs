//! scan and exscan: rank r gets the reduction of the inputs of ranks 0 to r, or 0 to r-1.
//!
//! Every partial result is a run of consecutive ranks, and a run from the left is the left operand: so these
//! also serve operators that do not commute.

pub(super) mod chain;
pub(super) mod recursive_doubling;

use crate::base::Collective;
use crate::plan::PlanRequest;

/// Whether the own input is left out of the own result.
fn is_exclusive(request: &PlanRequest) -> bool {
    request.collective == Collective::Exscan
}

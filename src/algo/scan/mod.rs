//! scan and exscan: rank r gets the reduction of the inputs of ranks 0 to r, or 0 to r-1.
//!
//! Every partial result covers a run of consecutive ranks, and a run from the left is the left operand. So
//! these algorithms also serve operators that do not commute.

pub(super) mod chain;
pub(super) mod recursive_doubling;

use crate::base::Collective;
use crate::plan::PlanRequest;

/// Whether a rank's own input is left out of its result.
fn is_exclusive(request: &PlanRequest) -> bool {
    request.collective == Collective::Exscan
}

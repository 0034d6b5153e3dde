//! reduce_scatter: rank r gets block r of the reduction of all inputs. reduce_scatter_v has blocks of unequal
//! length.

pub(super) mod direct;
pub(super) mod hierarchical;
pub(super) mod pairwise;
pub(super) mod pat;
pub(super) mod recursive_halving;
pub(super) mod ring;

use crate::algo::patterns::segments::Segments;
use crate::plan::PlanRequest;

/// The input, one block per rank.
fn blocks(request: &PlanRequest) -> Segments {
    Segments::blocks(request.count, request.size as usize)
}

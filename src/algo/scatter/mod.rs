//! scatter: rank r gets block r of the root's input.

pub(super) mod binomial;
pub(super) mod hierarchical;
pub(super) mod linear;

use super::builder::{LaneBuilder, input, output};
use super::segments::Segments;
use crate::plan::PlanRequest;

/// The root's input, one block per rank.
fn blocks(request: &PlanRequest) -> Segments {
    Segments::blocks(request.count, request.size as usize)
}

/// The root's own block, which in place is where it belongs. A lane of its own: it delays no message.
fn own_copy(request: &PlanRequest) -> Option<LaneBuilder> {
    let wanted = request.rank == request.root && !request.in_place;
    let own = input(blocks(request).part(request.rank as usize));
    wanted.then(|| LaneBuilder::copy(own, output(0..request.count)))
}

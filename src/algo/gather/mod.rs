//! gather: the root gets the inputs of all ranks, in rank order. gather_v has blocks of unequal length.

pub(super) mod binomial;
pub(super) mod hierarchical;
pub(super) mod hierarchical_v;
pub(super) mod linear;

use crate::algo::patterns::blocks::{Blocks, own_input};
use crate::algo::patterns::builder::{LaneBuilder, input, output};
use crate::algo::patterns::segments::Segments;
use crate::plan::PlanRequest;

/// The root's output, one block per rank.
fn blocks(request: &PlanRequest) -> Segments {
    Segments::blocks(request.count, request.size as usize)
}

/// The copy of the root's own block, unless it is in place. It is a lane of its own, so it delays no message.
fn own_copy(request: &PlanRequest) -> Option<LaneBuilder> {
    let wanted = request.rank == request.root && !request.in_place;
    wanted.then(|| {
        let own = output(Blocks::of_output(request).part(request.rank as usize));
        LaneBuilder::copy(input(own_input(request)), own)
    })
}

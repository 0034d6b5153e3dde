//! broadcast: every rank gets the root's input.

pub(super) mod binomial;
pub(super) mod chain;
pub(super) mod hierarchical;
pub(super) mod one_shot;
pub(super) mod scatter_all_gather;
pub(super) mod staged;

use crate::algo::patterns::builder::{LaneBuilder, input, output};
use crate::plan::PlanRequest;

/// The copy on the root, if it has two buffers. It is a lane of its own, so it delays no message.
fn own_copy(request: &PlanRequest) -> Option<LaneBuilder> {
    let all = 0..request.count;
    let wanted = request.rank == request.root && !request.in_place;
    wanted.then(|| LaneBuilder::copy(input(all.clone()), output(all)))
}

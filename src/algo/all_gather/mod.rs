//! all_gather: every rank gets the inputs of all ranks, in rank order. all_gather_v has blocks of unequal
//! length.

pub(super) mod bruck;
pub(super) mod hierarchical;
pub(super) mod one_shot;
pub(super) mod pat;
pub(super) mod recursive_doubling;
pub(super) mod ring;
pub(super) mod staged;

use crate::algo::patterns::blocks::{Blocks, own_input};
use crate::algo::patterns::builder::{LaneBuilder, input, output};
use crate::algo::patterns::segments::Segments;
use crate::plan::PlanRequest;

/// The output, one block per rank.
fn blocks(request: &PlanRequest) -> Segments {
    Segments::blocks(request.count, request.size as usize)
}

/// The copy of the own block, unless it is in place. It is a lane of its own, so it delays no message. Only
/// for algorithms whose other lanes do not read the own block of the output.
fn own_copy(request: &PlanRequest) -> Option<LaneBuilder> {
    let own = output(Blocks::of_output(request).part(request.rank as usize));
    (!request.in_place).then(|| LaneBuilder::copy(input(own_input(request)), own))
}

//! all_to_all: rank r's block i goes to block r of rank i. In all_to_all_v, each pair of ranks has its own
//! length.

pub(super) mod bruck;
pub(super) mod hierarchical;
pub(super) mod hierarchical_v;
pub(super) mod one_shot;
pub(super) mod pairwise;
pub(super) mod spread;

use crate::algo::patterns::blocks::Blocks;
use crate::algo::patterns::builder::{LaneBuilder, input, output};
use crate::algo::patterns::segments::Segments;
use crate::plan::PlanRequest;

/// Input and output, one block per rank.
fn blocks(request: &PlanRequest) -> Segments {
    Segments::blocks(request.count, request.size as usize)
}

/// The copy of the own block, unless it is in place. It is a lane of its own, so it delays no message.
fn own_copy(request: &PlanRequest) -> Option<LaneBuilder> {
    let rank = request.rank as usize;
    let own = input(Blocks::of_input(request).part(rank));
    (!request.in_place).then(|| LaneBuilder::copy(own, output(Blocks::of_output(request).part(rank))))
}

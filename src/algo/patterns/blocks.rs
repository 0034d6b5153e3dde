//! The block of each rank in a buffer. The blocks are equally long and consecutive, or lie where the caller's
//! layout puts them.

use std::ops::Range;

use super::segments::Segments;
use crate::base::Rank;
use crate::plan::{Block, PlanRequest};

/// The blocks of a buffer, one per rank.
#[derive(Clone, Copy, Debug)]
pub(in crate::algo) enum Blocks<'a> {
    /// Consecutive blocks of `count` elements each.
    Equal(Segments),
    /// Blocks of the caller's layout.
    Given(&'a [Block]),
}

impl<'a> Blocks<'a> {
    /// The blocks of the send buffer.
    pub(in crate::algo) fn of_input(request: &PlanRequest<'a>) -> Blocks<'a> {
        Blocks::of(request, request.layout.input)
    }

    /// The blocks of the receive buffer.
    pub(in crate::algo) fn of_output(request: &PlanRequest<'a>) -> Blocks<'a> {
        Blocks::of(request, request.layout.output)
    }

    fn of(request: &PlanRequest, given: &'a [Block]) -> Blocks<'a> {
        match request.collective.has_layout() {
            true => Blocks::Given(given),
            false => Blocks::Equal(Segments::blocks(request.count, request.size as usize)),
        }
    }

    /// The elements of the block of a rank.
    pub(in crate::algo) fn part(&self, rank: usize) -> Range<usize> {
        match self {
            Blocks::Equal(segments) => segments.part(rank),
            Blocks::Given(blocks) => range(blocks[rank]),
        }
    }

    /// The elements of the blocks of consecutive ranks, which are consecutive too. If the caller's layout
    /// places the blocks ([`Blocks::lie_apart`]), only one rank may be asked for.
    pub(in crate::algo) fn range(&self, ranks: Range<usize>) -> Range<usize> {
        match self {
            Blocks::Equal(segments) => segments.range(ranks),
            Blocks::Given(_) => {
                debug_assert_eq!(ranks.len(), 1, "nothing is known of its neighbours");
                self.part(ranks.start)
            }
        }
    }

    /// The elements of the blocks of these ranks, if each begins where the one before it ends. Only for
    /// blocks of one buffer: offsets of separate buffers may look consecutive by chance.
    pub(in crate::algo) fn side_by_side(&self, ranks: &[Rank]) -> Option<Range<usize>> {
        let mut whole = 0..0;
        for part in ranks.iter().map(|&rank| self.part(rank as usize)).filter(|part| !part.is_empty()) {
            if whole.is_empty() {
                whole.start = part.start;
            } else if whole.end != part.start {
                return None;
            }
            whole.end = part.end;
        }
        Some(whole)
    }

    /// Whether blocks of neighbours may lie anywhere.
    pub(in crate::algo) fn lie_apart(&self) -> bool {
        matches!(self, Blocks::Given(_))
    }
}

/// The elements of the send buffer, on a rank with one block there.
pub(in crate::algo) fn own_input(request: &PlanRequest) -> Range<usize> {
    request.layout.input.first().map_or(0..request.count, |block| range(*block))
}

/// The elements of the receive buffer, on a rank with one block there.
pub(in crate::algo) fn own_output(request: &PlanRequest) -> Range<usize> {
    request.layout.output.first().map_or(0..request.count, |block| range(*block))
}

/// The range of a block. An empty block may have any offset, even one outside the buffer.
fn range(block: Block) -> Range<usize> {
    if block.len == 0 { 0..0 } else { block.offset..block.end() }
}

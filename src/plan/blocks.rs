//! The blocks of a collective whose blocks differ in length.
//!
//! ```text
//!                    input                 output
//! all_gather_v       the own block         a block from each rank
//! gather_v           the own block         a block from each rank, at the root; else none
//! scatter_v          a block for each      the own block
//!                    rank, at the root;
//!                    else none
//! reduce_scatter_v   a block for each rank the own block
//! all_to_all_v       a block for each rank a block from each rank
//! neighbor_..._v     the own block, or a   a block from each source
//!                    block for each
//!                    destination
//! ```
//!
//! Blocks for or from each rank are in rank order in these lists; where they lie in the buffer is the
//! caller's choice, as long as those of the output do not overlap. A plan touches no element between them.

use crate::base::Rank;

/// A run of elements of a buffer of the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Block {
    /// First element.
    pub offset: usize,
    /// Number of elements.
    pub len: usize,
}

impl Block {
    /// The element behind the last.
    pub fn end(self) -> usize {
        self.offset + self.len
    }
}

/// The blocks of one rank. Without any, where one count says it all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockLayout<'a> {
    /// The blocks that are read.
    pub input: &'a [Block],
    /// The blocks that are written.
    pub output: &'a [Block],
    /// The ranks that blocks come from, in a graph; else none.
    pub sources: &'a [Rank],
    /// The ranks that blocks go to, in a graph; else none.
    pub destinations: &'a [Rank],
    /// Block lengths that the ranks of this host have sent to this one (`algo::LengthExchange`), where the
    /// algorithm needs them; else none.
    pub host_lengths: &'a [usize],
}

impl BlockLayout<'_> {
    /// No blocks: for collectives without a layout.
    pub const NONE: BlockLayout<'static> =
        BlockLayout { input: &[], output: &[], sources: &[], destinations: &[], host_lengths: &[] };
}

/// Elements from the start of a buffer to the end of its last block. Empty blocks lie nowhere.
pub fn extent(blocks: &[Block]) -> usize {
    blocks.iter().filter(|block| block.len > 0).map(|block| block.end()).max().unwrap_or(0)
}

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
//! Blocks for or from each rank are in rank order in these lists. The caller chooses where they lie in the
//! buffer, but those of the output must not overlap. A plan touches no element between them.

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
    /// Index behind the last element.
    pub fn end(self) -> usize {
        self.offset + self.len
    }
}

/// The blocks of one rank. Empty for a collective with one count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockLayout<'a> {
    /// The blocks that are read.
    pub input: &'a [Block],
    /// The blocks that are written.
    pub output: &'a [Block],
    /// In a graph, the ranks from which blocks come; else empty.
    pub sources: &'a [Rank],
    /// In a graph, the ranks to which blocks go; else empty.
    pub destinations: &'a [Rank],
    /// Block lengths that the ranks of this host have sent to this one (`algo::LengthExchange`), if the
    /// algorithm needs them; else empty.
    pub host_lengths: &'a [usize],
}

impl BlockLayout<'_> {
    /// No blocks: for collectives without a layout.
    pub const NONE: BlockLayout<'static> =
        BlockLayout { input: &[], output: &[], sources: &[], destinations: &[], host_lengths: &[] };
}

/// The lengths of a layout's blocks, without their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockLengths {
    /// Lengths of the blocks that are read, in elements of the call's datatype.
    pub input: Vec<usize>,
    /// Lengths of the blocks that are written.
    pub output: Vec<usize>,
    /// Where the blocks come from: [`BlockLayout::sources`].
    pub sources: Vec<Rank>,
    /// Where they go: [`BlockLayout::destinations`].
    pub destinations: Vec<Rank>,
}

impl BlockLengths {
    /// The lengths of a layout whose elements have `scale` elements of the datatype each.
    pub fn of(layout: &BlockLayout, scale: usize) -> BlockLengths {
        let lengths = |blocks: &[Block]| blocks.iter().map(|block| block.len * scale).collect();
        BlockLengths {
            input: lengths(layout.input),
            output: lengths(layout.output),
            sources: layout.sources.to_vec(),
            destinations: layout.destinations.to_vec(),
        }
    }
}

/// Number of elements from the start of a buffer to the end of its last block. Empty blocks do not count.
pub fn extent(blocks: &[Block]) -> usize {
    blocks.iter().filter(|block| block.len > 0).map(|block| block.end()).max().unwrap_or(0)
}

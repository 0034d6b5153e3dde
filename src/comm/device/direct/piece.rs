//! A piece of a collective on device memory: the same elements of every block, as many as fit into a slot of
//! the bounce buffer, or all.

use crate::base::{Call, Collective, Rank};

/// A part of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    pub collective: Collective,
    pub call: Call,
    /// First element of each block that belongs to the piece.
    pub first: usize,
    /// Number of elements of each block that belong to it.
    pub len: usize,
}

impl Piece {
    /// Blocks that `rank` of `size` reads.
    pub fn input_blocks(&self, size: usize, rank: Rank) -> usize {
        self.collective.with_one_count().input_elements(size, rank, self.call.root, 1)
    }

    /// Blocks that `rank` of `size` writes.
    pub fn output_blocks(&self, size: usize, rank: Rank) -> usize {
        match self.collective {
            // Nothing comes before rank 0.
            Collective::Exscan if rank == 0 => 0,
            collective => collective.with_one_count().output_elements(size, rank, self.call.root, 1),
        }
    }

    /// Most blocks that a rank of `size` has on one side.
    pub fn most_blocks(&self, size: usize) -> usize {
        let blocks = |rank| self.input_blocks(size, rank).max(self.output_blocks(size, rank));
        (0..size as Rank).map(blocks).max().unwrap_or(1).max(1)
    }

    /// Bytes of a block before the piece.
    pub fn first_bytes(&self) -> u64 {
        (self.first * self.call.datatype.bytes()) as u64
    }

    /// Bytes of the piece in one block.
    pub fn bytes(&self) -> usize {
        self.len * self.call.datatype.bytes()
    }

    /// All elements of the call.
    pub fn whole(&self) -> Piece {
        Piece { first: 0, len: self.call.count as usize, ..*self }
    }

    /// Whether the piece is the whole call.
    pub fn is_whole(&self) -> bool {
        self.len == self.call.count as usize
    }
}

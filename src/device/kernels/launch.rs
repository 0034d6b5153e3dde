//! The number of blocks of a launch.

/// Threads of each block. Two blocks fit on a multiprocessor.
pub const THREADS: u32 = 512;

const BLOCKS_PER_MULTIPROCESSOR: u32 = 2;
const VECTOR: u64 = 16;
/// Bytes that a block reads at once: one vector per thread.
const ROUND: u64 = THREADS as u64 * VECTOR;

/// Grid and block of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks in each dimension.
    pub grid: [u32; 3],
    /// Threads of a block in each dimension.
    pub block: [u32; 3],
}

/// The launch of a reduction of inputs of `bytes` each, on a GPU with so many multiprocessors. `parts`: the
/// number of parts of `Form::Parts`, 1 for the other forms. Bytes are those of the longest part then.
pub fn reduce_shape(bytes: u64, parts: u32, multiprocessors: u32) -> Shape {
    let most = (BLOCKS_PER_MULTIPROCESSOR * multiprocessors).div_ceil(parts.max(1)).max(1);
    let blocks = bytes.div_ceil(ROUND).clamp(1, u64::from(most)) as u32;
    Shape { grid: [blocks, parts.max(1), 1], block: [THREADS, 1, 1] }
}

/// Bytes that a block copies at a time, where all segments together have `bytes`. Every block gets some.
pub fn tile_bytes(bytes: u64, multiprocessors: u32) -> u32 {
    let blocks = u64::from(BLOCKS_PER_MULTIPROCESSOR * multiprocessors.max(1));
    let share = bytes.div_ceil(blocks).next_power_of_two();
    share.clamp(ROUND, 16 * ROUND) as u32
}

/// The launch that copies so many tiles.
pub fn copy_shape(tiles: u64, multiprocessors: u32) -> Shape {
    let most = u64::from(BLOCKS_PER_MULTIPROCESSOR * multiprocessors.max(1));
    Shape { grid: [tiles.clamp(1, most) as u32, 1, 1], block: [THREADS, 1, 1] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_reductions_take_few_blocks_and_large_ones_two_per_multiprocessor() {
        assert_eq!(reduce_shape(0, 1, 132).grid, [1, 1, 1]);
        assert_eq!(reduce_shape(ROUND, 1, 132).grid, [1, 1, 1]);
        assert_eq!(reduce_shape(ROUND + 1, 1, 132).grid, [2, 1, 1]);
        assert_eq!(reduce_shape(1 << 40, 1, 132).grid, [264, 1, 1]);
        assert_eq!(reduce_shape(1 << 40, 8, 132).grid, [33, 8, 1]);
    }

    #[test]
    fn tiles_are_multiples_of_a_vector_and_give_every_block_work() {
        assert_eq!(tile_bytes(1, 132), 8192);
        assert_eq!(tile_bytes(64 << 20, 132), 131_072);
        assert_eq!(copy_shape(3, 132).grid, [3, 1, 1]);
        assert_eq!(copy_shape(1 << 20, 132).grid, [264, 1, 1]);
    }
}

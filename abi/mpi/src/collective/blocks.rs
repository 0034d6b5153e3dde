//! Blocks of a buffer: by counts and displacements, equal ones, and those of a reduction.

use anyccl_engine::plan::Block;

use super::typed::{Elements, exceeds_memory};
use crate::arguments::Inputs;
use crate::error::Result;

/// The blocks of counts and displacements, in elements.
pub(super) fn blocks<'a>(
    start: Elements<'a>,
    counts: Inputs<i64>,
    displs: Inputs<i64>,
    size: u32,
) -> Result<Vec<Elements<'a>>> {
    counts.check(size as usize)?;
    displs.check(size as usize)?;
    Ok((0..size as usize).map(|at| start.behind(displs.get(at), counts.get(at))).collect())
}

/// Equal blocks, one after the other.
pub(super) fn equal_blocks(block: Elements<'_>, number: usize) -> Vec<Elements<'_>> {
    (0..number as i64).map(|at| block.behind(at.wrapping_mul(block.count), block.count)).collect()
}

/// Blocks of these numbers of elements, one after the other, and their sum.
pub(super) fn element_blocks(counts: &[i64]) -> Result<(i64, Vec<Block>)> {
    let (mut offset, mut blocks) = (0_i64, Vec::with_capacity(counts.len()));
    for count in counts {
        blocks.push(Block { offset: offset as usize, len: *count as usize });
        offset = offset.checked_add(*count).ok_or_else(exceeds_memory)?;
    }
    Ok((offset, blocks))
}

//! Finds the memory on which the engine works. It is the program's memory if each block is one run of bytes
//! there. Otherwise it is scratch memory of the script, in which the data is packed.

use anyccl_engine::plan::Block;

use super::script::Script;
use super::typed::{Elements, check_address, check_count};
use crate::error::{Class, Error, Result};

impl Script {
    /// The address at which the engine reads elements.
    pub(super) fn input(&mut self, elements: Elements, name: &'static str) -> Result<*const u8> {
        if let Some(start) = in_place(elements, name)? {
            return Ok(start.cast_const());
        }
        let memory = self.scratch(elements.bytes()?)?;
        self.pack(elements.typed(), memory);
        Ok(memory.cast_const())
    }

    /// The address at which the engine writes elements.
    pub(super) fn output(&mut self, elements: Elements, name: &'static str) -> Result<*mut u8> {
        if let Some(start) = in_place(elements, name)? {
            return Ok(start);
        }
        let memory = self.scratch(elements.bytes()?)?;
        self.unpack(memory.cast_const(), elements.typed());
        Ok(memory)
    }

    /// The address at which the engine reads `read` and writes `elements`. `read` is a part of `elements`,
    /// `at` bytes behind their start when packed.
    pub(super) fn updated(
        &mut self,
        elements: Elements,
        read: Elements,
        at: usize,
        name: &'static str,
    ) -> Result<*mut u8> {
        if let Some(start) = in_place(elements, name)? {
            return Ok(start);
        }
        let memory = self.scratch(elements.bytes()?)?;
        self.pack(read.typed(), memory.wrapping_add(at));
        self.unpack(memory.cast_const(), elements.typed());
        Ok(memory)
    }

    /// The address and the blocks at which the engine reads.
    pub(super) fn input_blocks(
        &mut self,
        blocks: &[Elements],
        name: &'static str,
    ) -> Result<(*const u8, Vec<Block>)> {
        if let Some((start, blocks)) = blocks_in_place(blocks, name)? {
            return Ok((start.cast_const(), blocks));
        }
        let (memory, places) = self.scratch_blocks(blocks)?;
        for (elements, place) in blocks.iter().zip(&places).filter(|(_, place)| place.len > 0) {
            self.pack(elements.typed(), memory.wrapping_add(place.offset));
        }
        Ok((memory.cast_const(), places))
    }

    /// The address and the blocks at which the engine writes. Blocks that overlap are scratch memory. MPI
    /// forbids them, but MPICH takes them, and so do programs.
    pub(super) fn output_blocks(
        &mut self,
        blocks: &[Elements],
        name: &'static str,
    ) -> Result<(*mut u8, Vec<Block>)> {
        if let Some(found) = blocks_in_place(blocks, name)?.filter(|(_, places)| are_apart(places)) {
            return Ok(found);
        }
        let (memory, places) = self.scratch_blocks(blocks)?;
        for (elements, place) in blocks.iter().zip(&places).filter(|(_, place)| place.len > 0) {
            self.unpack(memory.wrapping_add(place.offset).cast_const(), elements.typed());
        }
        Ok((memory, places))
    }

    /// Like [`Script::output_blocks`], where the engine also reads the blocks that `is_read` names.
    pub(super) fn updated_blocks(
        &mut self,
        blocks: &[Elements],
        is_read: impl Fn(usize) -> bool,
        name: &'static str,
    ) -> Result<(*mut u8, Vec<Block>)> {
        if let Some(found) = blocks_in_place(blocks, name)?.filter(|(_, places)| are_apart(places)) {
            return Ok(found);
        }
        let (memory, places) = self.scratch_blocks(blocks)?;
        for (at, (elements, place)) in blocks.iter().zip(&places).enumerate() {
            if place.len == 0 {
                continue;
            }
            let start = memory.wrapping_add(place.offset);
            if is_read(at) {
                self.pack(elements.typed(), start);
            }
            self.unpack(start.cast_const(), elements.typed());
        }
        Ok((memory, places))
    }

    /// Scratch memory for blocks, one after the other.
    fn scratch_blocks(&mut self, blocks: &[Elements]) -> Result<(*mut u8, Vec<Block>)> {
        let (mut offset, mut places) = (0_usize, Vec::with_capacity(blocks.len()));
        for elements in blocks {
            let len = elements.bytes()?;
            places.push(Block { offset, len });
            offset = offset
                .checked_add(len)
                .ok_or_else(|| Error::new(Class::COUNT, "the blocks exceed memory"))?;
        }
        Ok((self.scratch(offset)?, places))
    }
}

/// The start of elements, if they are one run of bytes.
#[inline]
fn in_place(elements: Elements, name: &'static str) -> Result<Option<*mut u8>> {
    let Elements { base, count, datatype } = elements;
    elements.bytes()?;
    check_address(base.cast_const(), count, datatype, name)?;
    Ok(datatype.run_for(count).map(|(offset, _)| base.wrapping_offset(offset as isize)))
}

/// Whether no two blocks have a byte in common.
fn are_apart(places: &[Block]) -> bool {
    let filled = || places.iter().copied().filter(|place| place.len > 0);
    if filled().is_sorted_by(|one, next| one.end() <= next.offset) {
        return true;
    }
    let mut filled: Vec<Block> = filled().collect();
    filled.sort_unstable_by_key(|place| place.offset);
    filled.is_sorted_by(|one, next| one.end() <= next.offset)
}

/// The lowest address and the blocks relative to it, if each block is one run of bytes.
fn blocks_in_place(blocks: &[Elements], name: &'static str) -> Result<Option<(*mut u8, Vec<Block>)>> {
    let mut runs = Vec::with_capacity(blocks.len());
    let mut lowest: *mut u8 = std::ptr::null_mut();
    let mut are_runs = true;
    for elements in blocks {
        let Elements { base, count, datatype } = *elements;
        check_count(count)?;
        check_address(base.cast_const(), count, datatype, name)?;
        let bytes = elements.bytes()?;
        match datatype.run_for(count) {
            Some((offset, _)) => {
                let start = base.wrapping_offset(offset as isize);
                if bytes > 0 && (lowest.is_null() || start < lowest) {
                    lowest = start;
                }
                runs.push((start, bytes));
            }
            None => are_runs = false,
        }
    }
    if !are_runs {
        return Ok(None);
    }
    let block = |(start, len): (*mut u8, usize)| {
        let offset = if len > 0 { start.addr() - lowest.addr() } else { 0 };
        Block { offset, len }
    };
    Ok(Some((lowest, runs.into_iter().map(block).collect())))
}

//! The ranges of device memory that a call touches, and their copies in one block of host memory.
//!
//! Buffers that overlap share a place. So a call in place has one copy of its buffer, and every address of a
//! buffer keeps its distance to the others.

use std::ops::Range;

use crate::base::Result;
use crate::device::{CudaDriver, CudaStream, Entered};

/// A range that a call reads, writes, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Touch {
    address: usize,
    bytes: usize,
    is_read: bool,
    is_written: bool,
}

/// What a call does with a part of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The call only reads it.
    Read,
    /// The call writes all of it, and does not read it.
    Written,
    /// The call reads it, and writes some of it.
    Both,
}

/// The device memory of a call: its buffers, and the parts of them that the call touches.
#[derive(Debug, Default)]
pub struct Touched {
    /// Buffers: start and length.
    buffers: Vec<(usize, usize)>,
    touches: Vec<Touch>,
    /// An address in host memory that streams may use, and whose place it keeps.
    in_streams: Option<usize>,
}

impl Touched {
    /// What the call writes on devices: address and length.
    pub fn writes(&self) -> Vec<(u64, usize)> {
        Placed::of(self, 0).writes.iter().map(|copy| (copy.address as u64, copy.bytes)).collect()
    }

    /// Adds host memory that streams may use. The call uses it where it is, when its stream has come to it.
    pub fn add_host(&mut self, address: usize) {
        self.in_streams.get_or_insert(address);
    }

    /// Whether streams may use host memory of the call.
    pub fn has_host(&self) -> bool {
        self.in_streams.is_some()
    }

    /// Adds a buffer that the call touches as a whole.
    pub fn add(&mut self, address: usize, bytes: usize, access: Access) {
        if bytes > 0 {
            self.add_blocks(address, std::iter::once((0, bytes)), access);
        }
    }

    /// Adds a buffer of which the call touches some blocks: offset and length, in bytes.
    pub fn add_blocks(
        &mut self,
        address: usize,
        blocks: impl Iterator<Item = (usize, usize)>,
        access: Access,
    ) {
        let (is_read, is_written) = (access != Access::Written, access != Access::Read);
        let mut end = 0;
        for (offset, bytes) in blocks.filter(|(_, bytes)| *bytes > 0) {
            end = end.max(offset + bytes);
            let next = Touch { address: address + offset, bytes, is_read, is_written };
            match self.touches.last_mut() {
                // Blocks of one buffer that meet are copied together. Two buffers that meet may be two
                // allocations, which no copy may span.
                Some(last) if offset > 0 && last.address + last.bytes == next.address => last.bytes += bytes,
                _ => self.touches.push(next),
            }
        }
        if end > 0 {
            self.buffers.push((address, end));
        }
    }

    /// Whether there is no device memory.
    pub fn is_empty(&self) -> bool {
        self.buffers.is_empty()
    }

    /// Enters the context of a call on this memory. Without device memory it is that of the stream `given`:
    /// streams of any device use such memory, and the thread may have another device.
    pub fn enter(&self, driver: &'static CudaDriver, given: Option<CudaStream>) -> Result<Entered> {
        match given.filter(|_| self.is_empty()) {
            Some(stream) => Entered::in_context(driver, driver.context_of(stream)?),
            None => Entered::for_memory(driver, self.first_address()),
        }
    }

    /// An address of the first buffer on a device; if there is none, one that streams may use.
    fn first_address(&self) -> usize {
        self.buffers.first().map(|(address, _)| *address).or(self.in_streams).unwrap_or(0)
    }
}

/// A copy between a range of device memory and its part of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::comm::device) struct Copy {
    pub address: usize,
    /// Bytes of the block before that part.
    pub offset: usize,
    pub bytes: usize,
}

/// Ranges with their offsets in the block.
#[derive(Debug, Default)]
pub(in crate::comm::device) struct Placed {
    /// Ranges that neither overlap nor meet, by address.
    ranges: Vec<Copy>,
    reads: Vec<Copy>,
    writes: Vec<Copy>,
    bytes: usize,
}

/// Alignment of a range in the block. It keeps the alignment of an address within a cache line.
const LINE: usize = 64;

impl Placed {
    /// Lays out the buffers after the first `head` bytes of a block.
    pub fn of(touched: &Touched, head: usize) -> Placed {
        let mut at = head;
        let mut ranges = Vec::new();
        for (address, bytes) in joined(touched.buffers.iter().copied()) {
            let offset = at.next_multiple_of(LINE) + address % LINE;
            ranges.push(Copy { address, offset, bytes });
            at = offset + bytes;
        }
        let mut placed = Placed { ranges, reads: Vec::new(), writes: Vec::new(), bytes: at };
        placed.reads = placed.copies(touched.touches.iter().filter(|touch| touch.is_read));
        placed.writes = placed.copies(touched.touches.iter().filter(|touch| touch.is_written));
        placed
    }

    /// Copies pieces of the block instead of the whole of it. They are offsets, in the order of the copies.
    pub fn split(&mut self, reads: &[Range<usize>], writes: &[Range<usize>]) {
        let copies = |pieces: &[Range<usize>]| {
            pieces.iter().filter_map(|piece| self.copy(piece.start, piece.len())).collect()
        };
        (self.reads, self.writes) = (copies(reads), copies(writes));
    }

    fn copies<'a>(&self, touches: impl Iterator<Item = &'a Touch>) -> Vec<Copy> {
        let place = |(address, bytes)| Some(Copy { address, offset: self.offset(address)?, bytes });
        let parts = touches.map(|touch| (touch.address, touch.bytes));
        joined(parts).into_iter().filter_map(place).collect()
    }

    /// Size of the block.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The offset of an address; `None` if it is in no range.
    pub fn offset(&self, address: usize) -> Option<usize> {
        let range = self
            .ranges
            .iter()
            .find(|range| (range.address..range.address + range.bytes).contains(&address))?;
        Some(range.offset + (address - range.address))
    }

    /// The copy of a part of a range, given by its offset in the block.
    pub fn copy(&self, offset: usize, bytes: usize) -> Option<Copy> {
        let range =
            self.ranges.iter().find(|range| (range.offset..range.offset + range.bytes).contains(&offset))?;
        Some(Copy { address: range.address + (offset - range.offset), offset, bytes })
    }

    /// The copies before the call.
    pub fn reads(&self) -> &[Copy] {
        &self.reads
    }

    /// The copies after the call.
    pub fn writes(&self) -> &[Copy] {
        &self.writes
    }
}

/// The ranges, those that overlap as one: start and length, by address.
fn joined(ranges: impl Iterator<Item = (usize, usize)>) -> Vec<(usize, usize)> {
    let mut all: Vec<(usize, usize)> = ranges.collect();
    all.sort_unstable();
    let mut joined: Vec<(usize, usize)> = Vec::with_capacity(all.len());
    for (address, bytes) in all {
        match joined.last_mut() {
            Some((start, len)) if address < *start + *len => *len = (*len).max(address + bytes - *start),
            _ => joined.push((address, bytes)),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(buffers: &[(usize, usize, Access)]) -> Placed {
        let mut touched = Touched::default();
        buffers.iter().for_each(|(address, bytes, access)| touched.add(*address, *bytes, *access));
        Placed::of(&touched, 128)
    }

    #[test]
    fn a_call_in_place_has_one_copy_and_separate_buffers_have_two() {
        let in_place = placed(&[(1000, 100, Access::Read), (1000, 100, Access::Written)]);
        assert_eq!(in_place.reads(), in_place.writes());
        assert_eq!(in_place.reads().len(), 1);
        // Buffers that meet may be two allocations.
        for second in [1100, 2000] {
            let apart = placed(&[(1000, 100, Access::Read), (second, 100, Access::Written)]);
            assert_eq!((apart.reads().len(), apart.writes().len(), apart.ranges.len()), (1, 1, 2));
            assert_eq!(apart.offset(3000), None);
        }
    }

    #[test]
    fn blocks_of_a_buffer_keep_their_distances_and_are_copied_together_where_they_meet() {
        let mut touched = Touched::default();
        touched.add_blocks(1003, [(0, 10), (10, 50), (497, 4)].into_iter(), Access::Both);
        let placed = Placed::of(&touched, 128);
        let at = |address| placed.offset(address).unwrap();
        assert_eq!(at(1503) - at(1003), 500);
        assert_eq!(at(1003) % LINE, 1003 % LINE);
        assert!(at(1003) >= 128 && placed.bytes() > at(1503));
        let reads: Vec<_> = placed.reads().iter().map(|copy| (copy.address, copy.bytes)).collect();
        assert_eq!(reads, [(1003, 60), (1500, 4)]);
        assert_eq!(placed.reads(), placed.writes());
    }

    #[test]
    fn an_empty_buffer_has_no_offset_and_no_copy() {
        let placed = placed(&[(0, 0, Access::Both)]);
        assert_eq!((placed.reads().len(), placed.writes().len(), placed.bytes()), (0, 0, 128));
    }
}

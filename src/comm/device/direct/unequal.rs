//! Collectives whose blocks differ in length, as pieces: those whose lengths all ranks know.
//!
//! A piece takes the same elements of every block, as far as the block has them. In a slot, blocks are as far
//! apart as in a collective with one count. Where the leader addresses a buffer as it is, its blocks follow
//! each other. A buffer with other places moves to a slot.

use super::call::DeviceCopy;
use crate::base::{Call, CallKind, Collective};
use crate::comm::call::operation::Operation;
use crate::comm::call::unequal::{Places, Unequal};
use crate::plan::Block;

/// In the place of the distance between blocks: they follow each other, and the address is that of the first
/// one, whatever part of it the piece has.
pub const PACKED: u64 = u64::MAX;

/// The blocks of a call on one rank.
#[derive(Debug)]
pub struct UnequalBlocks {
    /// Elements of the block of each rank.
    lens: Vec<usize>,
    pub input: SidePlaces,
    pub output: SidePlaces,
    /// The call as the other ranks see it.
    pub signature: Call,
}

/// Where this rank has the blocks of one side.
#[derive(Debug)]
pub struct SidePlaces {
    /// Address and length of each block, in bytes.
    pub runs: Vec<(u64, usize)>,
    /// Whether they lie in one buffer, and follow each other.
    pub are_packed: bool,
}

impl UnequalBlocks {
    /// The blocks of a checked call, and the call with their longest length as its count. `None`: its lengths
    /// are not known to all ranks, or all blocks are empty.
    pub fn of(call: &Unequal) -> Option<(Operation, UnequalBlocks)> {
        let blocks = match call.collective {
            Collective::AllGatherV => call.layout.output,
            Collective::ReduceScatterV => call.layout.input,
            _ => return None,
        };
        let lens: Vec<usize> = blocks.iter().map(|block| block.len).collect();
        let most = lens.iter().copied().max().filter(|most| *most > 0)?;
        let unit = call.datatype.bytes();
        let (input, output) = match call.places {
            Places::Buffers { send, recv } => (
                SidePlaces::in_buffer(send.addr(), call.layout.input, unit),
                SidePlaces::in_buffer(recv.addr(), call.layout.output, unit),
            ),
            Places::Lists { sends, recvs } => (
                SidePlaces::in_list(sends.iter().map(|start| start.addr()), call.layout.input, unit),
                SidePlaces::in_list(recvs.iter().map(|start| start.addr()), call.layout.output, unit),
            ),
        };
        let kind = CallKind::OnDevice(call.collective);
        let signature = Call { kind, ..call.whole_call() };
        let operation = Operation {
            call: Call { kind: CallKind::Collective(call.collective), count: most as u64, ..signature },
            send: std::ptr::with_exposed_provenance(input.start() as usize),
            recv: std::ptr::with_exposed_provenance_mut(output.start() as usize),
        };
        Some((operation, UnequalBlocks { lens, input, output, signature }))
    }

    /// Elements in the block of a rank of a piece with `most` elements from `first` on.
    pub fn len(&self, first: usize, most: usize, rank: usize) -> usize {
        self.lens[rank].saturating_sub(first).min(most)
    }

    /// Elements before the block of a rank, where the blocks follow each other.
    pub fn before(&self, rank: usize) -> u64 {
        self.lens[..rank].iter().fold(0, |sum, len| sum.wrapping_add(*len as u64))
    }

    /// Whether as many blocks as there are, all of the longest length, would be far more than the blocks.
    /// Equal on all ranks.
    pub fn are_lopsided(&self) -> bool {
        let longest = self.lens.iter().copied().max().unwrap_or(0) as u64;
        longest.saturating_mul(self.lens.len() as u64) > self.before(self.lens.len()).saturating_mul(4)
    }

    /// Elements of a side of `rank` that has so many blocks.
    pub fn side_len(&self, rank: usize, blocks: usize) -> u64 {
        if blocks == 1 { self.lens[rank] as u64 } else { self.before(self.lens.len()) }
    }
}

impl SidePlaces {
    fn in_buffer(start: usize, blocks: &[Block], unit: usize) -> SidePlaces {
        let run =
            |block: &Block| (start.wrapping_add(block.offset.wrapping_mul(unit)) as u64, block.len * unit);
        SidePlaces::of(blocks.iter().map(run).collect())
    }

    fn in_list(starts: impl Iterator<Item = usize>, blocks: &[Block], unit: usize) -> SidePlaces {
        let run = |(start, block): (usize, &Block)| (start as u64, block.len * unit);
        let mut places = SidePlaces::of(starts.zip(blocks).map(run).collect());
        // Neighbours may be parts of different allocations.
        places.are_packed &= places.used().count() <= 1;
        places
    }

    fn of(runs: Vec<(u64, usize)>) -> SidePlaces {
        let used: Vec<_> = runs.iter().filter(|(_, bytes)| *bytes > 0).collect();
        let follow = |pair: &[&(u64, usize)]| pair[0].0 + pair[0].1 as u64 == pair[1].0;
        let are_packed = used.windows(2).all(follow);
        SidePlaces { runs, are_packed }
    }

    /// The blocks that are not empty.
    pub fn used(&self) -> impl Iterator<Item = (u64, usize)> {
        self.runs.iter().copied().filter(|(_, bytes)| *bytes > 0)
    }

    /// Address of the first block that is not empty; 0 if there is none.
    fn start(&self) -> u64 {
        self.used().next().map_or(0, |(start, _)| start)
    }

    /// Bytes of all blocks.
    pub fn bytes(&self) -> u64 {
        self.used().fold(0, |sum, (_, bytes)| sum.wrapping_add(bytes as u64))
    }

    /// The copies of a piece with `most` bytes of each block from byte `first` on, to a slot that begins at
    /// `slot`.
    pub fn copies(&self, first: usize, most: usize, slot: u64) -> Vec<DeviceCopy> {
        let copy = |(number, (start, bytes)): (usize, &(u64, usize))| DeviceCopy {
            to: slot + (number * most) as u64,
            from: start.wrapping_add(first as u64),
            bytes: bytes.saturating_sub(first).min(most),
        };
        self.runs.iter().enumerate().map(copy).filter(|copy| copy.bytes > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Datatype;
    use crate::plan::BlockLayout;

    fn blocks_at(offsets: [usize; 3]) -> UnequalBlocks {
        let blocks = [0, 1, 2].map(|at| Block { offset: offsets[at], len: [600, 0, 3][at] });
        let layout = BlockLayout { input: &blocks[2..], output: &blocks, ..BlockLayout::NONE };
        let places = Places::Buffers {
            send: std::ptr::without_provenance(64),
            recv: std::ptr::without_provenance_mut(4096),
        };
        let (collective, datatype) = (Collective::AllGatherV, Datatype::Float32);
        let call = Unequal { collective, datatype, op: None, root: 0, layout, places };
        UnequalBlocks::of(&call).unwrap().1
    }

    #[test]
    fn blocks_are_split_at_the_same_elements_and_are_packed_only_without_gaps() {
        let blocks = blocks_at([0, 7, 600]);
        assert!(blocks.output.are_packed && blocks.input.are_packed);
        assert!(!blocks_at([0, 600, 601]).output.are_packed);
        assert_eq!((blocks.before(2), blocks.side_len(0, 3), blocks.side_len(2, 1)), (600, 603, 3));
        let lens = |first, most| [0, 1, 2].map(|rank| blocks.len(first, most, rank));
        assert_eq!((lens(0, 512), lens(512, 88)), ([512, 0, 3], [88, 0, 0]));
        let second = blocks.output.copies(512 * 4, 88 * 4, 1 << 20);
        assert_eq!(second, [DeviceCopy { to: 1 << 20, from: 4096 + 2048, bytes: 352 }]);
        let first = blocks.output.copies(0, 512 * 4, 1 << 20);
        assert_eq!(first[1], DeviceCopy { to: (1 << 20) + 4096, from: 4096 + 2400, bytes: 12 });
    }
}

//! Collectives whose blocks differ in length, as pieces.
//!
//! A piece takes the same elements of every block, as far as the block has them. Each rank reports its own
//! blocks to the leader ([`super::block_report`]), because often nobody else knows them. A buffer that the
//! leader can address is used where it is, whatever the order of its blocks and the gaps between them. So are
//! lists of pointers in the leader's process. Blocks that move to a slot have the distance of a collective
//! with one count there.

use super::block_report::{BlockReport, BlockSpan};
use super::buffers::SideBlocks;
use super::call::DeviceCopy;
use crate::base::{Call, CallKind, Collective};
use crate::comm::call::operation::Operation;
use crate::comm::call::unequal::{Places, Unequal};
use crate::plan::Block;

/// More bytes than any block has.
const MOST_BYTES: usize = 1 << 47;

/// The blocks of a call on one rank.
#[derive(Debug)]
pub struct UnequalBlocks {
    pub input: SidePlaces,
    pub output: SidePlaces,
    /// The call as the other ranks see it.
    pub signature: Call,
}

/// Where this rank has the blocks of one side.
#[derive(Debug)]
pub struct SidePlaces {
    /// Address and length of each block, in bytes.
    runs: Vec<(u64, usize)>,
    /// Whether they are parts of one buffer.
    pub is_one_buffer: bool,
}

impl UnequalBlocks {
    /// The blocks of a checked call, and the call with a count. This is the longest length if all ranks know
    /// it, and otherwise one that no block has. `None`: all ranks know that all blocks are empty, or it is no
    /// such call.
    pub fn of(call: &Unequal) -> Option<(Operation, UnequalBlocks)> {
        let unit = call.datatype.bytes();
        let longest = |blocks: &[Block]| blocks.iter().map(|block| block.len).max();
        let count = match call.collective {
            Collective::AllGatherV => longest(call.layout.output),
            Collective::ReduceScatterV => longest(call.layout.input),
            Collective::GatherV | Collective::ScatterV | Collective::AllToAllV => Some(MOST_BYTES / unit),
            _ => None,
        };
        let count = count.filter(|count| *count > 0)?;
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
            call: Call { kind: CallKind::Collective(call.collective), count: count as u64, ..signature },
            send: std::ptr::with_exposed_provenance(input.span().0 as usize),
            recv: std::ptr::with_exposed_provenance_mut(output.span().0 as usize),
        };
        Some((operation, UnequalBlocks { input, output, signature }))
    }

    /// Whether a block is received where another one is sent from.
    pub fn are_exchanged_in_place(&self) -> bool {
        let are_same = |(from, to): (&(u64, usize), &(u64, usize))| from.1 > 0 && to.1 > 0 && from.0 == to.0;
        let is_exchange = matches!(self.signature.kind, CallKind::OnDevice(Collective::AllToAllV));
        is_exchange && self.input.runs.iter().zip(&self.output.runs).any(are_same)
    }

    /// What the leader gets to know.
    pub fn report(&self) -> BlockReport {
        BlockReport { input: self.input.spans(), output: self.output.spans() }
    }
}

impl SidePlaces {
    fn in_buffer(start: usize, blocks: &[Block], unit: usize) -> SidePlaces {
        let run =
            |block: &Block| (start.wrapping_add(block.offset.wrapping_mul(unit)) as u64, block.len * unit);
        SidePlaces { runs: blocks.iter().map(run).collect(), is_one_buffer: true }
    }

    fn in_list(starts: impl Iterator<Item = usize>, blocks: &[Block], unit: usize) -> SidePlaces {
        let run = |(start, block): (usize, &Block)| (start as u64, block.len * unit);
        let mut places = SidePlaces { runs: starts.zip(blocks).map(run).collect(), is_one_buffer: false };
        // Neighbours may be parts of different allocations.
        places.is_one_buffer = places.used().count() <= 1;
        places
    }

    /// The blocks that are not empty.
    pub fn used(&self) -> impl Iterator<Item = (u64, usize)> {
        self.runs.iter().copied().filter(|(_, bytes)| *bytes > 0)
    }

    /// An address in each buffer.
    pub fn buffers(&self) -> impl Iterator<Item = usize> {
        let most = if self.is_one_buffer { 1 } else { usize::MAX };
        self.used().map(|(start, _)| start as usize).take(most)
    }

    /// Start and length of the memory from the first block to the last one, by address; 0 if all are empty.
    pub fn span(&self) -> (u64, u64) {
        let start = self.used().map(|(start, _)| start).min().unwrap_or(0);
        let end = self.used().map(|(start, bytes)| start.wrapping_add(bytes as u64)).max().unwrap_or(0);
        (start, end.wrapping_sub(start))
    }

    fn spans(&self) -> Vec<BlockSpan> {
        let (first, _) = self.span();
        let span = |(start, bytes): &(u64, usize)| match bytes {
            0 => BlockSpan::default(),
            _ => BlockSpan { offset: start.wrapping_sub(first), bytes: *bytes as u64 },
        };
        self.runs.iter().map(span).collect()
    }

    /// Bytes of all blocks.
    pub fn bytes(&self) -> usize {
        self.used().fold(0, |sum, (_, bytes)| sum.saturating_add(bytes))
    }

    /// The blocks where they are.
    pub fn here(&self) -> SideBlocks {
        SideBlocks::At(self.runs.iter().map(|(start, _)| *start).collect())
    }

    /// The blocks one after the other, from an address on.
    pub fn packed_at(&self, address: u64) -> SideBlocks {
        let mut end = address;
        let place = |(_, bytes): &(u64, usize)| {
            let start = end;
            end += *bytes as u64;
            start
        };
        SideBlocks::At(self.runs.iter().map(place).collect())
    }

    /// The copies of a piece with `most` bytes of each block from byte `first` on.
    pub fn copies(&self, first: usize, most: usize, to: &SideBlocks) -> Vec<DeviceCopy> {
        let copy = |(number, (start, bytes)): (usize, &(u64, usize))| DeviceCopy {
            to: to.place(number, first as u64),
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

    fn blocks_at(offsets: [usize; 3]) -> (Operation, UnequalBlocks) {
        let blocks = [0, 1, 2].map(|at| Block { offset: offsets[at], len: [600, 0, 3][at] });
        let layout = BlockLayout { input: &blocks[2..], output: &blocks, ..BlockLayout::NONE };
        let places = Places::Buffers {
            send: std::ptr::without_provenance(64),
            recv: std::ptr::without_provenance_mut(4096),
        };
        let (collective, datatype) = (Collective::AllGatherV, Datatype::Float32);
        let call = Unequal { collective, datatype, op: None, root: 0, layout, places };
        UnequalBlocks::of(&call).unwrap()
    }

    #[test]
    fn blocks_are_split_at_the_same_elements_wherever_they_are() {
        let (operation, blocks) = blocks_at([0, 7, 600]);
        assert_eq!(operation.call.count, 600);
        let in_slot = SideBlocks::Apart { start: 1 << 20, step: 512 * 4 };
        let second = blocks.output.copies(512 * 4, 88 * 4, &in_slot);
        assert_eq!(second, [DeviceCopy { to: 1 << 20, from: 4096 + 2048, bytes: 352 }]);
        let first = blocks.output.copies(0, 512 * 4, &in_slot);
        assert_eq!(first[1], DeviceCopy { to: (1 << 20) + 4096, from: 4096 + 2400, bytes: 12 });
        let packed = blocks.output.packed_at(1 << 20);
        assert_eq!(packed, SideBlocks::At(vec![1 << 20, (1 << 20) + 2400, (1 << 20) + 2400]));
    }

    #[test]
    fn a_report_has_the_distance_of_blocks_from_the_first_by_address() {
        let (_, blocks) = blocks_at([10, 7, 2]);
        assert_eq!(blocks.output.span(), (4096 + 8, 2432));
        let spans = [(32, 2400), (0, 0), (0, 12)].map(|(offset, bytes)| BlockSpan { offset, bytes });
        assert_eq!(blocks.report().output, spans);
    }
}

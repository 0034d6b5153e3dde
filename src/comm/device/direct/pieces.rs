//! A collective on device memory, in pieces that fit into a slot of the bounce buffer.
//!
//! The pieces depend only on what is equal on all ranks. Each takes the same elements of every block: those
//! from `first` on.

use std::sync::Arc;

use super::unequal::UnequalBlocks;
use crate::base::{Call, CallKind, Collective, Rank};
use crate::comm::call::operation::Operation;
use crate::comm::call::operator::Operator;

/// Elements of a piece are a multiple of this, so that its buffers stay aligned.
const GRAIN: usize = 512;

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
        with_one_count(self.collective).input_elements(size, rank, self.call.root, 1)
    }

    /// Blocks that `rank` of `size` writes.
    pub fn output_blocks(&self, size: usize, rank: Rank) -> usize {
        match self.collective {
            // Nothing comes before rank 0.
            Collective::Exscan if rank == 0 => 0,
            collective => with_one_count(collective).output_elements(size, rank, self.call.root, 1),
        }
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

/// The pieces of a call that are still to be made.
#[derive(Clone)]
pub struct DirectPieces {
    call: Call,
    /// Addresses of the buffers.
    pub send: usize,
    pub recv: usize,
    /// Set if the program has made the operator.
    pub operator: Option<Arc<Operator>>,
    /// Set if the blocks differ in length. None is longer than the count of the call then.
    pub unequal: Option<Arc<UnequalBlocks>>,
    collective: Collective,
    next: usize,
    /// Elements of each block in a piece.
    step: usize,
}

impl DirectPieces {
    /// Cuts a call of a communicator of `size` ranks. `slot`: the bytes that a piece may have on one side of
    /// a rank, if there is a limit. `None`: the call is no collective.
    pub fn of(
        operation: &Operation,
        operator: Option<&Arc<Operator>>,
        size: usize,
        slot: Option<usize>,
    ) -> Option<DirectPieces> {
        let Call { kind: CallKind::Collective(collective), root, count, datatype, .. } = operation.call
        else {
            return None;
        };
        let blocks = (0..size as Rank).map(|rank| {
            let uniform = with_one_count(collective);
            let read = uniform.input_elements(size, rank, root, 1);
            read.max(uniform.output_elements(size, rank, root, 1))
        });
        let block = blocks.max().unwrap_or(1).max(1) * datatype.bytes();
        let step = slot.map_or(usize::MAX, |slot| (slot / block / GRAIN * GRAIN).max(1));
        let (send, recv, operator) = (operation.send.addr(), operation.recv.addr(), operator.cloned());
        let (call, step) = (operation.call, step.min(count as usize));
        Some(DirectPieces { call, send, recv, operator, unequal: None, collective, next: 0, step })
    }

    /// The call as the other ranks see it.
    pub fn signature(&self) -> Call {
        let kind = CallKind::OnDevice(self.collective);
        self.unequal.as_ref().map_or(Call { kind, ..self.call }, |blocks| blocks.signature)
    }

    /// Whether the call overwrites blocks of its input before other ranks have read them.
    pub fn are_exchanged_in_place(&self) -> bool {
        match &self.unequal {
            Some(blocks) => blocks.are_exchanged_in_place(),
            None => self.collective == Collective::AllToAll && self.send == self.recv,
        }
    }

    /// The call as one piece.
    pub fn whole(&self) -> Piece {
        let call = self.call;
        Piece { collective: self.collective, call, first: 0, len: call.count as usize }
    }

    /// Whether there are several pieces.
    pub fn are_many(&self) -> bool {
        self.step < self.call.count as usize
    }

    /// Whether there are several pieces, and the next one is the first.
    pub fn is_at_first_of_many(&self) -> bool {
        self.are_many() && self.next == 0
    }

    /// The next piece, and whether it is the last.
    pub fn next(&mut self) -> Option<(Piece, bool)> {
        let count = self.call.count as usize;
        if self.next >= count {
            return None;
        }
        let first = self.next;
        let len = self.step.min(count - first);
        self.next += len;
        let piece = Piece { collective: self.collective, call: self.call, first, len };
        Some((piece, self.next == count))
    }
}

/// The collective with one count whose ranks have as many blocks.
fn with_one_count(collective: Collective) -> Collective {
    match collective {
        Collective::AllGatherV => Collective::AllGather,
        Collective::GatherV => Collective::Gather,
        Collective::ScatterV => Collective::Scatter,
        Collective::ReduceScatterV => Collective::ReduceScatter,
        Collective::AllToAllV => Collective::AllToAll,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Datatype;

    fn pieces(collective: Collective, count: u64, slot: Option<usize>) -> Vec<(usize, usize, bool)> {
        let kind = CallKind::Collective(collective);
        let call = Call { kind, datatype: Datatype::Float32, op: None, root: 1, count };
        let operation = Operation { call, send: std::ptr::null(), recv: std::ptr::null_mut() };
        let mut pieces = DirectPieces::of(&operation, None, 4, slot).unwrap();
        std::iter::from_fn(|| pieces.next())
            .map(|(piece, is_last)| (piece.first, piece.len, is_last))
            .collect()
    }

    #[test]
    fn pieces_cover_a_call_once_and_fit_into_a_slot_on_every_rank() {
        assert_eq!(pieces(Collective::Broadcast, 5, None), [(0, 5, true)]);
        assert_eq!(pieces(Collective::Broadcast, 1024, Some(4096)), [(0, 1024, true)]);
        assert_eq!(pieces(Collective::Broadcast, 1025, Some(4096)), [(0, 1024, false), (1024, 1, true)]);
        // Four blocks of 512 elements fill a slot.
        assert_eq!(pieces(Collective::AllGather, 600, Some(8192)), [(0, 512, false), (512, 88, true)]);
        assert_eq!(pieces(Collective::Gather, 600, Some(8192)).len(), 2);
        assert_eq!(pieces(Collective::Broadcast, 0, Some(8192)), []);
    }
}

//! A call on device memory by the direct path, as bundles: pieces that fit into a slot of the bounce buffer.
//!
//! The bundles depend only on what is equal on all ranks. Several collectives of a list are one bundle, as
//! far as a slot and a table hold them.

use std::fmt;
use std::sync::Arc;

use super::bundle::{Bundle, BundleLimits, PlacedPiece};
use super::piece::Piece;
use super::unequal::UnequalBlocks;
use crate::base::{Call, CallKind, Collective, ListCount};
use crate::comm::call::operation::Operation;
use crate::comm::call::operator::Operator;

/// Elements of a piece are a multiple of this, so that its buffers stay aligned.
const GRAIN: usize = 512;

/// A collective of the call.
#[derive(Clone, Copy)]
struct DirectPart {
    call: Call,
    collective: Collective,
    /// Addresses of the buffers.
    send: usize,
    recv: usize,
    /// Elements of each block in a piece.
    step: usize,
}

/// The pieces of a call that are still to be made.
#[derive(Clone)]
pub struct DirectPieces {
    /// The collectives: one, or those of a list that have elements.
    parts: Arc<[DirectPart]>,
    limits: BundleLimits,
    /// Set if the program has made the operator.
    pub operator: Option<Arc<Operator>>,
    /// Set if the blocks differ in length. None is longer than the count of the call then.
    pub unequal: Option<Arc<UnequalBlocks>>,
    /// The name of the list, if the call has one.
    list: Option<ListCount>,
    /// Number of parts that are made as a whole, and of elements of the next one.
    passed: usize,
    next: usize,
}

impl DirectPieces {
    /// Cuts collectives with these limits. `None`: one of them is no collective.
    pub fn of(
        operations: impl Iterator<Item = Operation>,
        operator: Option<&Arc<Operator>>,
        list: Option<ListCount>,
        limits: BundleLimits,
    ) -> Option<DirectPieces> {
        let part = |operation: Operation| {
            let Operation { call, send, recv } = operation;
            let CallKind::Collective(collective) = call.kind else { return None };
            let whole = Piece { collective, call, first: 0, len: call.count as usize };
            let block = whole.most_blocks(limits.size) * call.datatype.bytes();
            let step = limits.slot.map_or(usize::MAX, |slot| (slot / block / GRAIN * GRAIN).max(1));
            Some(DirectPart { call, collective, send: send.addr(), recv: recv.addr(), step })
        };
        let parts: Option<Arc<[DirectPart]>> = operations.map(part).collect();
        let operator = operator.cloned();
        Some(DirectPieces { parts: parts?, limits, operator, unequal: None, list, passed: 0, next: 0 })
    }

    /// Whether the call overwrites blocks of its input before other ranks have read them.
    pub fn are_exchanged_in_place(&self) -> bool {
        let is_exchange =
            |part: &DirectPart| part.collective == Collective::AllToAll && part.send == part.recv;
        match &self.unequal {
            Some(blocks) => blocks.are_exchanged_in_place(),
            None => self.parts.iter().any(is_exchange),
        }
    }

    /// Whether the call is a list.
    pub fn are_of_list(&self) -> bool {
        self.list.is_some()
    }

    /// All collectives of the call.
    pub fn wholes(&self) -> impl Iterator<Item = PlacedPiece> {
        self.parts.iter().map(|part| part.placed(0, part.call.count as usize))
    }

    /// Whether no piece is left.
    pub fn is_at_end(&self) -> bool {
        self.passed >= self.parts.len()
    }

    /// The next bundle. `None`: no piece is left. [`DirectPieces::pass`] tells that it was made.
    pub fn next(&self) -> Option<Bundle> {
        let part = self.parts.get(self.passed)?;
        let len = part.step.min((part.call.count as usize).saturating_sub(self.next));
        let first = part.placed(self.next, len);
        let mut bundle = Bundle::of(first, self.limits, part.call);
        if self.next == 0 {
            for other in &self.parts[self.passed + 1..] {
                if !bundle.add(other.placed(0, other.call.count as usize), self.limits) {
                    break;
                }
            }
        }
        let lengths = bundle.pieces.iter().map(|placed| placed.piece.len as u64);
        bundle.signature = self.signature(part, |list| list.about(lengths));
        Some(bundle)
    }

    /// The bundle that is the whole call, wherever its buffers are. `None`: there are several.
    pub fn only_bundle(&self) -> Option<Bundle> {
        let (bundle, mut after) = (self.next()?, self.clone());
        after.pass(&bundle, false);
        after.is_at_end().then_some(bundle)
    }

    /// Notes that a bundle was made, as a whole or only what fits.
    pub fn pass(&mut self, bundle: &Bundle, is_whole: bool) {
        let made = if is_whole { bundle.pieces.len() } else { bundle.fitting };
        let Some(first) = bundle.pieces.first().map(|placed| placed.piece) else { return };
        let end = first.first + first.len;
        if is_whole || end >= first.call.count as usize {
            (self.passed, self.next) = (self.passed + made, 0);
        } else {
            self.next = end;
        }
    }

    /// A call as the other ranks see it, where `about` gives its name of the list.
    fn signature(&self, part: &DirectPart, about: impl FnOnce(ListCount) -> ListCount) -> Call {
        let call = part.call;
        match (&self.unequal, self.list) {
            (Some(blocks), _) => blocks.signature,
            (None, None) => Call { kind: CallKind::OnDevice(part.collective), ..call },
            (None, Some(list)) => {
                let (kind, count) = (CallKind::ListOnDevice(part.collective), about(list).to_bits());
                Call { kind, count, ..call }
            }
        }
    }
}

/// The form of error messages: the whole call, whichever pieces are left.
impl fmt::Display for DirectPieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.first().map_or(Ok(()), |part| self.signature(part, |list| list).fmt(f))
    }
}

impl DirectPart {
    /// The elements of each block from `first` on.
    fn placed(&self, first: usize, len: usize) -> PlacedPiece {
        let piece = Piece { collective: self.collective, call: self.call, first, len };
        PlacedPiece { piece, send: self.send, recv: self.recv, slot_at: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Datatype, ReduceOp};

    fn calls(collective: Collective, counts: &[u64], slot: Option<usize>) -> DirectPieces {
        let kind = CallKind::Collective(collective);
        let op = (collective == Collective::AllReduce).then_some(ReduceOp::Sum);
        let of_count = |count: &u64| {
            let call = Call { kind, datatype: Datatype::Float32, op, root: 1, count: *count };
            Operation { call, send: std::ptr::null(), recv: std::ptr::null_mut() }
        };
        let list = (counts.len() > 1).then(|| ListCount::of(counts.iter().map(|count| (*count, 0))));
        let limits = BundleLimits { size: 4, slot, table: 32 << 10 };
        DirectPieces::of(counts.iter().map(of_count), None, list, limits).unwrap()
    }

    /// The pieces of one collective, and whether each is the last one.
    fn pieces(collective: Collective, count: u64, slot: Option<usize>) -> Vec<(usize, usize, bool)> {
        let mut pieces = calls(collective, &[count], slot);
        std::iter::from_fn(|| {
            let bundle = pieces.next()?;
            pieces.pass(&bundle, false);
            let piece = bundle.pieces[0].piece;
            Some((piece.first, piece.len, pieces.is_at_end()))
        })
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
        assert_eq!(pieces(Collective::Broadcast, 0, Some(8192)), [(0, 0, true)]);
    }

    /// The lengths of the pieces of each bundle, if all or none are made as a whole.
    fn bundles(mut pieces: DirectPieces, is_whole: bool) -> Vec<Vec<usize>> {
        std::iter::from_fn(|| {
            let bundle = pieces.next()?;
            let is_whole = is_whole && bundle.may_be_whole();
            pieces.pass(&bundle, is_whole);
            Some(bundle.chosen(is_whole).iter().map(|placed| placed.piece.len).collect())
        })
        .collect()
    }

    #[test]
    fn collectives_of_a_list_share_bundles_as_far_as_a_slot_or_a_table_holds_them() {
        let list = |slot| calls(Collective::AllReduce, &[100, 900, 1, 2000, 30, 4], slot);
        assert_eq!(bundles(list(None), false), [[100, 900, 1, 2000, 30, 4]]);
        assert!(list(None).only_bundle().is_some() && list(Some(4096)).only_bundle().is_none());
        let in_slots: [&[usize]; 4] = [&[100], &[900, 1], &[1024], &[976]];
        let found = bundles(list(Some(4096)), false);
        assert_eq!(found[..4], in_slots);
        assert_eq!(found[4..], [[30, 4]]);
        assert_eq!(bundles(list(Some(4096)), true), [[100, 900, 1, 2000, 30, 4]]);
        let many = |collective| bundles(calls(collective, &[1; 70], Some(8 << 20)), false);
        assert_eq!(many(Collective::Broadcast).iter().map(Vec::len).collect::<Vec<_>>(), [64, 6]);
        // A table holds 20 reductions.
        assert_eq!(many(Collective::AllReduce).iter().map(Vec::len).collect::<Vec<_>>(), [20, 20, 20, 10]);
    }

    #[test]
    fn pieces_in_a_slot_do_not_overlap_and_copies_are_one_launch() {
        let bundle = calls(Collective::AllGather, &[3, 100, 1], Some(1 << 20)).next().unwrap();
        let places: Vec<usize> = bundle.pieces.iter().map(|placed| placed.slot_at).collect();
        assert_eq!(places, [0, 256, 256 + 1792]);
        assert_eq!((bundle.works.len(), bundle.launches(3), bundle.launches(0)), (1, 1, 0));
        let bundle = calls(Collective::AllReduce, &[3, 100, 1], None).next().unwrap();
        let tables: Vec<usize> = bundle.works.iter().map(|work| work.table_at).collect();
        assert_eq!((bundle.launches(2), tables), (2, vec![0, 1584, 2 * 1584]));
    }

    #[test]
    fn bundles_of_a_list_carry_its_name() {
        let name = |counts: &[u64]| calls(Collective::Broadcast, counts, None).next().unwrap().signature;
        assert_eq!(name(&[1, 2]).kind, CallKind::ListOnDevice(Collective::Broadcast));
        assert_ne!(name(&[1, 2]).pack(), name(&[1, 3]).pack());
        assert_eq!(name(&[1]).kind, CallKind::OnDevice(Collective::Broadcast));
    }
}

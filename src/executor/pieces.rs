//! The pieces in which the buffers of a call are copied while it runs, and the order in which its program
//! needs them.
//!
//! The order only decides how soon a call makes progress. Whether a step may run is a matter of
//! `copy_progress`.

use std::ops::Range;
use std::ptr;

use super::buffers::{Buffers, Memory};
use super::program::Program;
use super::steps::{Bytes, LocalStep};
use crate::plan::Buffer;

/// A run of bytes, by the addresses of its start and of its end.
pub type Piece = Range<usize>;

/// What a step does with a part of the caller's buffers.
pub(super) struct Touch {
    pub bytes: Range<usize>,
    pub is_written: bool,
    round: u32,
    lane: u32,
}

/// When a program comes to a piece: by round, then by the bytes that the step moves before, then by lane.
type Moment = (u32, usize, u32);

impl Program {
    /// Sorts pieces, which do not overlap, by when the program first reads or writes them.
    pub fn sort_by_first_use(&self, buffers: Buffers, pieces: &mut [Piece]) {
        const NEVER: Moment = (u32::MAX, 0, 0);
        self.sort(
            pieces,
            NEVER,
            |piece, first, touch| {
                let before = piece.start.max(touch.bytes.start) - touch.bytes.start;
                *first = (*first).min((touch.round, before, touch.lane));
            },
            buffers,
        );
    }

    /// Sorts pieces, which do not overlap, by when the program last writes them.
    pub fn sort_by_last_write(&self, buffers: Buffers, pieces: &mut [Piece]) {
        self.sort(
            pieces,
            Moment::default(),
            |piece, last, touch| {
                let until = piece.end.min(touch.bytes.end) - touch.bytes.start;
                if touch.is_written {
                    *last = (*last).max((touch.round, until, touch.lane));
                }
            },
            buffers,
        );
    }

    fn sort(
        &self,
        pieces: &mut [Piece],
        initial: Moment,
        note: impl Fn(&Piece, &mut Moment, &Touch),
        buffers: Buffers,
    ) {
        pieces.sort_unstable_by_key(|piece| piece.start);
        let mut moments = vec![initial; pieces.len()];
        self.touches(buffers, |touch| {
            let first = pieces.partition_point(|piece| piece.end <= touch.bytes.start);
            let touched = pieces[first..].iter().zip(&mut moments[first..]);
            for (piece, moment) in touched.take_while(|(piece, _)| piece.start < touch.bytes.end) {
                note(piece, moment, &touch);
            }
        });
        let mut sorted: Vec<(Moment, Piece)> = moments.into_iter().zip(pieces.iter().cloned()).collect();
        sorted.sort_by_key(|(moment, piece)| (*moment, piece.start));
        pieces.iter_mut().zip(sorted).for_each(|(piece, (_, next))| *piece = next);
    }

    /// Calls `each` with every part of the caller's buffers that a step touches, step by step.
    pub(super) fn touches(&self, buffers: Buffers, mut each: impl FnMut(Touch)) {
        let memory = Memory { buffers, scratch: ptr::null_mut() };
        let mut touch = |span: &Bytes, (lane, round): (u32, u32), is_written| {
            if span.buffer != Buffer::Scratch && span.len > 0 {
                let start = memory.address(span, 0).addr();
                each(Touch { bytes: start..start + span.len, is_written, round, lane });
            }
        };
        for (lane, rounds) in self.lanes.iter().enumerate() {
            for (round, steps) in rounds.iter().enumerate() {
                for local in &steps.locals {
                    local.reads().for_each(|span| touch(span, (lane as u32, round as u32), false));
                    touch(local.writes(), (lane as u32, round as u32), true);
                }
            }
        }
        for step in self.sends.iter().flat_map(|queue| &queue.steps) {
            touch(&step.span, (step.lane, step.round), false);
        }
        for step in self.recvs.iter().flat_map(|queue| &queue.steps) {
            step.operand.iter().for_each(|span| touch(span, (step.lane, step.round), false));
            touch(&step.dst, (step.lane, step.round), true);
        }
    }
}

impl LocalStep {
    /// The spans that the step reads.
    pub fn reads(&self) -> impl Iterator<Item = &Bytes> {
        let (first, second) = match self {
            LocalStep::Copy { src, .. } => (src, None),
            LocalStep::Reduce { a, b, .. } => (a, Some(b)),
            LocalStep::Narrow { src, .. } => (src, None),
            LocalStep::Widen { src, operand, .. } => (src, operand.as_ref()),
        };
        std::iter::once(first).chain(second)
    }

    /// The span that the step writes.
    pub fn writes(&self) -> &Bytes {
        match self {
            LocalStep::Copy { dst, .. }
            | LocalStep::Reduce { dst, .. }
            | LocalStep::Narrow { dst, .. }
            | LocalStep::Widen { dst, .. } => dst,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::algo;
    use crate::base::{Collective, Rank};
    use crate::plan::{BlockLayout, PlanRequest};
    use crate::topology::Topology;
    use crate::transport::SingleCopy;

    /// The program of an all_reduce of 400 elements of 4 bytes on 4 ranks, by the ring.
    pub fn ring(rank: Rank) -> Program {
        let topology = Topology::one_host(4);
        let request = PlanRequest {
            collective: Collective::AllReduce,
            size: 4,
            rank,
            root: 0,
            count: 400,
            element_bytes: 4,
            in_place: false,
            chunk_bytes: 64,
            topology: &topology,
            layout: BlockLayout::NONE,
        };
        let plan = (algo::find(Collective::AllReduce, "ring").unwrap().build)(&request);
        Program::compile(&plan, &request, SingleCopy::Never)
    }

    /// Buffers that nobody touches: the input begins at 10000, the output at 20000.
    pub fn buffers() -> Buffers {
        Buffers { input: ptr::without_provenance(10_000), output: ptr::without_provenance_mut(20_000) }
    }

    /// The 1600 bytes after `start` in pieces of 200 bytes, of which two are a segment.
    pub fn pieces(start: usize) -> Vec<Piece> {
        (0..8).map(|at| start + 200 * at..start + 200 * (at + 1)).collect()
    }

    #[test]
    fn the_segments_of_a_ring_are_sorted_by_their_rounds_and_those_of_a_round_alternate() {
        let mut input = pieces(10_000);
        ring(2).sort_by_first_use(buffers(), &mut input);
        let segments: Vec<usize> = input.iter().map(|piece| (piece.start - 10_000) / 400).collect();
        // In its first round, the rank sends one segment and receives into another.
        assert_eq!(segments[0] + segments[1], segments[2] + segments[3]);
        assert_ne!(segments[0], segments[1]);
        assert_eq!((segments[4], segments[6]), (segments[5], segments[7]));
        let mut sorted = input.clone();
        sorted.sort_unstable_by_key(|piece| piece.start);
        assert_eq!(sorted, pieces(10_000));
    }

    #[test]
    fn the_output_of_a_ring_is_sorted_by_the_rounds_that_write_it_last() {
        let mut output = pieces(20_000);
        ring(2).sort_by_last_write(buffers(), &mut output);
        let segments: Vec<usize> = output.iter().map(|piece| (piece.start - 20_000) / 400).collect();
        let first = segments[0];
        let rounds: Vec<usize> = (0..8).map(|at| (first + 4 - at / 2) % 4).collect();
        assert_eq!(segments, rounds);
    }
}

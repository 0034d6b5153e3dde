//! The pieces in which the buffers of a call are copied while it runs, and the order in which its program
//! needs them.
//!
//! The order only decides how soon a call makes progress. Whether a step may run is a matter of `gates`.

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
        };
        std::iter::once(first).chain(second)
    }

    /// The span that the step writes.
    pub fn writes(&self) -> &Bytes {
        match self {
            LocalStep::Copy { dst, .. } | LocalStep::Reduce { dst, .. } => dst,
        }
    }
}

//! Chunks that pass through slots of scratch which the other ranks of the host read where they are.
//!
//! What several ranks want, or what the next one reduces, is written once into memory that all of them see,
//! and read there: a plan says so by [`Plan::shared_scratch`](crate::plan::Plan::shared_scratch). Chunks are
//! small enough for the cache of a core, which its ranks then read one after the other, and as large as that
//! permits: each costs every rank a turn.

use std::ops::Range;

use super::builder::scratch;
use super::segments::Segments;
use crate::cost::LinkModel;
use crate::plan::{PlanRequest, Span};

/// Number of chunks, while each has between one and [`MOST`] times [`PlanRequest::chunk_bytes`].
const FEW: usize = 4;
const MOST: usize = 8;
/// More messages of a rank than this, one of each chunk to each other rank, make long plans.
const MANY: usize = 1 << 15;

/// The chunks of a buffer, and the slots that they pass through.
#[derive(Clone, Copy, Debug)]
pub(in crate::algo) struct Staging {
    chunks: Segments,
    lanes: usize,
    slots_per_lane: usize,
}

impl Staging {
    /// For `request.count` elements, in at most so many lanes.
    pub(in crate::algo) fn new(request: &PlanRequest, lanes: usize, slots_per_lane: usize) -> Staging {
        let unit = request.element_bytes.max(1);
        let bytes = request.count.saturating_mul(unit);
        let many = (MANY / request.size as usize).max(FEW);
        let longest = (MOST * request.chunk_bytes).max(bytes / many);
        let chunk = (bytes / FEW).clamp(request.chunk_bytes, longest) / unit;
        let chunks = Segments::new(request.count, request.count.div_ceil(chunk.max(1)).max(1));
        Staging { chunks, lanes: lanes.min(chunks.parts()), slots_per_lane }
    }

    /// Number of lanes: while a chunk is read in one, the next is written in another.
    pub(in crate::algo) fn lanes(&self) -> usize {
        self.lanes
    }

    /// The chunks of a lane, in order.
    pub(in crate::algo) fn of_lane(&self, lane: usize) -> Vec<Range<usize>> {
        (lane..self.chunks.parts()).step_by(self.lanes).map(|chunk| self.chunks.part(chunk)).collect()
    }

    /// A slot of a lane, as much of it as a chunk of `len` elements needs.
    pub(in crate::algo) fn slot(&self, lane: usize, index: usize, len: usize) -> Span {
        let start = (lane * self.slots_per_lane + index % self.slots_per_lane) * self.longest();
        scratch(start..start + len)
    }

    /// Elements of scratch in all.
    pub(in crate::algo) fn scratch(&self) -> usize {
        self.lanes * self.slots_per_lane * self.longest()
    }

    /// Elements of the longest chunk.
    fn longest(&self) -> usize {
        self.chunks.part(0).len()
    }

    /// Number of chunks.
    pub(in crate::algo) fn chunks(&self) -> f64 {
        self.chunks.parts() as f64
    }
}

/// Time of a chunk besides its bytes: all ranks have to get their turn, to write, to read, and to see that
/// it was read. Measured with 4 and 8 ranks on two cores.
pub(in crate::algo) fn turn(link: &LinkModel) -> f64 {
    8.0 * link.latency_us
}

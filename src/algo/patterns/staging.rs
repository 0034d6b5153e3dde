//! Staging: chunks pass through slots of scratch that the other ranks of the host read in place.
//!
//! Data that several ranks need, or that the next one reduces, is written once into memory that all of them
//! see, and read there. A plan asks for that by [`Plan::shared_scratch`](crate::plan::Plan::shared_scratch).
//! A chunk is small enough for the cache of a core, whose ranks read it one after the other. It is as large
//! as that permits, because each chunk costs every rank a turn.

use std::ops::Range;

use super::builder::scratch;
use super::segments::Segments;
use crate::cost::LinkModel;
use crate::plan::{PlanRequest, Span};

/// Number of chunks, as long as each has between one and [`MOST`] times [`PlanRequest::chunk_bytes`].
const FEW: usize = 4;
const MOST: usize = 8;
/// Upper limit of a rank's messages, one of each chunk to each other rank: more of them make long plans.
const MANY: usize = 1 << 15;

/// The chunks of a buffer, and the slots that they pass through.
#[derive(Clone, Copy, Debug)]
pub(in crate::algo) struct Staging {
    chunks: Segments,
    lanes: usize,
    slots_per_lane: usize,
}

impl Staging {
    /// Cuts `request.count` elements into chunks, in at most this many lanes.
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

    /// A slot of a lane, as long as a chunk of `len` elements needs.
    pub(in crate::algo) fn slot(&self, lane: usize, index: usize, len: usize) -> Span {
        let start = (lane * self.slots_per_lane + index % self.slots_per_lane) * self.longest();
        scratch(start..start + len)
    }

    /// Length of the scratch, in elements.
    pub(in crate::algo) fn scratch(&self) -> usize {
        self.lanes * self.slots_per_lane * self.longest()
    }

    /// Length of the longest chunk, in elements.
    fn longest(&self) -> usize {
        self.chunks.part(0).len()
    }

    /// Number of chunks.
    pub(in crate::algo) fn chunks(&self) -> f64 {
        self.chunks.parts() as f64
    }
}

/// Time of a chunk besides its bytes: all ranks must get their turn to write, to read, and to see that the
/// chunk was read. docs/lab/cost-model.md has the measurement.
pub(in crate::algo) fn turn(link: &LinkModel) -> f64 {
    8.0 * link.latency_us
}

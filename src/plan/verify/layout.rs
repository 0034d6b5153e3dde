//! The layout of one rank's three buffers: which of them share memory.
//!
//! Each rank has one array of cells. The buffers are windows of it. In place, the windows of Input and Output
//! overlap, so every check on cells covers the aliasing without a special case.

use std::ops::Range;

use crate::base::{Collective, Rank};
use crate::plan::{Buffer, PlanRequest, Span, extent};

/// The windows of one rank.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    input: Range<usize>,
    output: Range<usize>,
    scratch: Range<usize>,
}

impl Layout {
    pub(super) fn new(request: &PlanRequest, rank: Rank, in_place: bool, scratch: usize) -> Layout {
        use Collective::*;
        let size = request.size as usize;
        let collective = request.collective;
        let blocks = request.layout;
        let (input_len, output_len) = match collective.has_layout() {
            true => (extent(blocks.input), extent(blocks.output)),
            false => (
                collective.input_elements(size, rank, request.root, request.count),
                collective.output_elements(size, rank, request.root, request.count),
            ),
        };
        // Only the root of a rooted collective has both buffers.
        let in_place = in_place && (!collective.has_root() || rank == request.root);
        let own = rank as usize * request.count;
        let (input, output) = match collective {
            _ if !in_place => (0, input_len),
            AllGather | Gather => (own, 0),
            ReduceScatter | Scatter => (0, own),
            AllGatherV | GatherV => (blocks.output[rank as usize].offset, 0),
            ReduceScatterV | ScatterV => (0, blocks.input[rank as usize].offset),
            _ => (0, 0),
        };
        let caller = (input + input_len).max(output + output_len);
        Layout {
            input: input..input + input_len,
            output: output..output + output_len,
            scratch: caller..caller + scratch,
        }
    }

    /// Number of cells.
    pub(super) fn cells(&self) -> usize {
        self.scratch.end
    }

    pub(super) fn window(&self, buffer: Buffer) -> Range<usize> {
        match buffer {
            Buffer::Input => self.input.clone(),
            Buffer::Output => self.output.clone(),
            Buffer::Scratch => self.scratch.clone(),
        }
    }

    /// The cells of `span`, or the number of elements that its buffer has.
    pub(super) fn locate(&self, span: Span) -> Result<Range<usize>, usize> {
        let window = self.window(span.buffer);
        match span.offset.checked_add(span.len) {
            Some(end) if end <= window.len() => Ok(window.start + span.offset..window.start + end),
            _ => Err(window.len()),
        }
    }

    /// The cells of a span that was checked before.
    pub(super) fn cells_of(&self, span: Span) -> Range<usize> {
        let start = self.window(span.buffer).start + span.offset;
        start..start + span.len
    }

    /// Name of a cell for messages: a buffer and an element of it.
    pub(super) fn name_cell(&self, cell: usize) -> (Buffer, usize) {
        [Buffer::Output, Buffer::Input, Buffer::Scratch]
            .into_iter()
            .find_map(|buffer| {
                let window = self.window(buffer);
                window.contains(&cell).then(|| (buffer, cell - window.start))
            })
            .expect("every cell is in a buffer")
    }
}

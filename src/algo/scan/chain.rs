//! Pipelined chain scan: each rank combines what it receives from the rank before, as the left operand, with
//! its own input, and passes the result on.
//!
//! One lane per chunk: while chunk k goes on, chunk k+1 arrives. Each element crosses every link once.
//!
//! Cost, s chunks: (s+p-2) (alpha + n/s (beta + gamma)). Best for large messages. Scratch up to n, 2 n if
//! exclusive.

use std::ops::Range;

use super::is_exclusive;
use crate::algo::patterns::builder::{LaneBuilder, RoundBuilder, input, output, plan, scratch, shifted};
use crate::algo::patterns::segments::Segments;
use crate::algo::patterns::single_rank::single_rank;
use crate::cost::{Edges, Terms, along, hop, moved, reduced};
use crate::plan::{Plan, PlanRequest, Span};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return if is_exclusive(request) { Plan::default() } else { single_rank(request) };
    }
    let is_first = request.rank == 0;
    let is_last = request.rank + 1 == request.size;
    let chunks = Segments::chunks(request);
    let lanes = (0..chunks.parts()).map(|index| {
        let places = Spans::of(request, chunks.part(index), is_last);
        let mut lane = LaneBuilder::default();
        if !is_first {
            lane.round(|round| round.receive(request.rank - 1, places.before));
            lane.round(|round| places.combine(round, is_exclusive(request), is_last));
        }
        if !is_last {
            let sent = if is_first { places.own } else { places.through };
            lane.round(|round| round.send(request.rank + 1, sent));
        }
        lane
    });
    let all = 0..request.count;
    let copied = is_first && !is_exclusive(request) && !request.in_place;
    let own = copied.then(|| LaneBuilder::copy(input(all.clone()), output(all)));
    let scratch = match (is_first, is_exclusive(request), request.in_place) {
        (true, ..) | (_, false, false) => 0,
        (_, false, true) => request.count,
        (_, true, _) => 2 * request.count,
    };
    plan(scratch, lanes.chain(own))
}

/// The places in which a rank keeps a chunk.
struct Spans {
    own: Span,
    /// The reduction of the ranks before this one.
    before: Span,
    /// The reduction of the ranks before this one, and of this one.
    through: Span,
    result: Span,
}

impl Spans {
    fn of(request: &PlanRequest, chunk: Range<usize>, is_last: bool) -> Spans {
        let result = output(chunk.clone());
        let second = scratch(shifted(chunk.clone(), request.count));
        // Received data may lie in the output until it is complete, unless the own input is there and still
        // needed.
        let needs_own = !(is_exclusive(request) && is_last);
        let before = if request.in_place && needs_own { scratch(chunk.clone()) } else { result };
        let through = if is_exclusive(request) { second } else { result };
        Spans { own: input(chunk), before, through, result }
    }

    /// Makes the result and the data to pass on from the received data.
    fn combine(&self, round: &mut RoundBuilder, is_exclusive: bool, is_last: bool) {
        if !(is_exclusive && is_last) {
            round.reduce(self.before, self.own, self.through);
        }
        if is_exclusive && self.before != self.result {
            round.copy(self.before, self.result);
        }
    }
}

pub(in crate::algo) fn cost(request: &PlanRequest, edges: &Edges) -> f64 {
    let t = Terms::of(request);
    let chunks = Segments::chunks(request).parts() as f64;
    let chunk = t.bytes / chunks;
    along(edges, t.size, chunks, |link| hop(link) + moved(link, chunk) + reduced(link, chunk))
}

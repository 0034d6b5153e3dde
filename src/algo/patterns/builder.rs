//! The builder of plans: spans from ranges, and rounds that leave out empty steps.
//!
//! Empty spans are dropped here, in one place, for both sides of a message. Sender and receiver compute the
//! same ranges, so they drop the same messages. If a collective counts its messages, an empty message is
//! kept.

use std::ops::Range;

use crate::base::{Rank, WireFormat};
use crate::plan::{Buffer, Lane, Plan, PlanRequest, Round, Span, Step};

/// A part of the caller's send buffer.
pub(in crate::algo) fn input(range: Range<usize>) -> Span {
    Span { buffer: Buffer::Input, offset: range.start, len: range.len() }
}

/// A part of the caller's receive buffer.
pub(in crate::algo) fn output(range: Range<usize>) -> Span {
    Span { buffer: Buffer::Output, offset: range.start, len: range.len() }
}

/// A part of the engine's memory.
pub(in crate::algo) fn scratch(range: Range<usize>) -> Span {
    Span { buffer: Buffer::Scratch, offset: range.start, len: range.len() }
}

/// A range moved up by `offset`.
pub(in crate::algo) fn shifted(range: Range<usize>, offset: usize) -> Range<usize> {
    range.start + offset..range.end + offset
}

/// The steps of one round.
#[derive(Default)]
pub(in crate::algo) struct RoundBuilder {
    steps: Vec<Step>,
    /// Whether empty messages are kept.
    signals: bool,
}

impl RoundBuilder {
    /// Adds steps of a plan that exists already.
    pub(in crate::algo) fn extend(&mut self, steps: Vec<Step>) {
        self.steps.extend(steps);
    }

    /// Sends to one rank.
    pub(in crate::algo) fn send(&mut self, to: Rank, span: Span) {
        self.send_to_all(vec![to], span);
    }

    /// Sends the same span to several ranks: one step, so that the transport may write once.
    pub(in crate::algo) fn send_to_all(&mut self, to: Vec<Rank>, span: Span) {
        if (span.len > 0 || self.signals) && !to.is_empty() {
            self.steps.push(Step::Send { to, span });
        }
    }

    /// Receives from one rank.
    pub(in crate::algo) fn receive(&mut self, from: Rank, dst: Span) {
        if dst.len > 0 || self.signals {
            self.steps.push(Step::Recv { from, dst });
        }
    }

    /// Receives from one rank and reduces with `operand`.
    pub(in crate::algo) fn receive_reduce(&mut self, from: Rank, operand: Span, dst: Span) {
        if dst.len > 0 {
            self.steps.push(Step::RecvReduce { from, operand, dst });
        }
    }

    /// Copies locally.
    pub(in crate::algo) fn copy(&mut self, src: Span, dst: Span) {
        if dst.len > 0 {
            self.steps.push(Step::Copy { src, dst });
        }
    }

    /// Makes a narrow form.
    pub(in crate::algo) fn narrow(&mut self, format: WireFormat, src: Span, dst: Span) {
        if src.len > 0 {
            self.steps.push(Step::Narrow { format, src, dst });
        }
    }

    /// Makes numbers of a narrow form, or their sums with `operand`.
    pub(in crate::algo) fn widen(&mut self, format: WireFormat, src: Span, operand: Option<Span>, dst: Span) {
        if dst.len > 0 {
            self.steps.push(Step::Widen { format, src, operand, dst });
        }
    }

    /// Reduces locally.
    pub(in crate::algo) fn reduce(&mut self, a: Span, b: Span, dst: Span) {
        if dst.len > 0 {
            self.steps.push(Step::Reduce { a, b, dst });
        }
    }
}

/// The rounds of one lane.
#[derive(Default)]
pub(in crate::algo) struct LaneBuilder {
    lane: Lane,
    /// Lowest number that the next round may have.
    earliest: usize,
    /// Whether the lane's messages are counted.
    signals: bool,
}

impl LaneBuilder {
    /// An empty lane. Its messages are counted if those of the collective are.
    pub(in crate::algo) fn of(request: &PlanRequest) -> LaneBuilder {
        LaneBuilder { signals: request.collective.counts_messages(), ..LaneBuilder::default() }
    }

    /// Adds the round that `fill` makes, unless it stays empty.
    pub(in crate::algo) fn round(&mut self, fill: impl FnOnce(&mut RoundBuilder)) {
        let mut round = RoundBuilder { signals: self.signals, ..RoundBuilder::default() };
        fill(&mut round);
        if !round.steps.is_empty() {
            let number = self.earliest.max(self.lane.rounds.len());
            self.lane.rounds.resize_with(number, Round::default);
            self.lane.rounds.push(Round { steps: round.steps });
        }
    }

    /// Gives the next round at least this number. Messages are posted by round, so lanes agree in this way
    /// which of their messages go first.
    pub(in crate::algo) fn not_before(&mut self, round: usize) {
        self.earliest = round;
    }

    /// A lane that only copies. It runs next to the others, so it delays no message.
    pub(in crate::algo) fn copy(src: Span, dst: Span) -> LaneBuilder {
        let mut lane = LaneBuilder::default();
        lane.round(|round| round.copy(src, dst));
        lane
    }
}

/// Makes a plan of lanes, and leaves out empty ones.
pub(in crate::algo) fn plan(scratch: usize, lanes: impl IntoIterator<Item = LaneBuilder>) -> Plan {
    let mut lanes: Vec<Lane> = lanes.into_iter().map(|builder| builder.lane).collect();
    lanes.retain(|lane| !lane.rounds.is_empty());
    Plan { scratch, lanes, shared_scratch: false }
}

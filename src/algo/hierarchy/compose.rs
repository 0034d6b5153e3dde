//! Plans made of plans: calls of collectives among groups of ranks, glued into one plan.
//!
//! A [`GroupCall`] is a collective of a group. Its ranks are numbered by their position in the group, and the
//! caller says where its buffers lie. [`Composition`] builds the plan of each call with the algorithm's own
//! `build` and translates it. Group ranks become ranks, Input and Output become the places of the call, and
//! Scratch becomes a part of the whole plan's scratch. Calls that follow each other reuse that part; calls
//! *side by side* have one each.
//!
//! # Why messages still match
//!
//! There are no tags: between two ranks, messages match in posting order. Calls that follow each other in one
//! lane keep their order on every rank, so their messages do, too.
//!
//! Calls side by side share rounds: their first rounds form one round of the whole, and so on. Between two
//! ranks, messages come round by round, and within a round in the order of the calls. Both ends agree on that
//! under two conditions. Both list the calls in the same order. And each call that the two ranks share has
//! its messages in the same rounds on both. The caller must ensure the second one. Calls of one transfer
//! round satisfy it. So do calls of one algorithm in which each rank has the same group rank and no message
//! is left out for being empty.
//!
//! Lanes, too, are calls side by side: all ranks give a call the same first round (`not_before`). The
//! verifier proves all this for every algorithm of the table.

use crate::algo::patterns::builder::{LaneBuilder, RoundBuilder, plan, scratch};
use crate::base::{Collective, Rank};
use crate::plan::{BlockLayout, Buffer, Plan, PlanRequest, Span, Step};
use crate::topology::Topology;

/// A collective among some ranks.
pub(in crate::algo) struct GroupCall {
    /// The collective.
    pub(in crate::algo) collective: Collective,
    /// Makes the plan of one member.
    pub(in crate::algo) build: fn(&PlanRequest) -> Plan,
    /// The ranks that take part, in the order of their group ranks.
    pub(in crate::algo) group: Vec<Rank>,
    /// Root as a group rank; 0 if the collective has none.
    pub(in crate::algo) root: usize,
    /// Number of elements, in the collective's sense.
    pub(in crate::algo) count: usize,
    /// Start of the collective's input; its length is ignored.
    pub(in crate::algo) input: Span,
    /// Start of its output. The call is in place if it equals the input.
    pub(in crate::algo) output: Span,
}

/// A plan that grows at the end of its latest lane.
pub(in crate::algo) struct Composition<'a> {
    whole: &'a PlanRequest<'a>,
    /// Lanes that are complete.
    lanes: Vec<LaneBuilder>,
    lane: LaneBuilder,
    /// Scratch that is reserved, and the most scratch needed so far.
    reserved: usize,
    scratch: usize,
}

impl<'a> Composition<'a> {
    /// An empty composition for the plan of `whole`.
    pub(in crate::algo) fn new(whole: &'a PlanRequest<'a>) -> Composition<'a> {
        Composition { whole, lanes: Vec::new(), lane: LaneBuilder::of(whole), reserved: 0, scratch: 0 }
    }

    /// Begins a lane next to the earlier ones, with scratch of its own.
    pub(in crate::algo) fn begin_lane(&mut self) {
        self.lanes.push(std::mem::replace(&mut self.lane, LaneBuilder::of(self.whole)));
        self.reserved = self.scratch;
    }

    /// Gives the next rounds at least this number.
    pub(in crate::algo) fn not_before(&mut self, round: usize) {
        self.lane.not_before(round);
    }

    /// Reserves scratch for good. Its contents are undefined, even if earlier calls have written there.
    pub(in crate::algo) fn reserve(&mut self, len: usize) -> Span {
        let start = self.reserved;
        self.reserved += len;
        self.scratch = self.scratch.max(self.reserved);
        scratch(start..self.reserved)
    }

    /// Adds a round that belongs to no call.
    pub(in crate::algo) fn round(&mut self, fill: impl FnOnce(&mut RoundBuilder)) {
        self.lane.round(fill);
    }

    /// Adds one call, if this rank is in its group.
    pub(in crate::algo) fn call(&mut self, call: GroupCall) {
        self.side_by_side([call]);
    }

    /// Adds calls that run at the same time. Calls without this rank are left out.
    pub(in crate::algo) fn side_by_side(&mut self, calls: impl IntoIterator<Item = GroupCall>) {
        let mut rounds: Vec<Vec<Step>> = Vec::new();
        let mut used = self.reserved;
        for call in calls {
            let Some(rank) = call.group.iter().position(|&rank| rank == self.whole.rank) else { continue };
            let part = call.plan(self.whole, rank);
            for (number, round) in part.lanes.into_iter().flat_map(|lane| lane.rounds.into_iter().enumerate())
            {
                if rounds.len() <= number {
                    rounds.resize_with(number + 1, Vec::new);
                }
                rounds[number].extend(round.steps.into_iter().map(|step| call.translated(step, used)));
            }
            used += part.scratch;
        }
        self.scratch = self.scratch.max(used);
        for steps in rounds {
            self.lane.round(|round| round.extend(steps));
        }
    }

    /// Makes the plan of these lanes and of `beside`, lanes that are independent of them.
    pub(in crate::algo) fn finish(self, beside: impl IntoIterator<Item = LaneBuilder>) -> Plan {
        plan(self.scratch, self.lanes.into_iter().chain([self.lane]).chain(beside))
    }
}

impl GroupCall {
    fn plan(&self, whole: &PlanRequest, rank: usize) -> Plan {
        let size = self.group.len() as u32;
        (self.build)(&PlanRequest {
            collective: self.collective,
            size,
            rank: rank as Rank,
            root: self.root as Rank,
            count: self.count,
            element_bytes: whole.element_bytes,
            in_place: (self.input.buffer, self.input.offset) == (self.output.buffer, self.output.offset),
            chunk_bytes: whole.chunk_bytes,
            topology: &Topology::one_host(size),
            layout: BlockLayout::NONE,
        })
    }

    /// A step of the call's plan as a step of the whole; its scratch begins at `scratch`.
    fn translated(&self, step: Step, scratch: usize) -> Step {
        let rank = |member: Rank| self.group[member as usize];
        let span = |span: Span| {
            let (buffer, start) = match span.buffer {
                Buffer::Input => (self.input.buffer, self.input.offset),
                Buffer::Output => (self.output.buffer, self.output.offset),
                Buffer::Scratch => (Buffer::Scratch, scratch),
            };
            Span { buffer, offset: start + span.offset, len: span.len }
        };
        match step {
            Step::Copy { src, dst } => Step::Copy { src: span(src), dst: span(dst) },
            Step::Reduce { a, b, dst } => Step::Reduce { a: span(a), b: span(b), dst: span(dst) },
            Step::Narrow { format, src, dst } => Step::Narrow { format, src: span(src), dst: span(dst) },
            Step::Widen { format, src, operand, dst } => {
                Step::Widen { format, src: span(src), operand: operand.map(span), dst: span(dst) }
            }
            Step::Send { to, span: sent } => {
                Step::Send { to: to.into_iter().map(rank).collect(), span: span(sent) }
            }
            Step::Recv { from, dst } => Step::Recv { from: rank(from), dst: span(dst) },
            Step::RecvReduce { from, operand, dst } => {
                Step::RecvReduce { from: rank(from), operand: span(operand), dst: span(dst) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::patterns::builder::{input, output};
    use crate::algo::{all_reduce, reduce};
    use crate::plan::{Lane, Round};

    fn whole(topology: &Topology) -> PlanRequest<'_> {
        PlanRequest {
            collective: Collective::AllReduce,
            size: topology.size(),
            rank: 4,
            root: 0,
            count: 9,
            element_bytes: 4,
            in_place: false,
            chunk_bytes: 64,
            topology,
            layout: BlockLayout::NONE,
        }
    }

    fn all_reduce_of(group: &[Rank], input: Span, output: Span) -> GroupCall {
        GroupCall {
            collective: Collective::AllReduce,
            build: all_reduce::one_shot::build,
            group: group.to_vec(),
            root: 0,
            count: 3,
            input,
            output,
        }
    }

    #[test]
    fn a_call_is_translated_to_its_ranks_and_places() {
        let topology = Topology::one_host(6);
        let request = whole(&topology);
        let mut composition = Composition::new(&request);
        composition.call(all_reduce_of(&[5, 4], input(3..6), output(6..9)));
        let steps = vec![
            Step::Send { to: vec![5], span: input(3..6) },
            Step::RecvReduce { from: 5, operand: input(3..6), dst: output(6..9) },
        ];
        let lanes = vec![Lane { rounds: vec![Round { steps }] }];
        assert_eq!(composition.finish([]), Plan { lanes, ..Plan::default() });
    }

    #[test]
    fn calls_of_other_groups_leave_no_trace() {
        let topology = Topology::one_host(6);
        let request = whole(&topology);
        let mut composition = Composition::new(&request);
        composition.call(all_reduce_of(&[0, 1, 2], input(0..3), output(0..3)));
        assert_eq!(composition.finish([]), Plan::default());
    }

    #[test]
    fn calls_side_by_side_share_rounds_but_no_scratch_and_later_calls_use_it_again() {
        let topology = Topology::one_host(6);
        let request = whole(&topology);
        let mut composition = Composition::new(&request);
        assert_eq!(composition.reserve(2), scratch(0..2));
        // Three ranks: 2 slots of 3 elements for each call that ends here.
        let root_here = |place: usize| GroupCall {
            collective: Collective::Reduce,
            build: reduce::one_shot::build,
            group: vec![1, 4, 5],
            root: 1,
            count: 3,
            input: input(place..place + 3),
            output: output(place..place + 3),
        };
        composition.side_by_side([root_here(0), root_here(3)]);
        composition.call(root_here(6));
        let plan = composition.finish([]);
        assert_eq!(plan.scratch, 2 + 2 * 6);
        let steps: Vec<usize> = plan.lanes[0].rounds.iter().map(|round| round.steps.len()).collect();
        assert_eq!(steps, [4, 4, 2, 2]);
        let slots = |round: usize| {
            let slot = |step: &Step| match *step {
                Step::Recv { dst, .. } => dst.offset,
                _ => panic!("{step:?}"),
            };
            plan.lanes[0].rounds[round].steps.iter().map(slot).collect::<Vec<_>>()
        };
        assert_eq!((slots(0), slots(2)), (vec![2, 5, 8, 11], vec![2, 5]));
    }
}

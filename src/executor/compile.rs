//! Compiling a plan: elements become bytes, and the messages to and from each peer become queues.

use super::fast_program::FastProgram;
use super::hazards::{self, MemoryMap};
use super::program::Program;
use super::steps::{Bytes, LocalStep, PeerQueue, RecvStep, RoundProgram, SendStep};
use crate::base::Rank;
use crate::plan::{Buffer, Plan, PlanRequest, Span, Step};
use crate::transport::SingleCopy;

impl Program {
    /// Compiles a plan that was made for `request`. `single_copy` is the policy of every message that the
    /// plan does not restrict.
    pub fn compile(plan: &Plan, request: &PlanRequest, single_copy: SingleCopy) -> Program {
        let unit = request.element_bytes;
        let bytes = |s: &Span| Bytes { buffer: s.buffer, offset: s.offset * unit, len: s.len * unit };
        Program::compile_with(plan, request, single_copy, bytes, &MemoryMap::of(request))
    }

    /// Like [`Program::compile`], for buffers of the caller that may overlap in any way that the plan
    /// permits, or that consist of many blocks. `starts` says where input and output begin in one memory.
    /// `offset` gives the number of bytes from there to an element. No step spans elements that are not
    /// adjacent.
    pub fn compile_at(
        plan: &Plan,
        request: &PlanRequest,
        single_copy: SingleCopy,
        starts: (usize, usize),
        offset: impl Fn(Buffer, usize) -> usize,
    ) -> Program {
        let unit = request.element_bytes;
        let bytes = |s: &Span| {
            let offset = match s.buffer {
                // An empty span touches no byte.
                _ if s.len == 0 => 0,
                Buffer::Scratch => s.offset * unit,
                buffer => offset(buffer, s.offset),
            };
            Bytes { buffer: s.buffer, offset, len: s.len * unit }
        };
        Program::compile_with(plan, request, single_copy, bytes, &MemoryMap { starts: Some(starts) })
    }

    fn compile_with(
        plan: &Plan,
        request: &PlanRequest,
        single_copy: SingleCopy,
        bytes: impl Fn(&Span) -> Bytes,
        map: &MemoryMap,
    ) -> Program {
        let staged = if plan.shared_scratch { SingleCopy::MappedOnly } else { single_copy };
        let mut compiler = Compiler {
            bytes,
            single_copy,
            staged,
            sends: Queues::new(request.size),
            recvs: Queues::new(request.size),
        };
        let mut lanes: Vec<Vec<RoundProgram>> =
            plan.lanes.iter().map(|lane| lane.rounds.iter().map(|_| Default::default()).collect()).collect();
        let rounds = plan.lanes.iter().map(|lane| lane.rounds.len()).max().unwrap_or(0);
        // Steps are added round by round, so that each queue is in posting order.
        for round in 0..rounds {
            for (number, (lane, compiled)) in plan.lanes.iter().zip(&mut lanes).enumerate() {
                let Some(steps) = lane.rounds.get(round) else { continue };
                let compiled = &mut compiled[round];
                steps.steps.iter().for_each(|step| compiler.add(step, number as u32, round as u32, compiled));
            }
        }
        let mut program = Program {
            lanes,
            sends: compiler.sends.all,
            recvs: compiler.recvs.all,
            scratch_bytes: plan.scratch * request.element_bytes,
            scratch_is_shared: plan.shared_scratch && plan.scratch > 0,
            element_bytes: request.element_bytes,
            fast: None,
            trial: None,
        };
        hazards::add(&mut program.sends, &mut program.recvs, map);
        program.stream_large_output();
        program.fast = FastProgram::of(&program);
        program
    }
}

/// A program that is being compiled.
struct Compiler<F> {
    /// The place of a span, in bytes.
    bytes: F,
    /// Policies for messages sent from the caller's buffers, and for messages sent from scratch.
    single_copy: SingleCopy,
    staged: SingleCopy,
    sends: Queues<SendStep>,
    recvs: Queues<RecvStep>,
}

impl<F: Fn(&Span) -> Bytes> Compiler<F> {
    /// Adds one step. `compiled` is the round of `lane` that takes its local steps and counts its transfers.
    fn add(&mut self, step: &Step, lane: u32, round: u32, compiled: &mut RoundProgram) {
        let bytes = &self.bytes;
        match step {
            Step::Copy { src, dst } => {
                compiled.locals.push(LocalStep::Copy { src: bytes(src), dst: bytes(dst), streamed: false });
            }
            Step::Reduce { a, b, dst } => {
                compiled.locals.push(LocalStep::Reduce { a: bytes(a), b: bytes(b), dst: bytes(dst) });
            }
            Step::Narrow { format, src, dst } => {
                compiled.locals.push(LocalStep::Narrow { format: *format, src: bytes(src), dst: bytes(dst) });
            }
            Step::Widen { format, src, operand, dst } => {
                let (format, operand) = (*format, operand.as_ref().map(bytes));
                compiled.locals.push(LocalStep::Widen { format, src: bytes(src), operand, dst: bytes(dst) });
            }
            Step::Send { to, span } => {
                compiled.transfers += to.len() as u32;
                let from_scratch = span.buffer == Buffer::Scratch;
                let single_copy = if from_scratch { self.staged } else { self.single_copy };
                for &peer in to {
                    let (count, span) = (span.len as u64, bytes(span));
                    self.sends.push(peer, SendStep { lane, round, span, count, single_copy });
                }
            }
            Step::Recv { from, dst } => {
                compiled.transfers += 1;
                self.receive(*from, lane, round, None, dst);
            }
            Step::RecvReduce { from, operand, dst } => {
                compiled.transfers += 1;
                self.receive(*from, lane, round, Some(operand), dst);
            }
        }
    }

    fn receive(&mut self, from: Rank, lane: u32, round: u32, operand: Option<&Span>, dst: &Span) {
        let (operand, count, dst) = (operand.map(&self.bytes), dst.len as u64, (self.bytes)(dst));
        let step = RecvStep { lane, round, operand, dst, count, hazards: Vec::new(), streamed: false };
        self.recvs.push(from, step);
    }
}

/// Queues that are being filled, one per peer that has messages.
struct Queues<S> {
    all: Vec<PeerQueue<S>>,
    /// Index of the queue of each peer; `NONE` for a peer without a queue.
    index: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl<S> Queues<S> {
    fn new(size: u32) -> Queues<S> {
        Queues { all: Vec::new(), index: vec![NONE; size as usize] }
    }

    fn push(&mut self, peer: Rank, step: S) {
        let index = &mut self.index[peer as usize];
        if *index == NONE {
            *index = self.all.len() as u32;
            self.all.push(PeerQueue { peer, steps: Vec::new() });
        }
        self.all[*index as usize].steps.push(step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Collective;
    use crate::plan::{BlockLayout, Lane, Round};
    use crate::topology::Topology;

    #[test]
    fn a_receive_over_a_span_that_is_being_sent_has_a_hazard_only_in_place() {
        let span = |buffer| Span { buffer, offset: 0, len: 5 };
        let steps = vec![
            Step::Send { to: vec![1], span: span(Buffer::Input) },
            Step::RecvReduce { from: 1, operand: span(Buffer::Input), dst: span(Buffer::Output) },
        ];
        let plan = Plan { lanes: vec![Lane { rounds: vec![Round { steps }] }], ..Plan::default() };
        let topology = Topology::one_host(2);
        for in_place in [false, true] {
            let request = PlanRequest {
                collective: Collective::AllReduce,
                size: 2,
                rank: 0,
                root: 0,
                count: 5,
                element_bytes: 4,
                in_place,
                chunk_bytes: 64,
                topology: &topology,
                layout: BlockLayout::NONE,
            };
            let program = Program::compile(&plan, &request, SingleCopy::IfOversubscribed);
            assert_eq!(program.recvs[0].steps[0].hazards.len(), usize::from(in_place));
            assert_eq!(program.recvs[0].steps[0].dst.len, 20);
        }
    }

    #[test]
    fn messages_out_of_shared_scratch_may_stay_there_whatever_the_policy_of_the_others() {
        let topology = Topology::one_host(3);
        let request = PlanRequest {
            collective: Collective::AllReduce,
            size: 3,
            rank: 0,
            root: 0,
            count: 5,
            element_bytes: 4,
            in_place: false,
            chunk_bytes: 64,
            topology: &topology,
            layout: BlockLayout::NONE,
        };
        for (name, single_copy) in [("staged", SingleCopy::MappedOnly), ("ring", SingleCopy::Never)] {
            let algorithm = crate::algo::find(Collective::AllReduce, name).unwrap();
            let program = Program::compile(&(algorithm.build)(&request), &request, SingleCopy::Never);
            let mut sends = program.sends.iter().flat_map(|queue| &queue.steps);
            assert!(sends.all(|send| send.single_copy == single_copy), "{name}");
            assert_eq!(program.scratch_is_shared, name == "staged");
        }
    }
}

//! A plan, compiled for execution: bytes instead of elements, one queue per peer and direction.
//!
//! Messages between two ranks match in posting order, (round, lane, position in round); so the compiler
//! sorts each rank's sends to one peer, and its receives from one peer, into that order once, and
//! execution only walks along the queues.

use super::fast_path::{FastOp, FastProgram};
use super::hazards;
use crate::base::{Collective, Rank};
use crate::observe::trace::Activity;
use crate::plan::{Buffer, Plan, PlanRequest, Span, Step};
use crate::sys::memory_copy::STREAMED_FROM;
use crate::transport::{ExchangeTrial, SingleCopy};

/// A span in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes {
    pub buffer: Buffer,
    pub offset: usize,
    pub len: usize,
}

/// A step that touches no other rank.
#[derive(Clone, Copy, Debug)]
pub(super) enum LocalStep {
    Copy { src: Bytes, dst: Bytes, streamed: bool },
    Reduce { a: Bytes, b: Bytes, dst: Bytes },
}

impl LocalStep {
    /// For a trace: what it does, and to how many bytes.
    pub fn activity(&self) -> (Activity, usize) {
        match self {
            LocalStep::Copy { dst, .. } => (Activity::Copy, dst.len),
            LocalStep::Reduce { dst, .. } => (Activity::Reduce, dst.len),
        }
    }
}

/// One round of one lane.
#[derive(Debug, Default)]
pub(super) struct RoundProgram {
    pub locals: Vec<LocalStep>,
    /// Sends (one per receiver) and receives.
    pub transfers: u32,
}

/// One message to one peer.
#[derive(Debug)]
pub(super) struct SendStep {
    pub lane: u32,
    pub round: u32,
    pub span: Bytes,
    /// What the header says where messages are counted.
    pub count: u64,
    /// Never where a receive waits for this send: on both sides of an exchange in place, nobody would begin.
    pub single_copy: SingleCopy,
}

/// A send that a receive of the same round must not overtake: `queue` of the sends, `position` in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hazard {
    pub queue: u32,
    pub position: u32,
}

/// One message from one peer.
#[derive(Debug)]
pub(super) struct RecvStep {
    pub lane: u32,
    pub round: u32,
    /// Left operand of the reduction; `None`: the bytes are stored as they come.
    pub operand: Option<Bytes>,
    pub dst: Bytes,
    /// What the header says where messages are counted.
    pub count: u64,
    pub hazards: Vec<Hazard>,
    /// What is stored goes past the caches.
    pub streamed: bool,
}

/// The messages to or from one peer, in posting order. Its endpoint, in a program that is run.
#[derive(Debug)]
pub(super) struct PeerQueue<S> {
    pub peer: Rank,
    pub steps: Vec<S>,
}

/// A compiled plan of one rank.
#[derive(Debug, Default)]
pub struct Program {
    pub(super) lanes: Vec<Vec<RoundProgram>>,
    pub(super) sends: Vec<PeerQueue<SendStep>>,
    pub(super) recvs: Vec<PeerQueue<RecvStep>>,
    pub(crate) scratch_bytes: usize,
    /// Peers read what is sent from scratch where it is, if they can.
    pub(super) scratch_is_shared: bool,
    pub(crate) element_bytes: usize,
    /// All of it as a list, where that is enough.
    pub(crate) fast: Option<FastProgram>,
    /// Trial of single copies, where long messages are exchanged.
    pub(super) trial: Option<ExchangeTrial>,
}

impl Program {
    /// Compiles a plan that was made for `request`. `single_copy`: of messages where nothing in the plan forbids it.
    pub fn compile(plan: &Plan, request: &PlanRequest, single_copy: SingleCopy) -> Program {
        let unit = request.element_bytes;
        let bytes = |s: &Span| Bytes { buffer: s.buffer, offset: s.offset * unit, len: s.len * unit };
        Program::compile_with(plan, request, single_copy, bytes, &Arena::of(request))
    }

    /// The same where the caller's buffers may overlap in any way that the plan permits, or are many: `starts` says where
    /// input and output begin in one memory, `offset` how many bytes behind that an element of either lies. No step
    /// goes across what does not lie together.
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
                // Of an empty span no byte is touched.
                _ if s.len == 0 => 0,
                Buffer::Scratch => s.offset * unit,
                buffer => offset(buffer, s.offset),
            };
            Bytes { buffer: s.buffer, offset, len: s.len * unit }
        };
        Program::compile_with(plan, request, single_copy, bytes, &Arena { starts: Some(starts) })
    }

    fn compile_with(
        plan: &Plan,
        request: &PlanRequest,
        single_copy: SingleCopy,
        bytes: impl Fn(&Span) -> Bytes,
        arena: &Arena,
    ) -> Program {
        let unit = request.element_bytes;
        let mut program = Program {
            lanes: plan
                .lanes
                .iter()
                .map(|lane| lane.rounds.iter().map(|_| Default::default()).collect())
                .collect(),
            sends: Vec::new(),
            recvs: Vec::new(),
            scratch_bytes: plan.scratch * unit,
            scratch_is_shared: plan.shared_scratch && plan.scratch > 0,
            element_bytes: unit,
            fast: None,
            trial: None,
        };
        let (mut sends, mut recvs) = (Queues::new(request.size), Queues::new(request.size));
        let rounds = plan.lanes.iter().map(|lane| lane.rounds.len()).max().unwrap_or(0);
        for round in 0..rounds {
            for (lane, steps) in plan.lanes.iter().enumerate() {
                let Some(steps) = steps.rounds.get(round) else { continue };
                let compiled = &mut program.lanes[lane][round];
                let (lane, round) = (lane as u32, round as u32);
                for step in &steps.steps {
                    match step {
                        Step::Copy { src, dst } => {
                            compiled.locals.push(LocalStep::Copy {
                                src: bytes(src),
                                dst: bytes(dst),
                                streamed: false,
                            });
                        }
                        Step::Reduce { a, b, dst } => {
                            let local = LocalStep::Reduce { a: bytes(a), b: bytes(b), dst: bytes(dst) };
                            compiled.locals.push(local);
                        }
                        Step::Send { to, span } => {
                            compiled.transfers += to.len() as u32;
                            let is_staged = plan.shared_scratch && span.buffer == Buffer::Scratch;
                            let single_copy = if is_staged { SingleCopy::MappedOnly } else { single_copy };
                            for &peer in to {
                                let count = span.len as u64;
                                let step = SendStep { lane, round, span: bytes(span), count, single_copy };
                                sends.push(peer, step);
                            }
                        }
                        Step::Recv { from, dst } => {
                            compiled.transfers += 1;
                            let (count, dst) = (dst.len as u64, bytes(dst));
                            let step = RecvStep {
                                lane,
                                round,
                                operand: None,
                                dst,
                                count,
                                hazards: Vec::new(),
                                streamed: false,
                            };
                            recvs.push(*from, step);
                        }
                        Step::RecvReduce { from, operand, dst } => {
                            compiled.transfers += 1;
                            let (operand, count, dst) = (Some(bytes(operand)), dst.len as u64, bytes(dst));
                            let step = RecvStep {
                                lane,
                                round,
                                operand,
                                dst,
                                count,
                                hazards: Vec::new(),
                                streamed: false,
                            };
                            recvs.push(*from, step);
                        }
                    }
                }
            }
        }
        (program.sends, program.recvs) = (sends.all, recvs.all);
        hazards::add(&mut program.sends, &mut program.recvs, arena);
        program.stream_large_output();
        program.fast = FastProgram::of(&program);
        program
    }

    /// The same with labels in place of the counts of messages with several blocks: one each to or from the ranks that are
    /// named.
    pub fn labelled(mut self, sent: &[(Rank, u64)], received: &[(Rank, u64)]) -> Program {
        let of = |labels: &[(Rank, u64)], rank| {
            labels.iter().find(|(peer, _)| *peer == rank).map(|(_, count)| *count)
        };
        for queue in &mut self.sends {
            if let Some(count) = of(sent, queue.peer) {
                queue.steps.iter_mut().for_each(|step| step.count = count);
            }
        }
        for queue in &mut self.recvs {
            if let Some(count) = of(received, queue.peer) {
                queue.steps.iter_mut().for_each(|step| step.count = count);
            }
        }
        // It does not know the labels, and is not used for what comes after a question.
        self.fast = None;
        self
    }

    /// Lets receivers copy long messages themselves if trials find that faster: where messages are exchanged, by a program
    /// that is run as such.
    pub fn with_single_copy_trial(mut self) -> Program {
        let recvs = || self.recvs.iter().flat_map(|queue| &queue.steps);
        let is_exchange = |send: &SendStep| {
            send.single_copy == SingleCopy::IfOversubscribed
                && send.span.len >= ExchangeTrial::FROM_BYTES
                && recvs().any(|recv| (recv.lane, recv.round) == (send.lane, send.round))
        };
        let mut sends = self.sends.iter().flat_map(|queue| &queue.steps);
        if self.fast.is_none() && sends.any(is_exchange) {
            self.trial = Some(ExchangeTrial::default());
        }
        self
    }

    /// The same with endpoints instead of ranks: `endpoints[rank]` leads to a rank.
    pub fn through(mut self, endpoints: &[u32]) -> Program {
        let of = |peer: &mut u32| *peer = endpoints[*peer as usize];
        self.sends.iter_mut().for_each(|queue| of(&mut queue.peer));
        self.recvs.iter_mut().for_each(|queue| of(&mut queue.peer));
        for op in self.fast.iter_mut().flat_map(|fast| &mut fast.ops) {
            match op {
                FastOp::Local(_) => {}
                FastOp::Send { peer, .. } | FastOp::Recv { peer, .. } => of(peer),
            }
        }
        self
    }

    /// Output that is larger than the caches had better not push everything else out of them; but what is sent on, or
    /// reduced further, is wanted soon. Stores past the caches need a slot to come from: the kernel has none.
    fn stream_large_output(&mut self) {
        let is_output = |span: &Bytes| span.buffer == Buffer::Output;
        let mut sends = self.sends.iter().flat_map(|queue| &queue.steps);
        let mut locals = self.lanes.iter().flatten().flat_map(|round| &round.locals);
        let reads = |local: &LocalStep| match local {
            LocalStep::Copy { src, .. } => is_output(src),
            LocalStep::Reduce { a, b, .. } => is_output(a) || is_output(b),
        };
        if sends.any(|send| is_output(&send.span)) || locals.any(reads) {
            return;
        }
        let steps = || self.recvs.iter().flat_map(|queue| &queue.steps).filter(|step| is_output(&step.dst));
        if steps().map(|step| step.dst.len).sum::<usize>() < STREAMED_FROM {
            return;
        }
        let steps = self.recvs.iter_mut().flat_map(|queue| &mut queue.steps);
        steps.for_each(|step| step.streamed = is_output(&step.dst));
        let rounds = self.lanes.iter_mut().flatten();
        for local in rounds.flat_map(|round| &mut round.locals) {
            if let LocalStep::Copy { dst, streamed, .. } = local {
                *streamed = is_output(dst);
            }
        }
        for send in self.sends.iter_mut().flat_map(|queue| &mut queue.steps) {
            if send.single_copy == SingleCopy::IfOversubscribed {
                send.single_copy = SingleCopy::MappedOnly;
            }
        }
    }
}

/// The queues that are made one after the other, and where that of each peer is.
struct Queues<S> {
    all: Vec<PeerQueue<S>>,
    /// By peer; `NONE`: it has none.
    places: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl<S> Queues<S> {
    fn new(size: u32) -> Queues<S> {
        Queues { all: Vec::new(), places: vec![NONE; size as usize] }
    }

    fn push(&mut self, peer: Rank, step: S) {
        let place = &mut self.places[peer as usize];
        if *place == NONE {
            *place = self.all.len() as u32;
            self.all.push(PeerQueue { peer, steps: Vec::new() });
        }
        self.all[*place as usize].steps.push(step);
    }
}

/// Where input and output lie in one memory, if the call is in place.
pub(super) struct Arena {
    /// Start of input and of output in bytes, in the same memory.
    pub starts: Option<(usize, usize)>,
}

impl Arena {
    fn of(request: &PlanRequest) -> Arena {
        let mine = request.rank as usize * request.count * request.element_bytes;
        let starts = request.in_place.then_some(match request.collective {
            Collective::AllGather | Collective::Gather => (mine, 0),
            Collective::ReduceScatter | Collective::Scatter => (0, mine),
            _ => (0, 0),
        });
        Arena { starts }
    }

    /// One of three memories, and where in it a span lies.
    pub fn place(&self, span: &Bytes) -> (usize, usize) {
        match (span.buffer, self.starts) {
            (Buffer::Scratch, _) => (2, span.offset),
            (Buffer::Input, None) => (0, span.offset),
            (Buffer::Output, None) => (1, span.offset),
            (Buffer::Input, Some((input, _))) => (0, input + span.offset),
            (Buffer::Output, Some((_, output))) => (0, output + span.offset),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{BlockLayout, Lane, Round};
    use crate::topology::Topology;

    #[test]
    fn a_receive_over_a_span_that_is_being_sent_is_gated_only_in_place() {
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
    fn what_leaves_from_scratch_that_is_shared_may_stay_there_whatever_holds_for_the_rest() {
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

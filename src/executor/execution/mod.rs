//! The general execution: runs one compiled plan, a part at each visit.
//!
//! Its state is a position per lane and per queue. A step may run when its lane has reached the round of the
//! step and the step is first in its queue. Nothing here waits, and nothing is allocated after `begin`,
//! except in a call on buffers that are copied meanwhile.

mod exchange;

use std::io;
use std::sync::Arc;

use super::buffers::{Buffers, Memory};
use super::copy_progress::{CopyProgress, StagedBuffers};
use super::fast_path::StopPoint;
use super::fast_program::FastOp;
use super::prepared::Prepared;
use super::program::Program;
use super::scratch::Scratch;
use crate::base::{Call, Error, Rank};
use crate::endpoint::Endpoint;
use crate::observe::trace::{Event, Recorder};
use crate::sys::poll::Interest;
use crate::transport::{ExchangeRun, ExchangeTrial, Header};

/// What one visit has achieved.
#[derive(Debug, Default)]
pub(crate) struct Visit {
    /// Whether bytes moved or a step ended.
    pub moved: bool,
    /// Bytes that were sent and received.
    pub bytes: u64,
    /// An endpoint whose next fragment belongs to another conversation.
    pub foreign: Option<Rank>,
    /// Whether a message waits until the control channels were read.
    pub must_read_control: bool,
}

/// The link to `peer` has failed.
#[derive(Debug)]
pub(crate) struct LinkFailure {
    pub peer: Rank,
    pub source: io::Error,
}

#[derive(Clone, Copy, Default)]
struct LaneState {
    round: u32,
    /// Transfers of this round that are not complete yet.
    open: u32,
}

#[derive(Clone, Copy, Default)]
struct QueueState {
    /// Position of the step that runs next.
    next: u32,
    /// Bytes of that step that have moved.
    done: usize,
}

/// One running plan.
pub(crate) struct Execution {
    prepared: Arc<Prepared>,
    header: Header,
    /// The buffers of the call. Its scratch is the start of `scratch`, taken once per call with the right to
    /// write.
    memory: Memory,
    scratch: Scratch,
    lanes: Vec<LaneState>,
    sends: Vec<QueueState>,
    recvs: Vec<QueueState>,
    lanes_left: u32,
    /// This run in the trial of the program, if the program has one.
    run: Option<ExchangeRun>,
    trace: Option<Box<Recorder>>,
    /// Set if the buffers are copied while the call runs.
    copies: Option<Box<CopyProgress>>,
}

/// Round of a lane whose local steps wait for pieces of the input. No step has this round.
const HELD: u32 = u32::MAX;

// SAFETY: the pointers are the caller's buffers, which it has promised to leave alone until the operation
// is complete, on whatever thread that happens; all access goes through `&mut self`.
unsafe impl Send for Execution {}

impl Execution {
    /// An execution that has ended, until `begin` starts it. `prepared` may be any call.
    pub fn idle(prepared: Arc<Prepared>) -> Execution {
        let buffers = Buffers { input: std::ptr::null(), output: std::ptr::null_mut() };
        Execution {
            prepared,
            header: Header { context: 0, sequence: 0, call: [0; 2] },
            memory: Memory { buffers, scratch: std::ptr::null_mut() },
            scratch: Scratch::default(),
            lanes: Vec::new(),
            sends: Vec::new(),
            recvs: Vec::new(),
            lanes_left: 0,
            run: None,
            trace: None,
            copies: None,
        }
    }

    /// Scratch for a program, valid until the next use of this execution.
    #[inline]
    pub fn scratch(&mut self, program: &Program) -> *mut u8 {
        self.scratch.get(program.scratch_bytes, program.scratch_is_shared)
    }

    /// Makes sure that there is memory for the scratch of a program that begins next.
    pub fn reserve(&mut self, program: &Program) -> Result<(), Error> {
        self.scratch.reserve(program.scratch_bytes, program.scratch_is_shared)
    }

    /// Starts a call. It runs the local steps of the first rounds, so the buffers are in use from now on.
    ///
    /// # Safety
    /// The buffers are valid for every span of the program until `is_done`, and no one else uses them.
    pub unsafe fn begin(&mut self, prepared: Arc<Prepared>, header: Header, buffers: Buffers) {
        self.reset(prepared, header, buffers);
        for lane in 0..self.lanes.len() {
            self.enter_round(lane);
        }
    }

    /// Starts a call whose buffers are copied while it runs, as `begin` does.
    ///
    /// # Safety
    /// The contract of `begin` holds, except that pieces of `staged` are written until they have arrived, and
    /// may be read when they are final. Its words live until the call has its outcome.
    pub unsafe fn begin_staged(
        &mut self,
        prepared: Arc<Prepared>,
        header: Header,
        buffers: Buffers,
        staged: &StagedBuffers,
    ) {
        self.reset(prepared, header, buffers);
        // How long an exchange takes tells nothing while it waits for its input.
        self.run = None;
        self.copies = Some(Box::new(CopyProgress::new(&self.prepared.program, buffers, staged)));
        for lane in 0..self.lanes.len() {
            self.enter_round(lane);
        }
    }

    /// Continues a call where [`super::fast_path::run`] has stopped. That run used the scratch of this
    /// execution, and its next operation is a transfer.
    ///
    /// # Safety
    /// The contract of `begin` holds.
    pub unsafe fn resume(
        &mut self,
        prepared: Arc<Prepared>,
        header: Header,
        buffers: Buffers,
        stop: &StopPoint,
    ) {
        let done = stop.done;
        self.reset(prepared, header, buffers);
        let prepared = Arc::clone(&self.prepared);
        let fast = prepared.program.fast.as_ref().expect("it has run on the fast path");
        for lane in (0..self.lanes.len()).filter(|lane| *lane != fast.lane) {
            if done < fast.others_done {
                self.enter_round(lane);
            } else {
                self.lanes_left -= 1;
            }
        }
        self.find_transfers(fast.lane);
        for op in &fast.ops[..done] {
            match op {
                FastOp::Local(_) => continue,
                FastOp::Send { queue, .. } => self.sends[*queue as usize].next += 1,
                FastOp::Recv { queue, .. } => self.recvs[*queue as usize].next += 1,
            }
            let state = &mut self.lanes[fast.lane];
            state.open -= 1;
            if state.open == 0 {
                state.round += 1;
                self.find_transfers(fast.lane);
            }
        }
        if let FastOp::Recv { queue, .. } = &fast.ops[done] {
            self.recvs[*queue as usize].done = stop.bytes;
        }
    }

    fn reset(&mut self, prepared: Arc<Prepared>, header: Header, buffers: Buffers) {
        self.memory = Memory { buffers, scratch: self.scratch(&prepared.program) };
        self.header = header;
        let program = &prepared.program;
        self.lanes.clear();
        self.lanes.resize(program.lanes.len(), LaneState::default());
        self.sends.clear();
        self.sends.resize(program.sends.len(), QueueState::default());
        self.recvs.clear();
        self.recvs.resize(program.recvs.len(), QueueState::default());
        self.lanes_left = program.lanes.len() as u32;
        self.run = program.trial.as_ref().map(ExchangeTrial::begin);
        self.trace = Recorder::begin(header.sequence, program.lanes.len());
        self.copies = None;
        self.prepared = prepared;
    }

    /// Moves a lane, all of whose local steps have run, to its next round with transfers.
    fn find_transfers(&mut self, lane: usize) {
        let state = &mut self.lanes[lane];
        while let Some(round) = self.prepared.program.lanes[lane].get(state.round as usize) {
            state.open = round.transfers;
            if round.transfers > 0 {
                return;
            }
            state.round += 1;
        }
    }

    /// Header of the call. Its messages have the same header, unless each carries a count of its own.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Header of a message with this count.
    #[inline]
    fn header_of(&self, count: u64) -> Header {
        if !self.prepared.is_counted {
            return self.header;
        }
        let [call, _] = self.header.call;
        Header { call: [call, count], ..self.header }
    }

    /// The call as this rank makes it, if `found`, the next message from `peer`, has an unexpected count.
    pub fn other_count(&self, peer: u32, found: &Header) -> Option<Call> {
        if !self.prepared.is_counted || !self.header.is_of_call(found) {
            return None;
        }
        let mut recvs = self.prepared.program.recvs.iter().zip(&self.recvs);
        let (queue, state) = recvs.find(|(queue, _)| queue.peer == peer)?;
        let expected = self.header_of(queue.steps.get(state.next as usize)?.count);
        (expected != *found).then(|| Call { count: expected.call[1], ..self.prepared.call })
    }

    #[inline]
    pub fn is_done(&self) -> bool {
        self.lanes_left == 0
    }

    /// Moves everything that can move now.
    #[inline]
    pub fn advance(&mut self, endpoints: &mut [Endpoint]) -> Result<Visit, LinkFailure> {
        let mut visit = Visit::default();
        if let Some(copies) = &mut self.copies
            && copies.refresh()
        {
            visit.moved = true;
            self.retry_held();
        }
        let outcome = self.exchange(endpoints, &mut visit);
        // Once here, not for each fragment: the look for sleepers waits until the peers can see what was
        // stored.
        if visit.moved || outcome.is_err() {
            let program = &self.prepared.program;
            let receivers = program.sends.iter().map(|queue| queue.peer);
            let senders = program.recvs.iter().map(|queue| queue.peer);
            receivers.chain(senders).for_each(|peer| endpoints[peer as usize].ring_doorbell_if_due());
        }
        outcome.map(|()| visit)
    }

    /// Lets the lanes go on that have waited for pieces of the input, as far as these have arrived.
    #[cold]
    fn retry_held(&mut self) {
        let held = self.copies.as_mut().map(|copies| copies.take_held()).unwrap_or_default();
        for (lane, round) in held {
            self.lanes[lane].round = round;
            self.enter_round(lane);
        }
    }

    #[inline]
    fn finish_transfer(&mut self, lane: usize) {
        let state = &mut self.lanes[lane];
        state.open -= 1;
        if state.open == 0 {
            state.round += 1;
            self.enter_round(lane);
        }
    }

    /// Runs the local steps of the lane's round, and of the following rounds until one has transfers.
    fn enter_round(&mut self, lane: usize) {
        loop {
            let Some(round) = self.prepared.program.lanes[lane].get(self.lanes[lane].round as usize) else {
                self.lanes_left -= 1;
                if self.lanes_left == 0 {
                    self.end();
                }
                return;
            };
            if let Some(copies) = &mut self.copies
                && copies.hold(&self.memory, &round.locals, lane, self.lanes[lane].round)
            {
                self.lanes[lane].round = HELD;
                return;
            }
            if let Some(trace) = &mut self.trace {
                trace.enter(lane, self.lanes[lane].round);
            }
            for local in &round.locals {
                let reduce = self.prepared.reduce.as_ref();
                // SAFETY: spans of the program, valid by `begin`'s contract.
                unsafe { self.memory.run_local(local, reduce, self.prepared.program.element_bytes) };
                if let Some(trace) = &mut self.trace {
                    trace.local(local.activity(), lane);
                }
                if let Some(copies) = &mut self.copies {
                    copies.note_local(&self.memory, local);
                }
            }
            let transfers = round.transfers;
            let state = &mut self.lanes[lane];
            state.open = transfers;
            if transfers > 0 {
                return;
            }
            state.round += 1;
        }
    }

    /// Ends the call: all lanes have reached their end.
    fn end(&mut self) {
        if let (Some(trial), Some(run)) = (&self.prepared.program.trial, self.run.take()) {
            trial.end(&run);
        }
        if let Some(trace) = &mut self.trace {
            trace.end();
        }
    }

    /// The recorded steps of this call so far, if they are recorded. They are recorded no longer.
    pub fn take_steps(&mut self) -> Option<Vec<Event>> {
        self.trace.take().map(|trace| trace.into_events())
    }

    /// Ends a call that has failed. Cancels what no peer has read, and withdraws what was offered and not
    /// taken.
    pub fn abandon(&mut self, endpoints: &mut [Endpoint]) {
        for (queue, state) in self.prepared.program.sends.iter().zip(&self.sends) {
            endpoints[queue.peer as usize].inbox.link.cancel_sent(&self.header);
            let Some(step) = queue.steps.get(state.next as usize) else { continue };
            let data = self.memory.address(&step.span, state.done);
            let header = self.header_of(step.count);
            let link = &mut endpoints[queue.peer as usize].inbox.link;
            // SAFETY: the rest of a span of the program, valid by `begin`'s contract until the call has its
            // outcome.
            unsafe { link.abandon(&header, data, step.span.len - state.done) };
        }
    }

    /// Whether a piece of the input has not arrived.
    pub fn lacks_input(&self) -> bool {
        self.copies.as_ref().is_some_and(|copies| !copies.is_open())
    }

    /// The endpoints for which this execution waits now, either for data or for room. A message that waits
    /// for a piece of the input waits for no endpoint.
    pub fn waits_for(&self) -> impl Iterator<Item = (Rank, Interest)> {
        let ready = |lane: u32, round: u32| self.lanes[lane as usize].round == round;
        let sends = self.prepared.program.sends.iter().zip(&self.sends).filter_map(move |(queue, state)| {
            let step = queue.steps.get(state.next as usize)?;
            let is_closed =
                || self.copies.is_some() && is_stopped(state, self.sendable_bytes(step), step.span.len);
            (ready(step.lane, step.round) && !is_closed()).then_some((queue.peer, Interest::Write))
        });
        let recvs = self.prepared.program.recvs.iter().zip(&self.recvs).filter_map(move |(queue, state)| {
            let step = queue.steps.get(state.next as usize)?;
            let is_closed =
                || self.copies.is_some() && is_stopped(state, self.receivable_bytes(step), step.dst.len);
            (ready(step.lane, step.round) && !is_closed()).then_some((queue.peer, Interest::Read))
        });
        sends.chain(recvs)
    }
}

/// Whether a message of `len` bytes of which `open` may move stops there.
fn is_stopped(state: &QueueState, open: usize, len: usize) -> bool {
    open < len && open <= state.done
}

//! A compiled plan: bytes instead of elements, and one queue of messages per peer and direction.
//!
//! Messages between two ranks match in posting order: (round, lane, position in the round). The compiler
//! sorts the sends to each peer, and the receives from each peer, into that order once. The execution only
//! walks along the queues.

use super::fast_program::{FastOp, FastProgram};
use super::steps::{Bytes, LocalStep, PeerQueue, RecvStep, RoundProgram, SendStep};
use crate::base::Rank;
use crate::plan::Buffer;
use crate::sys::memory_copy::STREAMED_FROM;
use crate::transport::{ExchangeTrial, SingleCopy};

/// A compiled plan of one rank.
#[derive(Debug, Default)]
pub struct Program {
    pub(super) lanes: Vec<Vec<RoundProgram>>,
    pub(super) sends: Vec<PeerQueue<SendStep>>,
    pub(super) recvs: Vec<PeerQueue<RecvStep>>,
    pub(crate) scratch_bytes: usize,
    /// Whether scratch should lie where peers can read it, so that messages out of it need no copy.
    pub(super) scratch_is_shared: bool,
    pub(crate) element_bytes: usize,
    /// The whole program as a list of operations, if the fast path can run it.
    pub(crate) fast: Option<FastProgram>,
    /// Trial of single copies, if the program exchanges long messages.
    pub(super) trial: Option<ExchangeTrial>,
}

impl Program {
    /// This program with digests in place of the counts of messages with several blocks. `sent` and
    /// `received` give one digest for each rank that they name.
    pub fn with_digests(mut self, sent: &[(Rank, u64)], received: &[(Rank, u64)]) -> Program {
        let of = |digests: &[(Rank, u64)], rank| {
            digests.iter().find(|(peer, _)| *peer == rank).map(|(_, count)| *count)
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
        // The fast path knows no digests, and is not used after an exchange.
        self.fast = None;
        self
    }

    /// Lets receivers copy long messages themselves if trials find that faster. It affects only programs that
    /// exchange long messages and do not take the fast path.
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

    /// The peers of this rank, each with the bytes that it is sent and those that come from it. A peer may
    /// occur twice.
    pub fn traffic(&self) -> impl Iterator<Item = (Rank, u64, u64)> {
        let sum = |lengths: &mut dyn Iterator<Item = usize>| lengths.sum::<usize>() as u64;
        let sent = move |queue: &PeerQueue<SendStep>| sum(&mut queue.steps.iter().map(|step| step.span.len));
        let received =
            move |queue: &PeerQueue<RecvStep>| sum(&mut queue.steps.iter().map(|step| step.dst.len));
        let sends = self.sends.iter().map(move |queue| (queue.peer, sent(queue), 0));
        sends.chain(self.recvs.iter().map(move |queue| (queue.peer, 0, received(queue))))
    }

    /// This program with the numbers of endpoints in place of ranks. `endpoints[rank]` leads to a rank.
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

    /// Makes large output be stored past the caches, so that it does not evict everything else. Output that
    /// is sent on or reduced further is left out, because it is read again soon. Only the library's own
    /// copies can do this, so the kernel makes no single copies for such a program.
    pub(super) fn stream_large_output(&mut self) {
        let is_output = |span: &Bytes| span.buffer == Buffer::Output;
        let mut sends = self.sends.iter().flat_map(|queue| &queue.steps);
        let mut locals = self.lanes.iter().flatten().flat_map(|round| &round.locals);
        let reads = |local: &LocalStep| local.reads().any(is_output);
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

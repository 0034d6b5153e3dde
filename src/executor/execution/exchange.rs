//! Moving the bytes of one running plan: sends offer theirs to links, receives take theirs from endpoints.

use super::{Execution, LinkFailure, QueueState, Visit};
use crate::endpoint::{Endpoint, NextFragment};
use crate::executor::steps::{RecvStep, SendStep};
use crate::observe::trace::{Activity, Recorder};
use crate::plan::Buffer;
use crate::transport::{Header, SingleCopy};

/// Bytes of one message that move before another message has its turn. The last of these fragments moves
/// whole.
const BURST_BYTES: usize = 256 << 10;

impl QueueState {
    /// Whether the turn of this queue goes on. `self` is its state at the beginning of the turn, `now` its
    /// present state.
    #[inline]
    fn goes_on(&self, now: &QueueState) -> bool {
        now.next == self.next && now.done < self.done + BURST_BYTES
    }
}

impl Execution {
    #[inline]
    pub(super) fn exchange(
        &mut self,
        endpoints: &mut [Endpoint],
        visit: &mut Visit,
    ) -> Result<(), LinkFailure> {
        loop {
            // Some fragments move in each direction by turns, so that both sides work at the same time.
            let mut moved = false;
            for queue in 0..self.sends.len() {
                let before = self.sends[queue];
                while before.goes_on(&self.sends[queue]) && self.push(queue, endpoints, visit)? {
                    moved = true;
                }
            }
            let mut pulled = false;
            for queue in 0..self.recvs.len() {
                let before = self.recvs[queue];
                while before.goes_on(&self.recvs[queue]) && self.pull(queue, endpoints, visit)? {
                    pulled = true;
                }
            }
            moved |= pulled;
            visit.moved |= moved;
            // If nothing came and everything is sent, another pass would only look again.
            let is_over = !moved || self.is_done() || !pulled && !self.has_more_to_send();
            if is_over || visit.must_read_control {
                return Ok(());
            }
        }
    }

    fn has_more_to_send(&self) -> bool {
        let program = &self.prepared.program;
        program.sends.iter().zip(&self.sends).any(|(queue, state)| {
            let step = queue.steps.get(state.next as usize);
            step.is_some_and(|step| self.lanes[step.lane as usize].round == step.round)
        })
    }

    #[inline]
    fn push(
        &mut self,
        queue: usize,
        endpoints: &mut [Endpoint],
        visit: &mut Visit,
    ) -> Result<bool, LinkFailure> {
        let sends = &self.prepared.program.sends[queue];
        let state = self.sends[queue];
        let Some(step) = sends.steps.get(state.next as usize) else { return Ok(false) };
        if self.lanes[step.lane as usize].round != step.round {
            return Ok(false);
        }
        let (lane, peer, len) = (step.lane, sends.peer, step.span.len);
        let (mut offered, mut single_copy) = (len - state.done, step.single_copy);
        if self.copies.is_some() {
            let sendable = self.sendable_bytes(step);
            if sendable < len {
                // A message that is left in place is left as a whole.
                (offered, single_copy) = (sendable - state.done, SingleCopy::Never);
            }
            if offered == 0 && len > 0 {
                return Ok(false);
            }
        }
        let data = self.memory.address(&step.span, state.done);
        let header = self.header_of(step.count);
        let endpoint = &mut endpoints[peer as usize];
        if !endpoint.may_send_ahead() && must_wait(endpoint, &header, visit) {
            return Ok(false);
        }
        let single_copy = match &self.run {
            Some(run) => run.policy(single_copy),
            None => single_copy,
        };
        // SAFETY: `address` gave the rest of a span of the program, valid by `begin`'s contract.
        let sent = unsafe { endpoint.inbox.link.send(&header, data, offered, single_copy) }
            .map_err(|source| LinkFailure { peer, source })?;
        let Some(sent) = sent else {
            // The peer can act on an exposed message although the link has taken nothing of it yet.
            endpoint.ring_doorbell_if_due();
            return Ok(false);
        };
        endpoint.note_sent(sent);
        visit.bytes += sent as u64;
        visit.must_read_control |= endpoint.is_control_due();
        endpoint.ring_doorbell_if_asleep();
        let state = &mut self.sends[queue];
        state.done += sent;
        if state.done == len {
            *state = QueueState { next: state.next + 1, done: 0 };
            if let Some(trace) = &mut self.trace {
                trace.transfer(Activity::Send, lane, peer, len);
            }
            self.finish_transfer(lane as usize);
        }
        Ok(true)
    }

    /// Goes on to the next step of a queue whose message has come.
    #[inline]
    fn finish_receive(&mut self, queue: usize, lane: u32, note: impl FnOnce(&mut Recorder)) {
        self.recvs[queue] = QueueState { next: self.recvs[queue].next + 1, done: 0 };
        if let Some(trace) = &mut self.trace {
            note(trace);
        }
        self.finish_transfer(lane as usize);
    }

    #[inline]
    fn pull(
        &mut self,
        queue: usize,
        endpoints: &mut [Endpoint],
        visit: &mut Visit,
    ) -> Result<bool, LinkFailure> {
        let program = &self.prepared.program;
        let recvs = &program.recvs[queue];
        let state = self.recvs[queue];
        let Some(step) = recvs.steps.get(state.next as usize) else { return Ok(false) };
        if self.lanes[step.lane as usize].round != step.round {
            return Ok(false);
        }
        let mut writable = self.writable_bytes(step);
        if self.copies.is_some() {
            writable = writable.min(self.receivable_bytes(step));
        }
        let want = writable.saturating_sub(state.done);
        if want == 0 && step.dst.len > 0 {
            return Ok(false);
        }
        let peer = recvs.peer;
        let header = self.header_of(step.count);
        let fail = |source| LinkFailure { peer, source };
        let endpoint = &mut endpoints[peer as usize];
        let source = match endpoint.inbox.find(&header).map_err(fail)? {
            NextFragment::Nothing => return Ok(false),
            NextFragment::Other(_) => {
                visit.foreign = Some(peer);
                return Ok(false);
            }
            NextFragment::Mine(source) => source,
        };
        let dst = self.memory.address(&step.dst, state.done);
        let len = step.dst.len;
        let n = match &step.operand {
            // SAFETY: `address` gave the rest of a span of the program, valid by `begin`'s contract; user
            // memory and scratch lie outside of the link's memory.
            None => unsafe { endpoint.inbox.take(source, dst, want, step.streamed) }.map_err(fail)?,
            Some(operand) => {
                let arrival = endpoint.inbox.arrival(source).map_err(fail)?;
                let elements = want.min(arrival.bytes) / program.element_bytes;
                let operand = self.memory.address(operand, state.done);
                self.combine(dst, operand, arrival.data, elements, step.streamed);
                endpoint.inbox.consume(source, elements * program.element_bytes).map_err(fail)?;
                elements * program.element_bytes
            }
        };
        if n == 0 && step.dst.len > 0 {
            return Ok(false);
        }
        endpoint.ring_doorbell_if_asleep();
        visit.bytes += n as u64;
        let lane = step.lane;
        if let Some(copies) = &mut self.copies
            && step.dst.buffer != Buffer::Scratch
        {
            copies.note_written(dst, n);
        }
        let activity = if step.operand.is_some() { Activity::ReceiveReduce } else { Activity::Receive };
        self.recvs[queue].done += n;
        if self.recvs[queue].done == len {
            self.finish_receive(queue, lane, |trace| trace.transfer(activity, lane, peer, len));
        }
        Ok(true)
    }

    /// Bytes of a receive that may be written: no more than every send of the same span has read.
    #[inline]
    fn writable_bytes(&self, step: &RecvStep) -> usize {
        let mut limit = step.dst.len;
        if step.hazards.is_empty() {
            return limit;
        }
        for hazard in &step.hazards {
            let send = self.sends[hazard.queue as usize];
            if send.next == hazard.position {
                limit = limit.min(send.done);
            } else if send.next < hazard.position {
                limit = 0;
            }
        }
        // Only whole elements are reduced. (A long element may be sent in parts, and be replaced in parts.)
        if step.operand.is_none() { limit } else { limit - limit % self.prepared.program.element_bytes }
    }

    /// Bytes of a message that may be sent, as far as its input has arrived.
    #[cold]
    pub(super) fn sendable_bytes(&self, step: &SendStep) -> usize {
        self.copies.as_ref().map_or(step.span.len, |copies| copies.sendable(&self.memory, &step.span))
    }

    /// Bytes of a receive that may be written, as far as the input has arrived.
    #[cold]
    pub(super) fn receivable_bytes(&self, step: &RecvStep) -> usize {
        let unit = self.prepared.program.element_bytes;
        self.copies.as_ref().map_or(step.dst.len, |copies| {
            copies.receivable(&self.memory, step.operand.as_ref(), &step.dst, unit)
        })
    }

    /// Computes `dst = a op b`. `streamed` stores past the caches, unless `dst` is `a` or `b`.
    #[inline]
    fn combine(&self, dst: *mut u8, a: *const u8, b: *const u8, elements: usize, streamed: bool) {
        let reduce = self.prepared.reduce.as_ref().expect("a plan that reduces is begun with an operator");
        if !streamed || dst.cast_const() == a || dst.cast_const() == b {
            // SAFETY: all three are spans of the program or an arrival, of at least `elements` elements; by
            // the verifier, `dst` is identical to `a` or `b`, or disjoint from it.
            return unsafe { reduce.apply(dst, a, b, elements) };
        }
        // SAFETY: as above, and `dst` is none of the operands.
        unsafe { reduce.apply_streamed(dst, a, b, elements) };
    }
}

/// Whether a message must wait until the peer's control channel was read, or until the peer lifts its hold.
#[cold]
fn must_wait(endpoint: &mut Endpoint, header: &Header, visit: &mut Visit) -> bool {
    visit.must_read_control |= endpoint.must_read_control();
    endpoint.must_read_control() || endpoint.peer_holds(header) && endpoint.inbox.link.postpone(header)
}

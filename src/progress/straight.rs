//! A plan whose messages are all small, as a straight list of operations, and its run without detours.
//!
//! Most calls are small, and for those the bookkeeping of [`super::execution`] costs more than the work. A plan of one
//! lane whose messages each fit into one slot of a shared-memory link can run from top to bottom: in each
//! round first all sends, which take their bytes at once, then the receives, in the order of the plan.
//!
//! `run` does that for as long as it can and stops in front of the first operation that is not possible
//! within a short wait, or at anything unusual; [`super::execution::Execution::resume`] goes on from there. So every
//! other case (another transport, a full ring, a stashed fragment, a peer in another call, a long wait)
//! is treated once, and not here.

use super::buffers::Memory;
use super::port::Port;
use super::program::{Bytes, Local, Program, Queue};
use crate::base::Rank;
use crate::reduce::Reducer;
use crate::sys::cores::yield_now;
use crate::transport::Header;
use crate::transport::shm::{LOAN_BYTES, Peek};

/// Largest message of a straight plan. One slot holds it, and only memory that needs no copy is worth lending.
pub(super) const LONGEST: usize = 16 << 10;
/// Most messages of a round to one peer: they all find room in a ring that was empty before the round.
const MOST_PER_PEER: usize = 8;
/// Polls before a stop, where each rank has a processor: some tens of microseconds.
const POLLS: u32 = 1000;
/// Polls without a pause between them.
const EAGER_POLLS: u32 = 100;
/// Polls between two hand-overs, and hand-overs before a stop, where ranks share processors.
const POLLS_PER_YIELD: u32 = 16;
const YIELDS: u32 = 40;

/// One operation. `queue` is the number of its queue in the [`Program`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    Local(Local),
    /// `may_lend`: it may stay where it is until it is read, and is long enough for that.
    Send {
        queue: u32,
        peer: Rank,
        span: Bytes,
        /// What the header says where messages are counted.
        count: u64,
        may_lend: bool,
    },
    Recv {
        queue: u32,
        peer: Rank,
        operand: Option<Bytes>,
        dst: Bytes,
        /// As for a send.
        count: u64,
    },
}

/// The operations of a program, if it is straight.
#[derive(Debug)]
pub(super) struct Straight {
    pub ops: Vec<Op>,
    /// The lane with the transfers.
    pub lane: usize,
    /// Operations after which the lanes without transfers have run.
    pub others_done: usize,
}

impl Straight {
    /// `None`: some message is long, or two lanes have transfers.
    pub fn of(program: &Program) -> Option<Straight> {
        let has_transfers = |lane: &usize| program.lanes[*lane].iter().any(|round| round.transfers > 0);
        let mut busy = (0..program.lanes.len()).filter(has_transfers);
        let lane = busy.next().unwrap_or(0);
        if busy.next().is_some() {
            return None;
        }
        let mut straight = Straight { ops: Vec::new(), lane, others_done: 0 };
        if program.lanes.is_empty() {
            return Some(straight);
        }
        let rounds = program.lanes[lane].len();
        let sends = by_round(&program.sends, rounds, |step| step.round);
        let recvs = by_round(&program.recvs, rounds, |step| step.round);
        let mut others: Vec<Op> = Vec::new();
        for (at, rounds) in program.lanes.iter().enumerate() {
            if at != lane {
                others.extend(rounds.iter().flat_map(|round| &round.locals).map(|local| Op::Local(*local)));
            }
        }
        for (round, steps) in program.lanes[lane].iter().enumerate() {
            straight.ops.extend(steps.locals.iter().map(|local| Op::Local(*local)));
            let most = sends[round].chunk_by(|one, next| one.0 == next.0).map(<[_]>::len).max();
            if most.is_some_and(|most| most > MOST_PER_PEER) {
                return None;
            }
            for &(queue, step) in &sends[round] {
                if step.span.len > LONGEST {
                    return None;
                }
                // Who waits for others in a round anyway may as well wait until they have read what it lends. Else a
                // message that fits into a slot had better leave at once.
                let may_lend = step.may_lend && step.span.len >= LOAN_BYTES && !recvs[round].is_empty();
                let peer = program.sends[queue as usize].peer;
                let (span, count) = (step.span, step.count);
                straight.ops.push(Op::Send { queue, peer, span, count, may_lend });
            }
            // Behind the first sends: no message waits for them.
            if round == 0 {
                straight.ops.append(&mut others);
                straight.others_done = straight.ops.len();
            }
            for &(queue, step) in &recvs[round] {
                if step.dst.len > LONGEST {
                    return None;
                }
                let peer = program.recvs[queue as usize].peer;
                let (operand, dst, count) = (step.operand, step.dst, step.count);
                straight.ops.push(Op::Recv { queue, peer, operand, dst, count });
            }
        }
        if program.lanes[lane].is_empty() {
            straight.ops.append(&mut others);
            straight.others_done = straight.ops.len();
        }
        Some(straight)
    }
}

/// The steps of the one lane that has some, by round, with the numbers of their queues.
fn by_round<S>(queues: &[Queue<S>], rounds: usize, round_of: fn(&S) -> u32) -> Vec<Vec<(u32, &S)>> {
    let mut rounds: Vec<Vec<(u32, &S)>> = (0..rounds).map(|_| Vec::new()).collect();
    for (queue, steps) in queues.iter().enumerate() {
        for step in &steps.steps {
            rounds[round_of(step) as usize].push((queue as u32, step));
        }
    }
    rounds
}

/// What does not change during a run.
pub(super) struct Call<'a> {
    pub header: &'a Header,
    pub reduce: Option<&'a Reducer>,
    pub element_bytes: usize,
    /// Each message has a count of its own in its header.
    pub is_counted: bool,
    /// Ranks share processors.
    pub crowded: bool,
}

impl Call<'_> {
    /// The header of one message, where each has a count.
    #[inline]
    fn counted(&self, count: u64) -> Header {
        Header { call: [self.header.call[0], count], ..*self.header }
    }
}

/// Runs operations from the first one on; gives how many were done.
///
/// # Safety
/// `memory` is valid for every span of `ops`, and nobody else uses it. `call.reduce` fits the elements, and is there
/// if something is reduced.
#[inline]
pub(super) unsafe fn run(ops: &[Op], memory: &Memory, call: &Call, ports: &mut [Port]) -> usize {
    let mut waited = 0;
    for (done, op) in ops.iter().enumerate() {
        match op {
            // SAFETY: passed on from our caller.
            Op::Local(local) => unsafe { memory.run_local(local, call.reduce, call.element_bytes) },
            Op::Send { peer, span, count, may_lend, .. } => {
                let port = &mut ports[*peer as usize];
                let Some(link) = port.inbox.link.as_shm() else { return done };
                let data = memory.address(span, 0);
                // A loan is not over when it is made: that is for the general execution.
                if *may_lend && link.lends(data, span.len) {
                    return done;
                }
                let own;
                let header = if call.is_counted {
                    own = call.counted(*count);
                    &own
                } else {
                    call.header
                };
                // SAFETY: a span of the program, valid by our caller's promise.
                if !unsafe { link.post(header, data, span.len) } {
                    return done;
                }
                port.ring_if_wanted();
            }
            Op::Recv { peer, operand, dst, count, .. } => {
                let port = &mut ports[*peer as usize];
                if port.inbox.has_stash() {
                    return done;
                }
                let Some(link) = port.inbox.link.as_shm() else { return done };
                let own;
                let header = if call.is_counted {
                    own = call.counted(*count);
                    &own
                } else {
                    call.header
                };
                let data = loop {
                    match link.peek(header, dst.len) {
                        Peek::Here(data) => break data,
                        Peek::Nothing if pause(&mut waited, call.crowded) => {}
                        Peek::Nothing | Peek::Unusual => return done,
                    }
                };
                let to = memory.address(dst, 0);
                match operand {
                    // SAFETY: `peek` gave as many readable bytes as the span has; user memory and scratch lie outside of
                    // the link's memory. A peer that still writes there can only spoil the bytes.
                    None => unsafe { std::ptr::copy_nonoverlapping(data, to, dst.len) },
                    Some(operand) => {
                        let reduce = call.reduce.expect("a plan that reduces is begun with an operator");
                        let elements = dst.len / call.element_bytes;
                        // SAFETY: spans of the program and the bytes of `peek`, of equal length; by the verifier, `dst`
                        // is identical to the operand or disjoint from it.
                        unsafe { reduce.apply(to, memory.address(operand, 0), data, elements) };
                    }
                }
                link.release();
                port.ring_if_wanted();
            }
        }
    }
    ops.len()
}

/// One step of a short wait; whether to look again.
#[inline]
pub(super) fn pause(waited: &mut u32, crowded: bool) -> bool {
    *waited += 1;
    if !crowded {
        if *waited > EAGER_POLLS {
            std::hint::spin_loop();
        }
        return *waited < POLLS;
    }
    if waited.is_multiple_of(POLLS_PER_YIELD) {
        yield_now();
    }
    *waited < POLLS_PER_YIELD * YIELDS
}

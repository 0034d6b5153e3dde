//! The fast path of the executor: a program of small messages as one list of operations, run from top to
//! bottom.
//!
//! Most calls are small, and for them the bookkeeping of [`super::execution`] costs more than the work. A
//! plan needs none of it if only one of its lanes has transfers and all messages find room in the ring of a
//! link. In each round, all sends run first and complete at once; the receives follow, in the order of the
//! plan.
//!
//! [`run`] goes on as long as it can. It stops at the first operation that is not possible within a short
//! wait, at anything unusual, or in the middle of a receive. [`super::Execution::resume`] continues from
//! there. So all other cases are handled there: a link without a fast path, a full ring, a stashed fragment,
//! a peer in another call, a long wait.

use super::buffers::Memory;
use super::fast_program::{FastOp, FastProgram};
use super::prepared::Prepared;
use super::steps::Bytes;
use crate::endpoint::Endpoint;
use crate::sys::cores::{self, yield_now};
use crate::sys::memory_copy::copy_short;
use crate::transport::Header;
use crate::transport::fast_path::{FRAGMENT_BYTES, FastPath, Peek};

/// Largest message of a fast program. It is a small part of the ring, so it usually finds room. A longer
/// message is worth the bookkeeping.
pub(crate) const LONGEST: usize = 4 * FRAGMENT_BYTES;
/// Largest message on the fast path where ranks share processors. Receivers read larger ones in the sender's
/// memory there.
pub(crate) const LONGEST_OVERSUBSCRIBED: usize = FRAGMENT_BYTES;
/// Polls before a stop, where each rank has a processor of its own: some tens of microseconds.
const POLLS: u32 = 1000;
/// Polls between two yields, and yields before a stop, where ranks share processors.
const POLLS_PER_YIELD: u32 = 16;
const YIELDS: u32 = 40;

/// The values that stay the same during one run of a fast program.
pub(crate) struct FastCall<'a> {
    pub header: &'a Header,
    pub prepared: &'a Prepared,
    /// Whether ranks share processors.
    pub oversubscribed: bool,
}

impl FastCall<'_> {
    /// Whether a message of so many bytes is short enough.
    // Not by a limit, which would be worked out before the loop in calls that send nothing.
    #[inline]
    fn may_send(&self, bytes: usize) -> bool {
        bytes <= LONGEST_OVERSUBSCRIBED || !self.oversubscribed && bytes <= LONGEST
    }

    /// Header of a message with a count of its own.
    #[inline]
    fn counted(&self, count: u64) -> Header {
        Header { call: [self.header.call[0], count], ..*self.header }
    }
}

/// The place where a run has stopped: `done` operations are complete, and `bytes` bytes of the next one, if
/// it is a receive.
pub(crate) struct StopPoint {
    pub(super) done: usize,
    pub(super) bytes: usize,
}

impl StopPoint {
    /// Whether the run has completed all operations.
    #[inline]
    pub fn is_end_of(&self, fast: &FastProgram) -> bool {
        self.done == fast.ops.len()
    }
}

/// Runs a fast program from its first operation on, as far as possible.
///
/// # Safety
/// `memory` is valid for every span of the program, and no one else uses it. The prepared call is that of the
/// program, and its reducer is given if the program reduces.
#[inline]
pub(crate) unsafe fn run(
    fast: &FastProgram,
    memory: &Memory,
    call: &FastCall,
    endpoints: &mut [Endpoint],
) -> StopPoint {
    let ops = &*fast.ops;
    let prepared = call.prepared;
    let mut waited = 0;
    for (done, op) in ops.iter().enumerate() {
        match op {
            FastOp::Local(local) => {
                let element_bytes = prepared.program.element_bytes;
                // SAFETY: passed on from our caller.
                unsafe { memory.run_local(local, prepared.reduce.as_ref(), element_bytes) };
            }
            FastOp::Send { peer, span, count, may_zero_copy, cut, .. } => {
                let stop = StopPoint { done, bytes: 0 };
                let endpoint = &mut endpoints[*peer as usize];
                let may_send_ahead = endpoint.may_send_ahead();
                let Some(link) = endpoint.inbox.link.fast_path().filter(|_| call.may_send(span.len)) else {
                    return stop;
                };
                let data = memory.address(span, 0);
                // The general execution finds out whether the message may be sent.
                if !may_send_ahead {
                    return stop;
                }
                // A zero copy does not end when it has begun, so the general execution handles it.
                if *may_zero_copy && link.would_zero_copy(data, span.len) {
                    return stop;
                }
                let own;
                let header = if prepared.is_counted {
                    own = call.counted(*count);
                    &own
                } else {
                    call.header
                };
                // SAFETY: a span of the program, valid by the caller's promise.
                if !unsafe { link.post(header, data, span.len, *cut) } {
                    return stop;
                }
                endpoint.note_sent(span.len);
                endpoint.ring_doorbell_if_due();
            }
            FastOp::Recv { peer, operand, dst, count, .. } => {
                let endpoint = &mut endpoints[*peer as usize];
                let own;
                let header = if prepared.is_counted {
                    own = call.counted(*count);
                    &own
                } else {
                    call.header
                };
                // SAFETY: passed on from our caller.
                let bytes =
                    unsafe { receive(endpoint, header, operand.as_ref(), dst, memory, call, &mut waited) };
                if bytes != Some(dst.len) {
                    return StopPoint { done, bytes: bytes.unwrap_or(0) };
                }
            }
        }
    }
    StopPoint { done: ops.len(), bytes: 0 }
}

/// Receives a message, or its beginning, and returns the number of bytes. `None`: nothing came, not even an
/// empty message.
///
/// # Safety
/// The contract of [`run`] holds.
#[inline]
unsafe fn receive(
    endpoint: &mut Endpoint,
    header: &Header,
    operand: Option<&Bytes>,
    dst: &Bytes,
    memory: &Memory,
    call: &FastCall,
    waited: &mut u32,
) -> Option<usize> {
    if endpoint.inbox.has_stash() {
        return None;
    }
    let link = endpoint.inbox.link.fast_path()?;
    let prepared = call.prepared;
    // A power of two: `fast_compile` demands it.
    let element_bytes = prepared.program.element_bytes;
    let mut done = None;
    loop {
        let before = done.unwrap_or(0);
        let (data, bytes) = match link.peek(header, dst.len - before) {
            Peek::Data(data, bytes) if bytes & (element_bytes - 1) == 0 => (data, bytes),
            Peek::Empty if pause(waited, call.oversubscribed) => continue,
            _ => break,
        };
        let to = memory.address(dst, before);
        match operand {
            // SAFETY: `peek` gave `bytes` readable bytes, at most what is left of the span; user memory and
            // scratch lie outside of the link's memory. A peer that still writes there can only make the
            // bytes wrong.
            None => unsafe { copy_short(to, data, bytes) },
            Some(operand) => {
                let reduce = prepared.reduce.as_ref().expect("a plan that reduces is begun with an operator");
                let operand = memory.address(operand, before);
                // SAFETY: the rests of two spans of the program, and the bytes of `peek`, which are no more.
                // By the verifier, `dst` is identical to the operand or disjoint from it.
                unsafe { reduce.apply(to, operand, data, bytes >> element_bytes.trailing_zeros()) };
            }
        }
        link.release();
        done = Some(before + bytes);
        if before + bytes == dst.len {
            break;
        }
    }
    if done.is_some() {
        endpoint.ring_doorbell_if_due();
    }
    done
}

/// Makes one step of a short wait. Returns whether to look again.
#[inline]
pub(crate) fn pause(waited: &mut u32, oversubscribed: bool) -> bool {
    *waited += 1;
    if !oversubscribed {
        // Each look takes the cache line from the peer that is about to write it. With fewer looks the bytes
        // arrive earlier (docs/lab/constants.md).
        cores::pause();
        return *waited < POLLS;
    }
    if waited.is_multiple_of(POLLS_PER_YIELD) {
        yield_now();
    }
    *waited < POLLS_PER_YIELD * YIELDS
}

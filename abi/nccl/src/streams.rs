//! Calls on memory of a GPU: they become part of their streams, and nobody waits for them.

use std::collections::VecDeque;
use std::sync::Arc;

use anyccl_engine::base::{Error, Result};
use anyccl_engine::comm::{PARTS_AHEAD, ReservedCall, StreamTail, StreamedCall};

use crate::communicator::Comm;

/// Enqueues a call as a whole.
///
/// # Safety
/// The buffers are as NCCL documents them, until the stream has passed the call.
pub unsafe fn enqueue(comm: &Arc<Comm>, reserved: ReservedCall, expected: Option<u64>) -> Result<()> {
    let call = StreamedCall::of(&reserved);
    // SAFETY: passed on from our caller.
    unsafe { reserved.enqueue_all(comm.engine()?) }?;
    comm.keep_in_stream(call, expected);
    Ok(())
}

/// A call of a group whose memory is reserved.
pub struct GroupCall {
    pub comm: Arc<Comm>,
    pub reserved: ReservedCall,
    /// Number of elements that a receive should get.
    pub expected: Option<u64>,
}

impl GroupCall {
    /// Enqueues the start of the next part. `None`: there is no further part.
    ///
    /// # Safety
    /// See [`enqueue`].
    unsafe fn start(&mut self, is_first: bool) -> Option<Result<Tail>> {
        let engine = match self.comm.engine() {
            Ok(engine) => engine,
            Err(error) => return Some(Err(error)),
        };
        // SAFETY: passed on from our caller.
        let started = unsafe { self.reserved.enqueue_start(engine) }?;
        Some(started.map(|tail| {
            if is_first {
                self.comm.keep_in_stream(StreamedCall::of(&self.reserved), self.expected);
            }
            Tail { comm: Arc::clone(&self.comm), tail }
        }))
    }
}

/// Enqueues the start of a message. Its tail comes after all other calls of the group.
///
/// # Safety
/// See [`enqueue`].
pub unsafe fn start_message(mut call: GroupCall) -> Result<Tail> {
    // SAFETY: passed on from our caller.
    let started = unsafe { call.start(true) };
    started.unwrap_or_else(|| Err(Error::Internal("a message without a part".into())))
}

/// The collectives of a group on one communicator.
struct Lane {
    calls: VecDeque<GroupCall>,
    /// Whether a part of the first call was started.
    has_begun: bool,
    tails: VecDeque<Tail>,
}

impl Lane {
    /// Starts the next part of the first call that has one.
    ///
    /// # Safety
    /// See [`enqueue`].
    unsafe fn start_next(&mut self) -> Result<()> {
        while let Some(call) = self.calls.front_mut() {
            // SAFETY: passed on from our caller.
            match unsafe { call.start(!self.has_begun) } {
                Some(Ok(tail)) => {
                    self.has_begun = true;
                    self.tails.push_back(tail);
                    return Ok(());
                }
                Some(Err(error)) => {
                    self.drop_first();
                    return Err(error);
                }
                None => self.drop_first(),
            }
        }
        Ok(())
    }

    fn drop_first(&mut self) {
        self.calls.pop_front();
        self.has_begun = false;
    }
}

/// Enqueues collectives of a group, those of one communicator in their order.
///
/// Part by part, all communicators go on together: first the starts, then the tails for which other ranks
/// wait, then the other tails. So one thread may be all ranks of a communicator, even on one stream.
///
/// # Safety
/// See [`enqueue`].
pub unsafe fn enqueue_collectives(calls: Vec<GroupCall>) -> Result<()> {
    let mut outcome = Ok(());
    let mut lanes: Vec<(*const Comm, Lane)> = Vec::new();
    for call in calls {
        let comm = Arc::as_ptr(&call.comm);
        match lanes.iter_mut().find(|(known, _)| *known == comm) {
            Some((_, lane)) => lane.calls.push_back(call),
            None => {
                let lane = Lane { calls: [call].into(), has_begun: false, tails: VecDeque::new() };
                lanes.push((comm, lane));
            }
        }
    }
    while lanes.iter().any(|(_, lane)| !lane.calls.is_empty() || !lane.tails.is_empty()) {
        for (_, lane) in &mut lanes {
            // SAFETY: passed on from our caller.
            outcome = outcome.and(unsafe { lane.start_next() });
        }
        let is_due = |lane: &Lane| lane.calls.is_empty() || lane.tails.len() > PARTS_AHEAD;
        let due = lanes.iter_mut().filter(|(_, lane)| is_due(lane));
        let mut tails: Vec<Tail> = due.filter_map(|(_, lane)| lane.tails.pop_front()).collect();
        tails.sort_by_key(|tail| !tail.tail.executes());
        for tail in tails {
            outcome = outcome.and(tail.enqueue());
        }
    }
    outcome
}

/// The rest of a call that was enqueued in part.
pub struct Tail {
    comm: Arc<Comm>,
    tail: StreamTail,
}

impl Tail {
    /// Enqueues the rest.
    pub fn enqueue(self) -> Result<()> {
        self.tail.enqueue(self.comm.any_engine()?)
    }
}

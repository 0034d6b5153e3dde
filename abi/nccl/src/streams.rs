//! Calls on memory of a GPU: they become part of their streams, and nobody waits for them.

use std::collections::VecDeque;
use std::sync::Arc;

use anyccl_engine::base::{Collective, Error, Result};
use anyccl_engine::comm::{
    Communicator, PARTS_AHEAD, Places, RoomyCall, StreamCall, StreamTail, StreamedCall, Unequal,
};
use anyccl_engine::device::CudaStream;
use anyccl_engine::p2p::Status;
use anyccl_engine::plan::BlockLayout;
use parking_lot::Mutex;

use crate::communicator::Comm;
use crate::completion::check_count;
use crate::group::Action;
use crate::types::cudaStream_t;

/// Calls in streams whose end has not been seen.
#[derive(Default)]
pub struct InStreams(Mutex<VecDeque<(StreamedCall, Option<u64>)>>);

impl InStreams {
    /// Keeps a call, and the number of elements that a receive should get. Returns the first failure of
    /// earlier ones.
    pub fn keep(&self, call: StreamedCall, expected: Option<u64>) -> Result<()> {
        let outcome = self.see_ends();
        self.0.lock().push_back((call, expected));
        outcome
    }

    /// Forgets the calls that have ended, and returns the first failure among them.
    pub fn see_ends(&self) -> Result<()> {
        let mut outcome = Ok(());
        self.0.lock().retain(|(call, expected)| {
            let Some(ended) = call.outcome() else { return true };
            let ended = check_end(ended, *expected);
            if outcome.is_ok() {
                outcome = ended;
            }
            false
        });
        outcome
    }

    /// Waits for all calls, and returns the first failure.
    pub fn flush(&self) -> Result<()> {
        let mut outcome = Ok(());
        let calls = std::mem::take(&mut *self.0.lock());
        for (call, expected) in calls {
            let ended = check_end(call.wait(), expected);
            outcome = outcome.and(ended);
        }
        outcome
    }
}

fn check_end(ended: Result<Option<Status>>, expected: Option<u64>) -> Result<()> {
    check_count(ended?, expected)
}

/// Makes room for an action. `None`: it is one on host memory.
#[inline]
pub fn make_room(action: &Action, engine: &Communicator, stream: cudaStream_t) -> Option<Result<RoomyCall>> {
    let stream = CudaStream::from_raw(stream);
    match action {
        Action::Collective { operation, operator } => {
            engine.make_room(&StreamCall::Collective(operation, operator.as_ref()), stream)
        }
        Action::AllToAllV { datatype, send, recv, input, output } => {
            let layout = BlockLayout { input, output, ..BlockLayout::NONE };
            let places = Places::Buffers { send: *send, recv: *recv };
            let collective = Collective::AllToAllV;
            let call = Unequal { collective, datatype: *datatype, op: None, root: 0, layout, places };
            engine.make_room(&StreamCall::Unequal(&call), stream)
        }
        Action::Send(what) => engine.make_room(&StreamCall::Send(what), stream),
        Action::Receive(selector, buffer) => {
            engine.make_room(&StreamCall::Receive(*selector, *buffer), stream)
        }
        Action::Put(_) | Action::Wait(_) => None,
    }
}

/// Enqueues a call as a whole.
///
/// # Safety
/// The buffers are as NCCL documents them, until the stream has passed the call.
pub unsafe fn enqueue(comm: &Arc<Comm>, room: RoomyCall, expected: Option<u64>) -> Result<()> {
    let call = StreamedCall::of(&room);
    // SAFETY: passed on from our caller.
    unsafe { comm.engine()?.enqueue_all(room) }?;
    comm.keep_in_stream(call, expected);
    Ok(())
}

/// A call of a group that has room.
pub struct GroupCall {
    pub comm: Arc<Comm>,
    pub room: RoomyCall,
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
        let started = unsafe { engine.enqueue_start(&mut self.room) }?;
        Some(started.map(|tail| {
            if is_first {
                self.comm.keep_in_stream(StreamedCall::of(&self.room), self.expected);
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
        self.comm.any_engine()?.enqueue_tail(self.tail)
    }
}

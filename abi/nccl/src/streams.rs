//! Calls on memory of a GPU: they become part of their streams, and nobody waits for them.

use std::collections::VecDeque;
use std::sync::Arc;

use anyccl_engine::base::{Collective, Result};
use anyccl_engine::comm::{Communicator, Places, RoomyCall, StreamCall, StreamTail, StreamedCall, Unequal};
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

/// Enqueues the start of a call. The caller enqueues the rest with [`Tail::enqueue`].
///
/// # Safety
/// The buffers are as NCCL documents them, until the stream has passed the call.
pub unsafe fn enqueue_start(comm: &Arc<Comm>, room: RoomyCall, expected: Option<u64>) -> Result<Tail> {
    // SAFETY: passed on from our caller.
    let (call, tail) = unsafe { comm.engine()?.enqueue_start(room) }?;
    comm.keep_in_stream(call, expected);
    Ok(Tail { comm: Arc::clone(comm), tail })
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

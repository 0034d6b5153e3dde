//! The calls of one communicator that wait for their streams, in the order in which they were made.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::completion::DeviceCompletion;
use super::seated::Seated;
use super::worker;
use crate::base::{Error, Result};
use crate::comm::communicator::Communicator;
use crate::device::{CallStream, CallStreams, CudaContext, CudaDriver, CudaStream, Kinds};
use crate::sys::thread;

/// A call that was enqueued on its stream, or is about to be.
pub(in crate::comm) struct QueuedCall {
    pub seated: Box<Seated>,
    pub completion: Arc<DeviceCompletion>,
    /// Why the call could not be enqueued. It only leaves then.
    pub refusal: Option<Error>,
}

/// The queue of a communicator, and the streams of its calls.
pub(in crate::comm) struct DeviceQueue {
    shared: Arc<SharedQueue>,
    communicator: OnceLock<Weak<Communicator>>,
    /// The stream of the program, if it has set one.
    stream: Mutex<Option<CudaStream>>,
    streams: CallStreams,
    /// Bytes of a piece of a long call; 0 for no pieces.
    piece_bytes: usize,
}

/// The part of the queue that the thread uses, too.
#[derive(Default)]
pub(super) struct SharedQueue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<QueuedCall>,
    /// Number of calls that are enqueued and have not ended on their streams.
    unfinished: usize,
    /// Whether the thread has taken a call that it has not started yet.
    is_starting: bool,
    has_thread: bool,
    is_closed: bool,
}

impl DeviceQueue {
    /// Makes an empty queue, whose long calls are copied in pieces of at least that many bytes; 0 for none.
    pub fn new(piece_bytes: usize) -> DeviceQueue {
        DeviceQueue {
            shared: Arc::default(),
            communicator: OnceLock::new(),
            stream: Mutex::default(),
            streams: CallStreams::default(),
            piece_bytes,
        }
    }

    /// Bytes of a piece of a long call; 0 if calls have no pieces.
    pub fn piece_bytes(&self) -> usize {
        self.piece_bytes
    }

    /// Sets the communicator to which the queue belongs.
    pub fn set_communicator(&self, communicator: Weak<Communicator>) {
        // It is set once, when the communicator gets its place.
        let _ = self.communicator.set(communicator);
    }

    /// The communicator to which the queue belongs.
    pub fn communicator(&self) -> Result<&Weak<Communicator>> {
        let unshared = || Error::Internal("a communicator with device calls that is not shared".into());
        self.communicator.get().ok_or_else(unshared)
    }

    /// Sets or unsets the stream of the program.
    pub fn set_stream(&self, stream: Option<CudaStream>) {
        *self.stream.lock() = stream;
    }

    /// The stream of the program, if it has set one.
    pub fn stream(&self) -> Option<CudaStream> {
        *self.stream.lock()
    }

    /// The stream for a call in this context, which is current.
    pub fn stream_in(&self, driver: &'static CudaDriver, context: CudaContext) -> Result<CallStream> {
        match self.stream() {
            Some(stream) => Ok(self.given_stream_in(driver, context, stream)),
            None => self.own_stream_in(driver, context),
        }
    }

    /// The library's stream for calls in this context, which is current.
    pub fn own_stream_in(&self, driver: &'static CudaDriver, context: CudaContext) -> Result<CallStream> {
        self.streams.own(driver, context)
    }

    /// A stream of the program, for a call in this context.
    pub fn given_stream_in(
        &self,
        driver: &'static CudaDriver,
        context: CudaContext,
        stream: CudaStream,
    ) -> CallStream {
        self.streams.given(driver, context, stream)
    }

    /// Enqueues a call on its stream, and lets the thread start it when its turn comes.
    pub fn enqueue(&self, mut call: QueuedCall) -> Result<()> {
        let communicator = self.communicator()?;
        // Locked throughout, so that the order on the stream is the order of the queue.
        let mut state = self.shared.state.lock();
        if !state.has_thread {
            let (queue, communicator) = (Arc::clone(&self.shared), Weak::clone(communicator));
            thread::spawn_quiet("anyccl-device", move || worker::run(&queue, &communicator))
                .map_err(|error| Error::system("cannot start the thread for device calls", error))?;
            state.has_thread = true;
        }
        let enqueued = call.seated.enqueue();
        // A call that was enqueued in part is queued, too: its copies belong to the stream until that has
        // passed them.
        call.refusal = enqueued.as_ref().err().cloned();
        state.waiting.push_back(call);
        state.unfinished += 1;
        self.shared.changed.notify_all();
        enqueued
    }

    /// Waits until every call so far has been started, so that the next one has its turn.
    #[inline]
    pub fn wait_for_turn(&self) {
        let mut state = self.shared.state.lock();
        while (!state.waiting.is_empty() || state.is_starting) && !Kinds::trusts_this_thread() {
            self.shared.changed.wait(&mut state);
        }
    }

    /// Waits until every call has ended on its stream.
    pub fn drain(&self) {
        let mut state = self.shared.state.lock();
        while state.unfinished > 0 && !Kinds::trusts_this_thread() {
            self.shared.changed.wait(&mut state);
        }
    }
}

impl Drop for DeviceQueue {
    fn drop(&mut self) {
        self.shared.state.lock().is_closed = true;
        self.shared.changed.notify_all();
    }
}

impl SharedQueue {
    /// Declares that the calling thread starts the calls, on copies in host memory, and never waits for its
    /// own turn.
    pub fn adopt_thread() {
        Kinds::trust_this_thread();
    }

    /// The next call, if `is_due` says so.
    pub fn take_if(&self, is_due: impl FnOnce(&QueuedCall) -> bool) -> Option<QueuedCall> {
        let mut state = self.state.lock();
        if !state.waiting.front().is_some_and(is_due) {
            return None;
        }
        state.is_starting = true;
        state.waiting.pop_front()
    }

    /// Looks at the next call, if there is one.
    pub fn peek<T>(&self, look: impl FnOnce(&mut QueuedCall) -> T) -> Option<T> {
        self.state.lock().waiting.front_mut().map(look)
    }

    /// Notes that the calls taken so far have been started.
    pub fn note_started(&self) {
        self.state.lock().is_starting = false;
        self.changed.notify_all();
    }

    /// Notes that a call has ended on its stream.
    pub fn note_ended(&self) {
        self.state.lock().unfinished -= 1;
        self.changed.notify_all();
    }

    /// Waits until there is a call. `false`: there will be none.
    pub fn wait_for_call(&self) -> bool {
        let mut state = self.state.lock();
        while state.waiting.is_empty() {
            if state.is_closed {
                return false;
            }
            self.changed.wait(&mut state);
        }
        true
    }

    /// Rests, but not longer than `time`, and only until a call is queued.
    pub fn nap(&self, time: Duration) {
        self.changed.wait_for(&mut self.state.lock(), time);
    }
}

//! The calls of one communicator that wait for their streams, in the order in which they were made.

use std::sync::{Arc, OnceLock, Weak};

use parking_lot::Mutex;

use super::call::{DeviceCall, QueuedCall};
use super::call_streams::{CallStream, CallStreams};
use super::host::Host;
use super::stream_order::LastCollective;
use super::worker::{self, SharedQueue};
use crate::base::{Error, Result};
use crate::device::{CudaContext, CudaDriver, CudaStream, Kinds, StreamEvent};
use crate::sys::thread;

/// The queue of a communicator, and the streams of its calls.
pub(in crate::comm) struct DeviceQueue<H: Host> {
    shared: Arc<SharedQueue<H>>,
    communicator: OnceLock<Weak<H>>,
    /// The stream of the program, if it has set one.
    stream: Mutex<Option<CudaStream>>,
    streams: CallStreams,
    pub(super) last_collective: LastCollective,
    /// Bytes of a piece of a long call; 0 for no pieces.
    piece_bytes: usize,
}

impl<H: Host> DeviceQueue<H> {
    /// Makes an empty queue, whose long calls are copied in pieces of at least that many bytes; 0 for none.
    pub fn new(piece_bytes: usize) -> DeviceQueue<H> {
        DeviceQueue {
            shared: Arc::default(),
            communicator: OnceLock::new(),
            stream: Mutex::default(),
            streams: CallStreams::default(),
            last_collective: LastCollective::default(),
            piece_bytes,
        }
    }

    /// Bytes of a piece of a long call; 0 if calls have no pieces.
    pub fn piece_bytes(&self) -> usize {
        self.piece_bytes
    }

    /// Sets the communicator to which the queue belongs.
    pub fn set_communicator(&self, communicator: Weak<H>) {
        // It is set once, when the communicator becomes shared.
        let _ = self.communicator.set(communicator);
    }

    /// The communicator to which the queue belongs.
    pub fn communicator(&self) -> Result<&Weak<H>> {
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
            Some(stream) => self.given_stream_in(driver, context, stream),
            None => self.own_stream_in(driver, context),
        }
    }

    /// Notes that other ranks of the communicator are threads of this process, on the same device.
    pub fn note_threads(&self) {
        self.streams.note_threads();
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
    ) -> Result<CallStream> {
        self.streams.given(driver, context, stream)
    }

    /// Enqueues a call on its stream, and lets the thread start it when its turn comes. Returns the event
    /// that follows it, if one does. `failed` gives the error of a call that cannot be enqueued.
    pub fn enqueue(
        &self,
        mut call: QueuedCall<H>,
        failed: impl FnOnce(Error, &DeviceCall<H>) -> Error,
    ) -> Result<Option<Arc<StreamEvent>>> {
        let communicator = self.communicator()?;
        let start_thread = || {
            let (queue, communicator) = (Arc::clone(&self.shared), Weak::clone(communicator));
            thread::spawn_quiet("anyccl-device", move || worker::run(&queue, &communicator))
                .map(drop)
                .map_err(|error| Error::system("cannot start the thread for device calls", error))
        };
        // The order on the stream is the order of the queue.
        self.shared.enqueue(start_thread, move || {
            let enqueued = call.device_call.enqueue().map(|()| call.device_call.event());
            let enqueued = enqueued.map_err(|error| failed(error, &call.device_call));
            // A call that was enqueued in part is queued, too: its copies belong to the stream until that has
            // passed them.
            call.refusal = enqueued.as_ref().err().cloned();
            (call, enqueued)
        })?
    }

    /// Waits until every call so far has been started, so that the next one has its turn.
    #[inline]
    pub fn wait_for_turn(&self) {
        if !Kinds::trusts_this_thread() {
            self.shared.wait_for_turn();
        }
    }

    /// Waits until every call has ended on its stream.
    pub fn drain(&self) {
        if !Kinds::trusts_this_thread() {
            self.shared.drain();
        }
    }
}

impl<H: Host> Drop for DeviceQueue<H> {
    fn drop(&mut self) {
        self.shared.close();
    }
}

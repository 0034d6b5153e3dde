//! A device call whose memory is reserved, and how it is enqueued.
//!
//! A call is put into a stream in two steps: its start, which the CPU waits for, and its tail, which waits
//! for the CPU. In a group, the starts of several calls come before their tails.

use std::fmt::Display;
use std::sync::Arc;

use super::call::{DeviceCall, QueuedCall, StreamTail};
use super::call_streams::CallStream;
use super::completion::DeviceCompletion;
use super::direct::{BundleMemory, DirectMessage, DirectPath, DirectPieces, GatedCall, MessageCall};
use super::host::{Host, Named};
use super::queue::DeviceQueue;
use super::staged::StagedCall;
use super::stream_order::StreamInContext;
use crate::base::{Error, Result};
use crate::device::{CudaContext, CudaDriver, StreamEvent};

/// A device call whose memory is reserved.
pub(super) struct ReservedCall<H: Host> {
    device_call: Box<DeviceCall<H>>,
    /// Set when the stream has passed the call.
    pub completion: Arc<DeviceCompletion>,
}

impl<H: Host> ReservedCall<H> {
    fn new(device_call: DeviceCall<H>) -> ReservedCall<H> {
        ReservedCall { device_call: Box::new(device_call), completion: Arc::default() }
    }

    /// A staged call.
    pub fn staged(ready: H::Ready, staged: StagedCall) -> ReservedCall<H> {
        ReservedCall::new(DeviceCall::Staged { call: staged, ready })
    }

    /// A direct call. `stream` gives the stream of a context, and `own` that of the library.
    pub fn direct(
        path: &Arc<DirectPath<H>>,
        comm: &H,
        pieces: DirectPieces,
        stream: impl FnOnce(&'static CudaDriver, CudaContext) -> Result<CallStream>,
        own: impl FnOnce(&'static CudaDriver, CudaContext) -> Result<CallStream>,
    ) -> Result<ReservedCall<H>> {
        let stream = path.stream(stream)?;
        path.serve_owners();
        if path.may_take()
            && stream.waiting.is_none()
            && let Some(bundle) = pieces.only_bundle().map(Arc::new)
        {
            let prepared = path.prepare(&bundle, comm.rank(), &pieces, &stream, BundleMemory::Pool)?;
            if let Some((exchange, call)) = prepared {
                return Ok(ReservedCall::new(DeviceCall::Direct { call, exchange: Box::new(exchange) }));
            }
        }
        let own = path.stream(own)?;
        Ok(ReservedCall::new(DeviceCall::Gated(GatedCall::new(path, pieces, comm.rank(), stream, own)?)))
    }

    /// A message on the direct path. `follows_launches`: launches of graphs may stand before it in its
    /// stream.
    pub fn message(
        path: &Arc<DirectPath<H>>,
        message: DirectMessage,
        follows_launches: bool,
        stream: impl FnOnce(&'static CudaDriver, CudaContext) -> Result<CallStream>,
        own: impl FnOnce(&'static CudaDriver, CudaContext) -> Result<CallStream>,
    ) -> Result<ReservedCall<H>> {
        let (stream, own) = (path.stream(stream)?, path.stream(own)?);
        let call = MessageCall::new(path, message, follows_launches, stream, own)?;
        Ok(ReservedCall::new(DeviceCall::Message(Box::new(call))))
    }

    /// The stream of the call.
    pub fn stream(&self) -> StreamInContext {
        self.device_call.stream_in_context()
    }

    /// Enqueues the start of a call, and lets it run when its stream has come to it. The caller enqueues the
    /// tail.
    ///
    /// # Safety
    /// The buffers are valid for what the call reads and writes until its stream has passed it.
    pub unsafe fn enqueue_start(mut self, comm: &H, queue: &DeviceQueue<H>) -> Result<StreamTail> {
        let tail = self.device_call.split_tail().map_err(|error| self.note_failure(comm, error))?;
        // SAFETY: passed on from our caller.
        unsafe { self.enqueue_all(comm, queue) }?;
        Ok(tail)
    }

    /// Enqueues a collective behind the one before on the communicator.
    ///
    /// # Safety
    /// See [`ReservedCall::enqueue_start`].
    pub unsafe fn enqueue_in_order(self, comm: &H, queue: &DeviceQueue<H>) -> Result<()> {
        let stream = self.stream();
        queue.last_collective.order(&stream).map_err(|error| self.note_failure(comm, error))?;
        // SAFETY: passed on from our caller.
        let event = unsafe { self.enqueue_all(comm, queue) }?;
        event.into_iter().for_each(|event| queue.last_collective.note(&stream, event));
        Ok(())
    }

    /// Enqueues the call, without the tail if that was taken out. Returns the event that follows it, if one
    /// does.
    ///
    /// # Safety
    /// See [`ReservedCall::enqueue_start`].
    pub unsafe fn enqueue_all(self, comm: &H, queue: &DeviceQueue<H>) -> Result<Option<Arc<StreamEvent>>> {
        let ReservedCall { device_call, completion } = self;
        let call = QueuedCall { device_call, completion: Arc::clone(&completion), refusal: None };
        let enqueued = queue.enqueue(call, |error, call| failed(comm, error, call));
        enqueued.map_err(|error| note_failure(comm, error, &"a call on device memory", &completion))
    }

    fn note_failure(&self, comm: &H, error: Error) -> Error {
        note_failure(comm, error, &*self.device_call, &self.completion)
    }
}

/// The error of a call that could not be enqueued. The call has it, too.
fn note_failure<H: Host>(comm: &H, error: Error, call: &dyn Display, completion: &DeviceCompletion) -> Error {
    let error = failed(comm, error, call);
    completion.set(Err(error.clone()));
    error
}

/// The error of a call that could not be enqueued. If the driver has failed, the communicator fails, too: the
/// other ranks wait for this one.
pub(super) fn failed<H: Host>(comm: &H, error: Error, call: &dyn Display) -> Error {
    match error {
        Error::System { .. } => comm.fail_by(error, Named { call, number: None }),
        error => error,
    }
}

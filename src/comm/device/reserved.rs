//! A device call whose memory is reserved, and how it is enqueued, part by part.
//!
//! A staged call has one part, a direct one a part for each piece. A part is put into a stream in two steps:
//! its start, which the CPU waits for, and its end, which waits for the CPU. The start of a part
//! goes in before the end of the part [`PARTS_AHEAD`] before it. So the ranks exchange messages about a piece
//! while the kernel of another one runs.

use std::collections::VecDeque;
use std::sync::Arc;

use super::call::{DeviceCall, QueuedCall, StreamTail};
use super::call_streams::CallStream;
use super::completion::DeviceCompletion;
use super::direct::{DirectPath, DirectPieces, PieceRole, WholeCallDecision};
use super::host::Host;
use super::queue::DeviceQueue;
use super::staged::StagedCall;
use super::stream_order::StreamInContext;
use crate::base::{Error, Result};
use crate::device::{CudaContext, CudaDriver, StreamEvent};

/// Number of parts whose start is in the stream before the end of the first of them.
pub(super) const PARTS_AHEAD: usize = 2;

/// A device call whose memory is reserved; some parts are not enqueued yet.
pub(super) struct ReservedCall<H: Host> {
    parts: Parts<H>,
    /// Set when the stream has passed the last part.
    pub completion: Arc<DeviceCompletion>,
}

enum Parts<H: Host> {
    /// `None`: it was enqueued.
    Staged(Option<Box<DeviceCall<H>>>),
    Direct {
        path: Arc<DirectPath<H>>,
        pieces: DirectPieces,
        stream: CallStream,
        /// Number of parts that were made.
        made: usize,
        /// Set if there are several.
        decision: Option<Arc<WholeCallDecision>>,
    },
}

/// A part that may go into a stream, and whether it is the last one.
struct Part<H: Host> {
    device_call: Box<DeviceCall<H>>,
    is_last: bool,
}

impl<H: Host> ReservedCall<H> {
    /// A staged call.
    pub fn staged(ready: H::Ready, staged: StagedCall) -> ReservedCall<H> {
        let device_call = Box::new(DeviceCall::Staged { call: staged, ready });
        ReservedCall { parts: Parts::Staged(Some(device_call)), completion: Arc::default() }
    }

    /// A direct call. `stream` gives the stream of a context.
    pub fn direct(
        path: &Arc<DirectPath<H>>,
        pieces: DirectPieces,
        stream: impl FnOnce(&'static CudaDriver, CudaContext) -> Result<CallStream>,
    ) -> Result<ReservedCall<H>> {
        let stream = path.stream(stream)?;
        path.serve_owners();
        let decision = pieces.are_many().then(Arc::default);
        let parts = Parts::Direct { path: Arc::clone(path), pieces, stream, made: 0, decision };
        Ok(ReservedCall { parts, completion: Arc::default() })
    }

    /// Whether a part has been enqueued.
    fn has_begun(&self) -> bool {
        matches!(self.parts, Parts::Staged(None) | Parts::Direct { made: 1.., .. })
    }

    fn next(&mut self, comm: &H) -> Option<Result<Part<H>>> {
        match &mut self.parts {
            Parts::Staged(call) => Some(Ok(Part { device_call: call.take()?, is_last: true })),
            Parts::Direct { path, pieces, stream, made, decision } => {
                if decision.as_ref().is_some_and(|decision| decision.is_done_after(*made)) {
                    pieces.skip_to_last();
                }
                let (piece, is_last) = pieces.next()?;
                let role = match decision {
                    None => PieceRole::Only,
                    Some(decision) if *made == 0 => PieceRole::First(Arc::clone(decision)),
                    Some(decision) => PieceRole::Later(Arc::clone(decision)),
                };
                let part = path.prepare(piece, comm.rank(), pieces, stream, role).map(|(exchange, call)| {
                    *made += 1;
                    let device_call = DeviceCall::Direct { call, exchange: Box::new(exchange) };
                    Part { device_call: Box::new(device_call), is_last }
                });
                Some(part)
            }
        }
    }

    /// The stream of the call. `None`: the call was enqueued.
    pub fn stream(&self) -> Option<StreamInContext> {
        match &self.parts {
            Parts::Staged(call) => match call.as_deref()? {
                DeviceCall::Staged { call, .. } => Some(call.stream_in_context()),
                DeviceCall::Direct { .. } => None,
            },
            Parts::Direct { path, stream, .. } => {
                let (driver, context, stream) = (path.driver, path.context, stream.clone());
                Some(StreamInContext { driver, context, stream })
            }
        }
    }

    /// Enqueues the start of the next part of a call, and lets it run when its stream has come to it. The
    /// caller enqueues the tail. `None`: there is no further part.
    ///
    /// # Safety
    /// The buffers are valid for what the call reads and writes until its stream has passed it.
    pub unsafe fn enqueue_start(&mut self, comm: &H, queue: &DeviceQueue<H>) -> Option<Result<StreamTail>> {
        let is_later = self.has_begun();
        let part = self.next(comm)?;
        let enqueued = part.and_then(|mut part| {
            let tail = part.device_call.split_tail()?;
            part.enqueue(queue, &self.completion)?;
            Ok(tail)
        });
        Some(enqueued.inspect_err(|error| self.note_part_failure(comm, error, is_later)))
    }

    /// Enqueues a collective behind the one before on the communicator.
    ///
    /// # Safety
    /// See [`ReservedCall::enqueue_start`].
    pub unsafe fn enqueue_in_order(self, comm: &H, queue: &DeviceQueue<H>) -> Result<()> {
        let stream = self.stream();
        if let Some(stream) = &stream {
            let ordered = queue.last_collective.order(stream);
            ordered.inspect_err(|error| self.note_part_failure(comm, error, false))?;
        }
        // SAFETY: passed on from our caller.
        let event = unsafe { self.enqueue_all(comm, queue) }?;
        if let (Some(stream), Some(event)) = (stream, event) {
            queue.last_collective.note(&stream, event);
        }
        Ok(())
    }

    /// Enqueues the call as a whole. Returns the event that follows it; none follows a call of no part.
    ///
    /// # Safety
    /// See [`ReservedCall::enqueue_start`].
    pub unsafe fn enqueue_all(
        mut self,
        comm: &H,
        queue: &DeviceQueue<H>,
    ) -> Result<Option<Arc<StreamEvent>>> {
        let mut event = None;
        let mut tails = VecDeque::new();
        let enqueue_tail = |tail: StreamTail| tail.enqueue().inspect_err(|error| note_failure(comm, error));
        while let Some(part) = self.next(comm) {
            let is_later = event.is_some();
            let enqueued = part.and_then(|mut part| {
                // A call with one part, or on a stream that does not wait, needs no tail.
                let needs_tail = (is_later || !part.is_last) && part.device_call.stream_waits();
                let tail = if needs_tail { Some(part.device_call.split_tail()?) } else { None };
                event = Some(part.enqueue(queue, &self.completion)?);
                Ok(tail)
            });
            tails.extend(enqueued.inspect_err(|error| self.note_part_failure(comm, error, is_later))?);
            if tails.len() > PARTS_AHEAD {
                tails.pop_front().map_or(Ok(()), enqueue_tail)?;
            }
        }
        tails.into_iter().try_for_each(enqueue_tail)?;
        Ok(event)
    }

    /// Notes that a part could not be enqueued. After the first part, the other ranks wait for the rest.
    fn note_part_failure(&self, comm: &H, error: &Error, is_later: bool) {
        if is_later {
            comm.abort(&error.to_string());
        }
        note_failure(comm, error);
        self.completion.set(Err(error.clone()));
    }
}

impl<H: Host> Part<H> {
    fn enqueue(self, queue: &DeviceQueue<H>, completion: &Arc<DeviceCompletion>) -> Result<Arc<StreamEvent>> {
        let completion = if self.is_last { Arc::clone(completion) } else { Arc::default() };
        let call = QueuedCall { device_call: self.device_call, completion, refusal: None };
        queue.enqueue(call)
    }
}

/// Fails the communicator if the driver has failed: the other ranks wait for this one.
pub(super) fn note_failure<H: Host>(comm: &H, error: &Error) {
    if matches!(error, Error::System { .. }) {
        comm.abort(&error.to_string());
    }
}

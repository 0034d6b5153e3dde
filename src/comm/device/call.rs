//! A call on device memory, by either path: what the queue and its thread do with it.

use std::fmt;
use std::sync::Arc;

use super::completion::DeviceCompletion;
use super::direct::{DirectCall, DirectExchange, DirectTail, GatedCall, MessageCall, Next};
use super::host::Host;
use super::staged::{StagedCall, Step};
use super::stream_order::StreamInContext;
use super::stream_tail::StagedTail;
use crate::base::{Error, Result};
use crate::device::StreamEvent;
use crate::p2p::Completion;

/// A call that is in a stream, or is about to be, and the CPU's part of it.
pub(in crate::comm) enum DeviceCall<H: Host> {
    /// On copies in host memory.
    Staged { call: StagedCall, ready: H::Ready },
    /// By the kernel of one rank.
    Direct { call: DirectCall, exchange: Box<DirectExchange<H>> },
    /// Like that, on the library's stream.
    Gated(GatedCall<H>),
    /// A message that its receiver copies.
    Message(Box<MessageCall<H>>),
}

/// A call that was enqueued on its stream, or is about to be.
pub(in crate::comm) struct QueuedCall<H: Host> {
    pub device_call: Box<DeviceCall<H>>,
    pub completion: Arc<DeviceCompletion>,
    /// Why the call could not be enqueued. It only leaves then.
    pub refusal: Option<Error>,
}

/// What follows the start of a call, or of a part of it, in its stream. Dropping it without
/// [`StreamTail::enqueue`] leaves the stream without the result.
pub(in crate::comm) enum StreamTail {
    Staged(StagedTail),
    Direct(DirectTail),
}

/// The form of error messages.
impl<H: Host> fmt::Display for DeviceCall<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceCall::Staged { ready, .. } => ready.fmt(f),
            DeviceCall::Direct { exchange, .. } => exchange.signature().fmt(f),
            DeviceCall::Gated(call) => call.fmt(f),
            DeviceCall::Message(call) => call.fmt(f),
        }
    }
}

impl<H: Host> DeviceCall<H> {
    /// The stream of the call.
    pub fn stream_in_context(&self) -> StreamInContext {
        match self {
            DeviceCall::Staged { call, .. } => call.stream_in_context(),
            DeviceCall::Direct { call, .. } => call.stream_in_context(),
            DeviceCall::Gated(call) => call.stream_in_context(),
            DeviceCall::Message(call) => call.stream_in_context(),
        }
    }

    /// Whether the call is a message, which has no number among the calls of its communicator.
    pub fn is_message(&self) -> bool {
        match self {
            DeviceCall::Staged { call, .. } => call.is_message(),
            DeviceCall::Direct { .. } | DeviceCall::Gated(_) => false,
            DeviceCall::Message(_) => true,
        }
    }

    /// Puts the call into its stream, or only its start if the tail was taken out.
    pub fn enqueue(&mut self) -> Result<()> {
        match self {
            DeviceCall::Staged { call, .. } => call.enqueue(),
            DeviceCall::Direct { call, .. } => call.enqueue(),
            DeviceCall::Gated(call) => call.enqueue(),
            DeviceCall::Message(call) => call.enqueue(),
        }
    }

    /// The event that follows the call in its stream, once the call is enqueued. `None`: the stream waits
    /// by a kernel.
    pub fn event(&self) -> Option<Arc<StreamEvent>> {
        match self {
            DeviceCall::Staged { call, .. } => call.event(),
            DeviceCall::Direct { call, .. } => call.event(),
            DeviceCall::Gated(call) => call.event(),
            DeviceCall::Message(call) => call.event(),
        }
    }

    /// Takes the tail out of the call.
    pub fn split_tail(&mut self) -> Result<StreamTail> {
        match self {
            DeviceCall::Staged { call, .. } => call.split_tail().map(StreamTail::Staged),
            DeviceCall::Direct { call, .. } => call.split_tail().map(StreamTail::Direct),
            DeviceCall::Gated(call) => call.split_tail().map(StreamTail::Staged),
            DeviceCall::Message(call) => call.split_tail().map(StreamTail::Staged),
        }
    }

    /// Whether the CPU may begin with the call.
    pub fn may_begin(&self) -> bool {
        match self {
            DeviceCall::Staged { call, .. } => call.reads_nothing() || call.is_ready(),
            DeviceCall::Direct { call, .. } => call.is_ready(),
            DeviceCall::Gated(call) => call.is_ready(),
            DeviceCall::Message(call) => call.may_begin(),
        }
    }

    /// Looks at the pieces of a call that has begun. Returns whether more have arrived, or are final.
    pub fn look(&mut self) -> Result<bool> {
        match self {
            DeviceCall::Staged { call, .. } => call.look(),
            DeviceCall::Direct { .. } => Ok(false),
            DeviceCall::Gated(call) => call.look(),
            DeviceCall::Message(call) => call.look(),
        }
    }

    /// Whether all that the engine reads is there.
    pub fn has_arrived(&self) -> bool {
        match self {
            DeviceCall::Staged { call, .. } => call.has_arrived(),
            DeviceCall::Direct { .. } | DeviceCall::Gated(_) | DeviceCall::Message(_) => true,
        }
    }

    /// Whether the call has begun, and is still to be started in the engine. Later calls start after it.
    pub fn is_starting(&self) -> bool {
        match self {
            DeviceCall::Staged { call, .. } => call.is_starting(),
            DeviceCall::Direct { .. } | DeviceCall::Message(_) => false,
            DeviceCall::Gated(call) => call.is_starting(),
        }
    }

    /// Begins with the call in the engine. `None`: the engine has nothing to do yet.
    ///
    /// # Safety
    /// The buffers are valid, and `self` does not move, and lives, until the work has ended.
    pub unsafe fn start(&mut self, comm: &H) -> Result<Option<H::Started>> {
        match self {
            DeviceCall::Staged { call, .. } if call.is_bounced() => Ok(None),
            DeviceCall::Staged { ready, .. } => {
                // SAFETY: passed on from our caller.
                unsafe { comm.start_ready(ready) }.map(Some)
            }
            // SAFETY: passed on from our caller.
            DeviceCall::Direct { exchange, call } => unsafe { exchange.start(comm, call.factor()) }.map(Some),
            DeviceCall::Gated(_) => Ok(None),
            DeviceCall::Message(call) => call.start(comm).map(Some),
        }
    }

    /// Notes how the engine has ended a work of the call, before [`DeviceCall::next`].
    pub fn note_completion(&mut self, completion: Option<Completion>) {
        if let DeviceCall::Message(call) = self {
            call.note_completion(completion);
        }
    }

    /// What the call needs after its last work has ended well.
    ///
    /// # Safety
    /// See [`DeviceCall::start`].
    pub unsafe fn next(&mut self, comm: &H) -> Result<Next<H::Started>> {
        match self {
            DeviceCall::Staged { call, ready } => match call.next_of_bounced() {
                // SAFETY: passed on from our caller.
                Some(Step::Start) => unsafe { comm.start_ready(ready) }.map(Next::Call),
                Some(Step::Copies) => Ok(Next::Device),
                Some(Step::Nothing) | None => Ok(Next::Ended),
            },
            // SAFETY: passed on from our caller.
            DeviceCall::Direct { exchange, call } => unsafe { exchange.next(comm, call) },
            // SAFETY: passed on from our caller.
            DeviceCall::Gated(call) => unsafe { call.next(comm) },
            // SAFETY: passed on from our caller.
            DeviceCall::Message(call) => unsafe { call.next(comm) },
        }
    }

    /// Whether a failed work means that the communicator, which may not know it yet, has failed.
    pub fn has_private_work(&self) -> bool {
        matches!(self, DeviceCall::Direct { .. } | DeviceCall::Gated(_))
    }

    /// Whether a call that has failed must not let its stream go on yet: a copy, or another rank's kernel,
    /// may still use its buffers.
    pub fn is_in_use(&mut self) -> bool {
        match self {
            DeviceCall::Staged { call, .. } => call.is_in_flight(),
            // The leader's own stream passes the kernels before anything else.
            DeviceCall::Direct { exchange, call } => exchange.withdraw() && !call.is_leader(),
            DeviceCall::Gated(call) => call.is_in_use(),
            DeviceCall::Message(call) => call.is_in_use(),
        }
    }

    /// Ends the call on its stream.
    pub fn end(&mut self, has_succeeded: bool) -> Result<()> {
        match self {
            DeviceCall::Staged { call, .. } => call.end(has_succeeded),
            DeviceCall::Direct { call, .. } => call.end(has_succeeded),
            DeviceCall::Gated(call) => {
                call.end();
                Ok(())
            }
            DeviceCall::Message(call) => {
                call.end();
                Ok(())
            }
        }
    }

    /// Asks whether the device still works on the stream.
    pub fn check(&self) -> Result<()> {
        match self {
            DeviceCall::Staged { call, .. } => call.check(),
            DeviceCall::Direct { call, .. } => call.check(),
            DeviceCall::Gated(call) => call.check(),
            DeviceCall::Message(call) => call.check(),
        }
    }

    /// Whether the stream has passed the call.
    pub fn has_passed(&mut self) -> Result<bool> {
        match self {
            DeviceCall::Staged { call, .. } => call.has_passed(),
            DeviceCall::Direct { call, .. } => call.has_passed(),
            DeviceCall::Gated(call) => call.has_passed(),
            DeviceCall::Message(call) => call.has_passed(),
        }
    }
}

impl StreamTail {
    /// Puts the tail into the stream.
    pub fn enqueue(self) -> Result<()> {
        match self {
            StreamTail::Staged(tail) => tail.enqueue(),
            StreamTail::Direct(tail) => tail.enqueue(),
        }
    }

    /// Whether kernels are part of it, for which other ranks wait.
    pub fn runs_kernels(&self) -> bool {
        matches!(self, StreamTail::Direct(tail) if tail.runs_kernels())
    }
}

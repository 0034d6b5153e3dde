//! A call on device memory, by either path: what the queue and its thread do with it.

use super::direct::{DirectExchange, Next};
use crate::base::Result;
use crate::comm::communicator::Communicator;
use crate::comm::ready::ReadyCall;
use crate::comm::work::Work;
use crate::device::direct::{DirectCall, DirectEnd};
use crate::device::{StagedCall, StreamEnd};

/// A call that is in a stream, or is about to be, and the CPU's part of it.
pub(in crate::comm) enum DeviceCall {
    /// On copies in host memory.
    Staged { call: StagedCall, ready: ReadyCall },
    /// By the kernel of one rank.
    Direct { call: DirectCall, exchange: Box<DirectExchange> },
}

/// What follows the start of a call in its stream.
pub(in crate::comm) enum DeviceCallEnd {
    Staged(StreamEnd),
    Direct(DirectEnd),
}

impl DeviceCall {
    /// Puts the call into its stream, or only its start if the end was taken out.
    pub fn enqueue(&mut self) -> Result<()> {
        match self {
            DeviceCall::Staged { call, .. } => call.enqueue(),
            DeviceCall::Direct { call, .. } => call.enqueue(),
        }
    }

    /// Whether the stream belongs to the program, and so waits for the end of the call.
    pub fn stream_waits(&self) -> bool {
        match self {
            DeviceCall::Staged { call, .. } => call.stream_waits(),
            DeviceCall::Direct { call, .. } => call.stream_waits(),
        }
    }

    /// Takes the end out of the call.
    pub fn split_end(&mut self) -> Result<DeviceCallEnd> {
        match self {
            DeviceCall::Staged { call, .. } => call.split_end().map(DeviceCallEnd::Staged),
            DeviceCall::Direct { call, .. } => call.split_end().map(DeviceCallEnd::Direct),
        }
    }

    /// Whether the CPU may begin with the call.
    pub fn may_begin(&self) -> bool {
        match self {
            DeviceCall::Staged { call, .. } => call.reads_nothing() || call.is_ready(),
            DeviceCall::Direct { call, exchange } => call.is_ready() && exchange.may_begin(),
        }
    }

    /// Looks at the pieces of a call that the engine works on. Returns whether more have arrived, or are
    /// final.
    pub fn look(&mut self) -> Result<bool> {
        match self {
            DeviceCall::Staged { call, .. } => call.look(),
            DeviceCall::Direct { .. } => Ok(false),
        }
    }

    /// Whether all that the engine reads is there.
    pub fn has_arrived(&self) -> bool {
        match self {
            DeviceCall::Staged { call, .. } => call.has_arrived(),
            DeviceCall::Direct { .. } => true,
        }
    }

    /// Begins with the call in the engine. `None`: the engine has nothing to do.
    ///
    /// # Safety
    /// The buffers are valid, and `self` does not move, and lives, until the work has ended.
    pub unsafe fn start(&mut self, comm: &Communicator) -> Result<Option<Work>> {
        match self {
            DeviceCall::Staged { ready, .. } => {
                // SAFETY: passed on from our caller.
                unsafe { ready.start(comm) }.map(|request| Some(request.into()))
            }
            // SAFETY: passed on from our caller.
            DeviceCall::Direct { exchange, .. } => unsafe { exchange.start(comm) },
        }
    }

    /// What the call needs after its last work has ended well.
    ///
    /// # Safety
    /// See [`DeviceCall::start`].
    pub unsafe fn next(&mut self, comm: &Communicator) -> Result<Next> {
        match self {
            DeviceCall::Staged { .. } => Ok(Next::Ended),
            // SAFETY: passed on from our caller.
            DeviceCall::Direct { exchange, call } => unsafe { exchange.next(comm, call) },
        }
    }

    /// Whether a failed work means that the communicator, which may not know it yet, has failed.
    pub fn has_private_work(&self) -> bool {
        matches!(self, DeviceCall::Direct { .. })
    }

    /// Whether a call that has failed must not let its stream go on yet: another rank's kernel may still use
    /// its buffers.
    pub fn is_in_use(&self) -> bool {
        match self {
            DeviceCall::Staged { .. } => false,
            // The leader's own stream passes the kernels before anything else.
            DeviceCall::Direct { exchange, call } => exchange.withdraw() && !call.executes(),
        }
    }

    /// Ends the call on its stream.
    pub fn end(&mut self, has_succeeded: bool) -> Result<()> {
        match self {
            DeviceCall::Staged { call, .. } => call.end(has_succeeded),
            // Nothing runs for a piece whose work was done by the first one.
            DeviceCall::Direct { call, exchange } => call.end(has_succeeded && !exchange.is_done()),
        }
    }

    /// Asks whether the device still works on the stream.
    pub fn check(&self) -> Result<()> {
        match self {
            DeviceCall::Staged { call, .. } => call.check(),
            DeviceCall::Direct { call, .. } => call.check(),
        }
    }

    /// Whether the stream has passed the call.
    pub fn has_passed(&mut self) -> Result<bool> {
        match self {
            DeviceCall::Staged { call, .. } => call.has_passed(),
            DeviceCall::Direct { call, .. } => call.has_passed(),
        }
    }
}

impl DeviceCallEnd {
    /// Puts the end into the stream.
    pub fn enqueue(self) -> Result<()> {
        match self {
            DeviceCallEnd::Staged(end) => end.enqueue(),
            DeviceCallEnd::Direct(end) => end.enqueue(),
        }
    }

    /// Whether other ranks wait for work in it.
    pub fn executes(&self) -> bool {
        matches!(self, DeviceCallEnd::Direct(end) if end.executes())
    }
}

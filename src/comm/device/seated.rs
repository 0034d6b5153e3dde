//! A call in a stream, by either way: what the queue and its thread do with it.

use super::direct::{DirectExchange, Next};
use crate::base::Result;
use crate::comm::communicator::Communicator;
use crate::comm::ready::ReadyCall;
use crate::comm::work::Work;
use crate::device::direct::{DirectCall, DirectEnd};
use crate::device::{StagedCall, StreamEnd};

/// A call that has its place in a stream, or is about to get it, and what the processor does for it.
pub(in crate::comm) enum Seated {
    /// On copies in host memory.
    Staged { call: StagedCall, ready: ReadyCall },
    /// By the kernel of one rank.
    Direct { call: DirectCall, exchange: Box<DirectExchange> },
}

/// What follows the start of a call in its stream.
pub(in crate::comm) enum SeatedEnd {
    Staged(StreamEnd),
    Direct(DirectEnd),
}

impl Seated {
    /// Puts the call into its stream, or only its start if the end was taken out.
    pub fn enqueue(&mut self) -> Result<()> {
        match self {
            Seated::Staged { call, .. } => call.enqueue(),
            Seated::Direct { call, .. } => call.enqueue(),
        }
    }

    /// Whether the stream belongs to the program, and so waits for the end of the call.
    pub fn stream_waits(&self) -> bool {
        match self {
            Seated::Staged { call, .. } => call.stream_waits(),
            Seated::Direct { call, .. } => call.stream_waits(),
        }
    }

    /// Takes the end out of the call.
    pub fn split_end(&mut self) -> Result<SeatedEnd> {
        match self {
            Seated::Staged { call, .. } => call.split_end().map(SeatedEnd::Staged),
            Seated::Direct { call, .. } => call.split_end().map(SeatedEnd::Direct),
        }
    }

    /// Whether the processor may begin with the call.
    pub fn may_begin(&self) -> bool {
        match self {
            Seated::Staged { call, .. } => call.reads_nothing() || call.is_ready(),
            Seated::Direct { call, exchange } => call.is_ready() && exchange.may_begin(),
        }
    }

    /// Looks at the pieces of a call that the engine works on. Returns whether more have arrived, or are
    /// final.
    pub fn look(&mut self) -> Result<bool> {
        match self {
            Seated::Staged { call, .. } => call.look(),
            Seated::Direct { .. } => Ok(false),
        }
    }

    /// Whether all that the engine reads is there.
    pub fn has_arrived(&self) -> bool {
        match self {
            Seated::Staged { call, .. } => call.has_arrived(),
            Seated::Direct { .. } => true,
        }
    }

    /// Begins with the call in the engine. `None`: the engine has nothing to do.
    ///
    /// # Safety
    /// The buffers are valid, and `self` stays in its place and lives, until the work has ended.
    pub unsafe fn start(&mut self, comm: &Communicator) -> Result<Option<Work>> {
        match self {
            // SAFETY: passed on from our caller.
            Seated::Staged { ready, .. } => unsafe { ready.start(comm) }.map(|request| Some(request.into())),
            // SAFETY: passed on from our caller.
            Seated::Direct { exchange, .. } => unsafe { exchange.start(comm) },
        }
    }

    /// What the call needs after its last work has ended well.
    ///
    /// # Safety
    /// See [`Seated::start`].
    pub unsafe fn next(&mut self, comm: &Communicator) -> Result<Next> {
        match self {
            Seated::Staged { .. } => Ok(Next::Ended),
            // SAFETY: passed on from our caller.
            Seated::Direct { exchange, call } => unsafe { exchange.next(comm, call) },
        }
    }

    /// Whether a failed work means that the communicator, which may not know it yet, has failed.
    pub fn has_private_work(&self) -> bool {
        matches!(self, Seated::Direct { .. })
    }

    /// Whether a call that has failed must not let its stream go on yet: another rank's kernel may still use
    /// its buffers.
    pub fn is_in_use(&self) -> bool {
        match self {
            Seated::Staged { .. } => false,
            // The executor's own stream passes the kernels before anything else.
            Seated::Direct { exchange, call } => exchange.withdraw() && !call.executes(),
        }
    }

    /// Ends the call on its stream.
    pub fn end(&mut self, has_succeeded: bool) -> Result<()> {
        match self {
            Seated::Staged { call, .. } => call.end(has_succeeded),
            // Nothing runs for a piece whose work was done by the first one.
            Seated::Direct { call, exchange } => call.end(has_succeeded && !exchange.is_done()),
        }
    }

    /// Asks whether the device still works on the stream.
    pub fn check(&self) -> Result<()> {
        match self {
            Seated::Staged { call, .. } => call.check(),
            Seated::Direct { call, .. } => call.check(),
        }
    }

    /// Whether the stream has passed the call.
    pub fn has_passed(&mut self) -> Result<bool> {
        match self {
            Seated::Staged { call, .. } => call.has_passed(),
            Seated::Direct { call, .. } => call.has_passed(),
        }
    }
}

impl SeatedEnd {
    /// Puts the end into the stream.
    pub fn enqueue(self) -> Result<()> {
        match self {
            SeatedEnd::Staged(end) => end.enqueue(),
            SeatedEnd::Direct(end) => end.enqueue(),
        }
    }

    /// Whether other ranks wait for work in it.
    pub fn executes(&self) -> bool {
        matches!(self, SeatedEnd::Direct(end) if end.executes())
    }
}

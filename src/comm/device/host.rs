//! What a device call needs of its communicator.
//!
//! The queue, its thread and the calls are generic over their host, and name no communicator. So a
//! communicator can own them without a circle. What names one is above them: `reserve` with `on_copies` and
//! `on_direct_path`, `in_pieces`, `group` and `setup`.

use std::fmt;

use crate::base::{Call, Error, Rank, Result};
use crate::comm::call::operation::Operation;
use crate::p2p::{
    Completion, MatchedMessage, OutgoingMessage, RecvBuffer, Reference, Selector, Status, Wanted,
};
use crate::progress::wait::PendingCall;

/// The communicator of a device call.
pub(in crate::comm) trait Host: Send + Sync + Sized + 'static {
    /// A checked call on host memory, whose start needs nothing but its turn.
    type Ready: Send + fmt::Display;
    /// A started call of the engine.
    type Started: Started;

    /// The rank of this process.
    fn rank(&self) -> Rank;

    /// Why no call can be made any more; `None` if calls can be made.
    fn failure(&self) -> Option<Error>;

    /// Fails the communicator on all ranks.
    fn abort(&self, reason: &str);

    /// Fails the communicator on all ranks, because of the error of a call on this one. Returns why the
    /// communicator has failed: the first reason counts.
    fn fail_by(&self, error: Error, call: Named) -> Error;

    /// Number of the next collective.
    fn next_number(&self) -> u32;

    /// Makes progress on everything of the communicator.
    fn try_move_on(&self);

    /// Whether 8-bit floats become the largest finite number where they would overflow.
    fn saturates(&self) -> bool;

    /// Starts a call.
    ///
    /// # Safety
    /// The buffers are valid, `ready` lives, and no other run of it has started, until the call has ended.
    unsafe fn start_ready(&self, ready: &mut Self::Ready) -> Result<Self::Started>;

    /// Starts a collective that the other ranks see as `signature`.
    ///
    /// # Safety
    /// The buffers are valid until the call has ended.
    unsafe fn start_signed(&self, operation: &Operation, signature: Call) -> Result<Self::Started>;

    /// Starts a collective that the other ranks see as `signature`, with the deadline that `other` has now.
    ///
    /// # Safety
    /// The buffers are valid until the call has ended.
    unsafe fn start_like(
        &self,
        operation: &Operation,
        signature: Call,
        other: &Self,
    ) -> Result<Self::Started>;

    /// Starts a message that is sent as a reference.
    fn start_reference(&self, what: &OutgoingMessage, reference: &Reference) -> Result<Self::Started>;

    /// Sends the elements of a message whose receiver cannot use the reference.
    ///
    /// # Safety
    /// The buffer is valid until the call has ended.
    unsafe fn start_wanted(&self, what: &OutgoingMessage, wanted: Wanted) -> Result<Self::Started>;

    /// Starts a receive that only claims its message, for memory like `buffer`.
    fn start_claim(&self, selector: Selector, buffer: RecvBuffer) -> Result<Self::Started>;

    /// The reference of a claimed message, if it has one.
    fn reference(&self, message: MatchedMessage) -> Option<Reference>;

    /// Receives a claimed message.
    ///
    /// # Safety
    /// The buffer is valid until the call has ended.
    unsafe fn start_claimed(&self, message: MatchedMessage, buffer: RecvBuffer) -> Result<Self::Started>;

    /// Ends a claimed message, because its elements were read.
    fn end_reference(&self, message: MatchedMessage);

    /// Whether all replies to a rank are in its link. Makes progress.
    fn has_replied(&self, to: Rank) -> bool;

    /// Leaves the communicator if the other ranks do without this one.
    fn quit_companion(&self, reason: &str) -> bool;

    /// Leaves the communicator. Every call has ended.
    fn finalize(&self) -> Result<()>;
}

/// A call as errors name it: `all_reduce(float32 sum, count 4) #12`.
#[derive(Clone, Copy)]
pub(in crate::comm) struct Named<'a> {
    pub call: &'a dyn fmt::Display,
    /// Number of a collective among those of its communicator, if it is known.
    pub number: Option<u32>,
}

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.call.fmt(f)?;
        self.number.map_or(Ok(()), |number| write!(f, " #{number}"))
    }
}

/// A started call of the engine. Dropping it waits for its end.
pub(in crate::comm) trait Started {
    /// Whether it has ended. Makes progress on everything of its communicator.
    fn has_ended(&mut self) -> bool;

    /// Waits for the end.
    fn wait(&mut self) -> Result<()>;

    /// How it has ended, if it was a message and has ended well.
    fn completion(&self) -> Option<Completion>;

    /// Number of the call among those of its communicator. `None`: it is a message, or has ended.
    fn number(&self) -> Option<u32>;

    /// Status of the message, if it was a message and has ended well.
    fn status(&self) -> Option<Status> {
        self.completion().map(|ended| ended.status)
    }

    /// Cancels a receive that has not matched a message yet.
    fn cancel(&self);

    /// The call to wait for, if it has not ended.
    fn pending_call(&self) -> Option<PendingCall<'_>>;
}

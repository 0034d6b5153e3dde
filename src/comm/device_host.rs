//! The communicator as the host of its device calls.

use super::call::operation::{Operation, Variant};
use super::communicator::Communicator;
use super::device::{Host, Named, Started};
use super::ready::ReadyCall;
use super::request::Request;
use crate::base::{Call, Error, Rank, Result};
use crate::p2p::{Completion, MatchedMessage, OutgoingMessage, RecvBuffer, Reference, Selector, Wanted};
use crate::progress::wait::PendingCall;

impl Host for Communicator {
    type Ready = ReadyCall;
    type Started = Request;

    fn rank(&self) -> Rank {
        self.rank
    }

    fn failure(&self) -> Option<Error> {
        self.failure()
    }

    fn abort(&self, reason: &str) {
        self.abort(reason);
    }

    fn fail_by(&self, error: Error, call: Named) -> Error {
        // Before the engine is locked: a call that describes itself may lock its own parts.
        let call = call.to_string();
        let error = self.driver.lock().reason_of(self.id, &call, error);
        self.fail(error.clone());
        // Another thread may have failed it first.
        self.failure().unwrap_or(error)
    }

    fn next_number(&self) -> u32 {
        self.driver.lock().next_number(self.id)
    }

    fn try_move_on(&self) {
        self.driver.try_move_on();
    }

    fn saturates(&self) -> bool {
        self.plan_cache.saturates()
    }

    unsafe fn start_ready(&self, ready: &mut ReadyCall) -> Result<Request> {
        // SAFETY: passed on from our caller.
        unsafe { ready.start(self) }
    }

    unsafe fn start_signed(&self, operation: &Operation, signature: Call) -> Result<Request> {
        let variant = Variant { signature: Some(signature), callback: None };
        // SAFETY: passed on from our caller.
        unsafe { self.start_variant(operation, &variant) }
    }

    unsafe fn start_like(
        &self,
        operation: &Operation,
        signature: Call,
        other: &Communicator,
    ) -> Result<Request> {
        self.set_timeout(other.timeout.get());
        // SAFETY: passed on from our caller.
        unsafe { self.start_signed(operation, signature) }
    }

    fn start_reference(&self, what: &OutgoingMessage, reference: &Reference) -> Result<Request> {
        self.driver.start_reference(self.id, what, reference).map(|ticket| self.request(ticket))
    }

    unsafe fn start_wanted(&self, what: &OutgoingMessage, wanted: Wanted) -> Result<Request> {
        // SAFETY: passed on from our caller.
        unsafe { self.driver.start_wanted(self.id, what, wanted) }.map(|ticket| self.request(ticket))
    }

    fn start_claim(&self, selector: Selector, buffer: RecvBuffer) -> Result<Request> {
        self.driver.start_claim(self.id, selector, buffer).map(|ticket| self.request(ticket))
    }

    fn reference(&self, message: MatchedMessage) -> Option<Reference> {
        self.driver.reference(self.id, message)
    }

    unsafe fn start_claimed(&self, message: MatchedMessage, buffer: RecvBuffer) -> Result<Request> {
        // SAFETY: passed on from our caller.
        unsafe { self.start_matched_receive(message, buffer) }
    }

    fn end_reference(&self, message: MatchedMessage) {
        self.driver.end_reference(self.id, message);
    }

    fn has_replied(&self, to: Rank) -> bool {
        self.driver.has_replied(self.id, to)
    }

    fn quit_companion(&self, reason: &str) -> bool {
        self.driver.quit_companion(self.id, reason)
    }

    fn finalize(&self) -> Result<()> {
        self.finalize()
    }
}

impl Started for Request {
    fn has_ended(&mut self) -> bool {
        // `wait` returns an error later, at once.
        !matches!(self.test(), Ok(false))
    }

    fn wait(&mut self) -> Result<()> {
        self.wait()
    }

    fn completion(&self) -> Option<Completion> {
        self.completion()
    }

    fn number(&self) -> Option<u32> {
        self.number()
    }

    fn cancel(&self) {
        self.cancel();
    }

    fn pending_call(&self) -> Option<PendingCall<'_>> {
        self.pending_call()
    }
}

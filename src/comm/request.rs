//! The request: a started operation.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use super::device::DeviceCompletion;
use super::foreign::started_call::ForeignCall;
use crate::base::Result;
use crate::p2p::{Completion, MatchedMessage, Status};
use crate::progress::wait::{Clock, Driver, PendingCall};
use crate::progress::{CallOutcome, Ticket};
use crate::sys::cores::yield_now;

/// Number of tests of a foreign call before the processor is yielded once.
const LOOKS_BEFORE_YIELD: u32 = 256;

/// A started operation. It completes once. Dropping an incomplete one waits for it, because its buffers are
/// in use.
pub struct Request {
    driver: Arc<Driver>,
    timeout: Option<Duration>,
    clock: Cell<Clock>,
    state: State,
    /// Memory of the library that the operation uses.
    _memory: Vec<u8>,
}

/// The call of a request, for a thread that waits and does not own the request. The request must not end
/// before the wait does.
pub struct Watch {
    driver: Arc<Driver>,
    ticket: Ticket,
    timeout: Option<Duration>,
    clock: Cell<Clock>,
}

impl Watch {
    /// The call to wait for.
    pub(super) fn pending_call(&self) -> PendingCall<'_> {
        PendingCall {
            driver: Arc::clone(&self.driver),
            ticket: self.ticket,
            timeout: self.timeout,
            clock: &self.clock,
        }
    }
}

enum State {
    Running(Ticket),
    /// The operation is under way in another engine.
    Foreign(ForeignCall),
    /// The operation has buffers on a device, and a thread of the library sees to it.
    OnDevice(Arc<DeviceCompletion>),
    /// The operation has several parts, each with a request.
    Several(Box<dyn StartedParts>),
    Ended(CallOutcome),
}

/// A started operation of several parts, each with a request.
pub(super) trait StartedParts: Send {
    /// Waits for the end of all parts.
    fn wait(&mut self) -> Result<()>;

    /// Whether all parts have ended. Makes progress on everything of the communicator.
    /// [`StartedParts::wait`] returns the result.
    fn has_ended(&mut self) -> bool;

    /// The request to wait for next.
    fn running(&self) -> Option<&Request>;
}

impl Request {
    pub(super) fn new(driver: Arc<Driver>, ticket: Ticket, timeout: Option<Duration>) -> Request {
        Request {
            driver,
            timeout,
            clock: Cell::default(),
            state: State::Running(ticket),
            _memory: Vec::new(),
        }
    }

    /// Makes the request of a send that has already ended.
    pub(super) fn ended(driver: Arc<Driver>, status: Status) -> Request {
        let state = State::Ended(Ok(Some(status.into())));
        Request { driver, timeout: None, clock: Cell::default(), state, _memory: Vec::new() }
    }

    /// Makes the request of a call that was not made, but estimated.
    pub(super) fn estimated(driver: Arc<Driver>) -> Request {
        let (clock, state) = (Cell::default(), State::Ended(Ok(None)));
        Request { driver, timeout: None, clock, state, _memory: Vec::new() }
    }

    /// Makes the request of a call that another engine serves.
    pub(super) fn foreign(driver: Arc<Driver>, call: ForeignCall) -> Request {
        let (clock, state) = (Cell::default(), State::Foreign(call));
        Request { driver, timeout: None, clock, state, _memory: Vec::new() }
    }

    /// Makes the request of a call with buffers on a device.
    pub(super) fn on_device(driver: Arc<Driver>, completion: Arc<DeviceCompletion>) -> Request {
        let (clock, state) = (Cell::default(), State::OnDevice(completion));
        Request { driver, timeout: None, clock, state, _memory: Vec::new() }
    }

    /// Makes the request of an operation of several parts.
    pub(super) fn of_parts(driver: Arc<Driver>, parts: Box<dyn StartedParts>) -> Request {
        let (clock, state) = (Cell::default(), State::Several(parts));
        Request { driver, timeout: None, clock, state, _memory: Vec::new() }
    }

    /// Leaves a call with buffers on a device to its stream: nobody waits for it.
    pub(super) fn detach(mut self) {
        self.state = State::Ended(Ok(None));
    }

    /// This request, which also keeps memory that the operation uses to its end.
    pub fn keeping(mut self, memory: Vec<u8>) -> Request {
        self._memory = memory;
        self
    }

    /// Waits for the end. Later calls repeat the result.
    pub fn wait(&mut self) -> Result<()> {
        match self.state {
            State::Running(ticket) => self.state = State::Ended(self.driver.wait(ticket, self.timeout)),
            State::Foreign(..) => self.wait_for_foreign(),
            State::OnDevice(ref completion) => {
                let outcome = completion.wait();
                self.state = State::Ended(outcome);
            }
            State::Several(ref mut parts) => self.state = State::Ended(parts.wait().map(|()| None)),
            State::Ended(_) => {}
        }
        self.result()
    }

    /// Waits for a foreign call. Its end may depend on what other ranks wait for in the builtin engine, so
    /// that engine makes progress meanwhile.
    fn wait_for_foreign(&mut self) {
        self.note_wait();
        let mut looks = 0;
        while !self.poll_foreign() {
            looks += 1;
            if looks % LOOKS_BEFORE_YIELD == 0 {
                self.driver.try_move_on();
                yield_now();
            }
        }
    }

    /// Notes that a thread waits for the end of an operation of another engine, whose deadline counts from
    /// the first time on.
    pub(super) fn note_wait(&self) {
        if let State::Foreign(call) = &self.state {
            call.note_wait();
        }
    }

    /// Whether the operation of another engine or of a device has ended, or the request is not such an
    /// operation.
    fn poll_foreign(&mut self) -> bool {
        if let State::OnDevice(completion) = &self.state {
            let Some(outcome) = completion.get() else { return false };
            self.state = State::Ended(outcome);
            return true;
        }
        let State::Foreign(call) = &mut self.state else { return true };
        let Some(outcome) = call.poll() else { return false };
        self.state = State::Ended(outcome.map(|()| None));
        true
    }

    /// Whether the operation is under way in another engine or on a device, where only testing shows its end.
    pub(super) fn is_foreign(&self) -> bool {
        matches!(self.state, State::Foreign(..) | State::OnDevice(_))
    }

    /// Whether both requests belong to the same engine, which is the builtin one.
    pub(super) fn shares_engine(&self, other: &Request) -> bool {
        Arc::ptr_eq(&self.driver, &other.driver) && !self.is_foreign()
    }

    /// Like [`Request::test`], without a look at the links: whether the end of the operation is known
    /// already.
    pub fn has_ended(&mut self) -> Result<bool> {
        if let State::Running(ticket) = self.state {
            match self.driver.take_outcome(ticket) {
                None => return Ok(false),
                Some(outcome) => self.state = State::Ended(outcome),
            }
        }
        self.test()
    }

    /// Whether the operation has ended. Makes progress on everything of its communicator. An error also means
    /// that it has ended.
    pub fn test(&mut self) -> Result<bool> {
        if let State::Running(ticket) = self.state {
            match self.driver.test(ticket) {
                None => return Ok(false),
                Some(outcome) => self.state = State::Ended(outcome),
            }
        }
        if let State::Several(parts) = &mut self.state {
            return if parts.has_ended() { self.wait().map(|()| true) } else { Ok(false) };
        }
        if self.is_foreign() && !self.poll_foreign() {
            self.driver.try_move_on();
            return Ok(false);
        }
        self.result().map(|()| true)
    }

    /// The call to wait for, if it has not ended; of several parts, the next one.
    pub(super) fn pending_call(&self) -> Option<PendingCall<'_>> {
        if let State::Several(parts) = &self.state {
            return parts.running().and_then(Request::pending_call);
        }
        let State::Running(ticket) = self.state else { return None };
        Some(PendingCall {
            driver: Arc::clone(&self.driver),
            ticket,
            timeout: self.timeout,
            clock: &self.clock,
        })
    }

    /// Number of a collective among those of its communicator; of several parts, that of the next one.
    /// `None`: it is none of the builtin engine, or has ended.
    pub(super) fn number(&self) -> Option<u32> {
        match &self.state {
            State::Running(ticket) => self.driver.lock().number_of_call(*ticket),
            State::Several(parts) => parts.running().and_then(Request::number),
            State::Foreign(..) | State::OnDevice(_) | State::Ended(_) => None,
        }
    }

    /// What a thread waits for that leaves the request to others. `None`: only testing shows the end; the
    /// wait is noted.
    pub fn watch(&self) -> Option<Watch> {
        if let State::Several(parts) = &self.state {
            return parts.running().and_then(Request::watch);
        }
        self.note_wait();
        let State::Running(ticket) = self.state else { return None };
        Some(Watch {
            driver: Arc::clone(&self.driver),
            ticket,
            timeout: self.timeout,
            clock: Cell::new(self.clock.get()),
        })
    }

    /// Status of the message that was received or sent. `None`: the operation has not ended without an error,
    /// or was no message.
    pub fn status(&self) -> Option<Status> {
        self.completion().map(|ended| ended.status)
    }

    /// How the message has ended that was received or sent. `None` as for [`Request::status`].
    pub(super) fn completion(&self) -> Option<Completion> {
        match &self.state {
            State::Ended(Ok(Some(ended))) => Some(*ended),
            _ => None,
        }
    }

    /// The message that a matched probe has taken out of the queue. `None`: it has not ended without an
    /// error, or was cancelled.
    pub fn message(&self) -> Option<MatchedMessage> {
        match &self.state {
            State::Ended(Ok(Some(ended))) => ended.message,
            _ => None,
        }
    }

    /// Cancels a receive or a probe that has not matched a message yet. The request must be waited for in any
    /// case; its status tells whether it was cancelled.
    pub fn cancel(&self) {
        match &self.state {
            State::Running(ticket) => {
                self.driver.cancel(*ticket);
            }
            State::OnDevice(completion) => completion.cancel(),
            State::Foreign(..) | State::Several(_) | State::Ended(_) => {}
        }
    }

    fn result(&self) -> Result<()> {
        match &self.state {
            State::Running(_) | State::Foreign(..) | State::OnDevice(_) | State::Several(_) => {
                unreachable!("asked only after the end")
            }
            State::Ended(Ok(_)) => Ok(()),
            State::Ended(Err(error)) => Err(error.clone()),
        }
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        // An error belongs to the communicator, whose next call repeats it.
        let _ = self.wait();
    }
}

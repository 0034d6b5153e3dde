//! The thread that starts the device calls of a communicator and completes them.
//!
//! A device cannot wake a thread, so this one looks at flags in memory. It naps between looks, the longer the
//! longer nothing has happened. While the engine works on calls it waits there, and their deadlines
//! count. It sleeps while there is no call, and ends with its communicator.

use std::fmt::Display;
use std::sync::{Arc, Weak};
use std::time::Duration;

use super::call::{DeviceCall, QueuedCall};
use super::call_queue::CallQueue;
use super::completion::DeviceCompletion;
use super::direct::Next;
use super::host::{Host, Named, Started};
use crate::base::{Error, Result};
use crate::device::Kinds;
use crate::p2p::Completion;
use crate::progress::CallOutcome;
use crate::progress::wait::wait_for_first_until;
use crate::sys::clock;
use crate::sys::cores::yield_now;

/// Time of looking again and again before the first nap.
const YIELD_TIME: Duration = Duration::from_micros(50);
/// Shortest and longest nap. Between them a nap is an eighth of the time without an event.
const NAPS: (Duration, Duration) = (Duration::from_micros(20), Duration::from_micros(200));
/// Time without an event after which the device is asked whether it still works, and between two questions.
const CHECK_TIME: Duration = Duration::from_millis(10);

/// The calls that the thread takes, in the order in which they were made.
pub(super) type SharedQueue<H> = CallQueue<QueuedCall<H>>;

/// A call that the thread has taken.
struct TakenCall<H: Host> {
    device_call: Box<DeviceCall<H>>,
    completion: Arc<DeviceCompletion>,
    /// Number of a collective, once the engine has it.
    number: Option<u32>,
}

/// A call that the engine works on.
struct Running<H: Host> {
    // Dropped first: dropping a work waits for it, and it uses the call and its copies until then.
    /// Unset while the call waits for the device, or for nothing.
    work: Option<H::Started>,
    call: TakenCall<H>,
    /// Status of a message that the engine has ended.
    status: Option<Completion>,
}

/// A call that has ended in the engine, and that the stream has not passed.
struct Retiring<H: Host> {
    call: TakenCall<H>,
    outcome: CallOutcome,
    /// Whether the stream has been released.
    has_ended: bool,
}

/// Body of the thread.
pub(super) fn run<H: Host>(queue: &SharedQueue<H>, communicator: &Weak<H>) {
    // This thread starts the calls, on copies in host memory, and never waits for its own turn.
    Kinds::trust_this_thread();
    let mut worker =
        Worker { queue, communicator, running: Vec::new(), retiring: Vec::new(), has_taken: false };
    loop {
        if worker.is_idle() && !queue.wait_for_call() {
            return;
        }
        worker.work();
    }
}

struct Worker<'a, H: Host> {
    queue: &'a SharedQueue<H>,
    communicator: &'a Weak<H>,
    running: Vec<Running<H>>,
    retiring: Vec<Retiring<H>>,
    /// Whether calls were taken that the queue does not know as started.
    has_taken: bool,
}

impl<H: Host> Worker<'_, H> {
    fn is_idle(&self) -> bool {
        self.running.is_empty() && self.retiring.is_empty()
    }

    /// Works until something has happened, and then until nothing is in flight.
    fn work(&mut self) {
        let mut since = clock::now();
        let mut checked = since;
        loop {
            let moved = self.start_due() | self.look_at_running() | self.see_ends() | self.see_passed();
            self.note_started();
            let now = clock::now();
            if moved {
                (since, checked) = (now, now);
                continue;
            }
            if self.is_idle() && self.queue.peek(|_| ()).is_none() {
                return;
            }
            if now - checked >= CHECK_TIME {
                checked = now;
                self.check_next();
            }
            self.rest(now - since);
        }
    }

    /// Starts the calls whose streams have come to them. Returns whether it did anything.
    fn start_due(&mut self) -> bool {
        let mut moved = false;
        let failure = self.failure();
        let is_due = |call: &QueuedCall<H>| {
            let is_over = failure.is_some() || call.refusal.is_some();
            is_over || call.device_call.may_begin()
        };
        while !self.is_starting()
            && let Some(call) = self.queue.take_if(is_due)
        {
            let QueuedCall { device_call, completion, refusal } = call;
            let mut call = TakenCall { device_call, completion, number: None };
            (moved, self.has_taken) = (true, true);
            // The others wait for a call that cannot start here, and the caller may wait for nothing.
            let started = match refusal.or(failure.clone()) {
                Some(error) => Err(error),
                None => self.start(&mut call.device_call).map_err(|error| self.fail(error, &call)),
            };
            match started {
                Ok(work) => {
                    call.number = work.as_ref().and_then(H::Started::number);
                    self.running.push(Running { work, call, status: None });
                }
                Err(error) => self.leave(call, Err(error)),
            }
        }
        moved
    }

    /// Whether a call has begun that is to be started in the engine before all later ones.
    fn is_starting(&self) -> bool {
        self.running.iter().any(|running| running.call.device_call.is_starting())
    }

    /// Notes that the calls taken so far have been started, if they have.
    fn note_started(&mut self) {
        if self.has_taken && !self.is_starting() {
            self.has_taken = false;
            self.queue.note_started();
        }
    }

    /// Why no call can run any more.
    fn failure(&self) -> Option<Error> {
        match self.communicator.upgrade() {
            Some(communicator) => communicator.failure(),
            None => {
                Some(Error::InvalidUsage("the communicator was destroyed before its calls had ended".into()))
            }
        }
    }

    fn start(&self, device_call: &mut DeviceCall<H>) -> Result<Option<H::Started>> {
        let communicator = self.communicator.upgrade();
        let communicator = communicator.ok_or_else(|| Error::Internal("the communicator has gone".into()))?;
        // SAFETY: `Running` keeps the call, which is boxed, and its copies until the work has ended. The
        // caller vouches for other buffers.
        unsafe { device_call.start(&communicator) }
    }

    /// Looks at the pieces of calls that the engine works on. Returns whether more have arrived, or are
    /// final.
    fn look_at_running(&mut self) -> bool {
        let mut moved = false;
        for at in 0..self.running.len() {
            match self.running[at].call.device_call.look() {
                Ok(has_changed) => moved |= has_changed,
                Err(error) => drop(self.fail(error, &self.running[at].call)),
            }
        }
        moved
    }

    /// Takes the outcomes of calls that have ended in the engine. Returns whether there were any.
    fn see_ends(&mut self) -> bool {
        let mut moved = false;
        let mut at = 0;
        while at < self.running.len() {
            match self.advance(at) {
                None => at += 1,
                Some(Ok(None)) => moved = true,
                Some(Ok(Some(outcome))) => {
                    moved = true;
                    let Running { call, .. } = self.running.swap_remove(at);
                    self.leave(call, outcome);
                }
                Some(Err(error)) => {
                    moved = true;
                    let Running { call, .. } = self.running.swap_remove(at);
                    let error = self.fail(error, &call);
                    self.leave(call, Err(error));
                }
            }
        }
        moved
    }

    /// Goes on with a call. `None`: there is nothing to do yet. Inside, the outcome if it has ended.
    fn advance(&mut self, at: usize) -> Option<Result<Option<CallOutcome>>> {
        let Running { work, call, status } = &mut self.running[at];
        let was_working = work.is_some();
        if let Some(started) = work {
            if call.completion.is_cancelled() {
                started.cancel();
            }
            if !started.has_ended() {
                return None;
            }
            if let Err(error) = started.wait() {
                *work = None;
                return Some(match call.device_call.has_private_work() {
                    true => Err(error),
                    false => Ok(Some(Err(error))),
                });
            }
            let completion = started.completion();
            *work = None;
            *status = completion.map(|completion| completion.status.into());
            call.device_call.note_completion(completion);
        }
        let Some(communicator) = self.communicator.upgrade() else {
            return Some(Err(Error::InvalidUsage(
                "the communicator was destroyed before its calls had ended".into(),
            )));
        };
        if !was_working && let Some(failure) = communicator.failure() {
            return Some(Ok(Some(Err(failure))));
        }
        // SAFETY: `Running` keeps the call until the work has ended.
        match unsafe { call.device_call.next(&communicator) } {
            Err(error) => Some(Err(error)),
            Ok(Next::Ended) => Some(Ok(Some(Ok(status.take())))),
            Ok(Next::Call(started)) => {
                call.number = call.number.or_else(|| started.number());
                *work = Some(started);
                Some(Ok(None))
            }
            Ok(Next::Device) => was_working.then_some(Ok(None)),
        }
    }

    /// Lets the stream go on, or has the results copied back.
    fn leave(&mut self, call: TakenCall<H>, outcome: CallOutcome) {
        self.retiring.push(Retiring { call, outcome, has_ended: false });
        self.end(self.retiring.len() - 1);
    }

    /// Ends a call on its stream, if nobody uses its buffers any more. Returns whether it has ended.
    fn end(&mut self, at: usize) -> bool {
        let Retiring { call, outcome, has_ended } = &mut self.retiring[at];
        if *has_ended {
            return true;
        }
        if outcome.is_err() && call.device_call.is_in_use() {
            return false;
        }
        *has_ended = true;
        if let Err(error) = call.device_call.end(outcome.is_ok()) {
            let error = self.fail(error, &self.retiring[at].call);
            let outcome = &mut self.retiring[at].outcome;
            if outcome.is_ok() {
                *outcome = Err(error);
            }
        }
        true
    }

    /// Completes the calls that their streams have passed. Returns whether there were any.
    fn see_passed(&mut self) -> bool {
        let mut moved = false;
        let mut at = 0;
        while at < self.retiring.len() {
            if !self.end(at) {
                at += 1;
                continue;
            }
            let outcome = match self.retiring[at].call.device_call.has_passed() {
                Ok(false) => {
                    at += 1;
                    continue;
                }
                Ok(true) => Ok(()),
                Err(error) => Err(self.fail(error, &self.retiring[at].call)),
            };
            moved = true;
            let Retiring { call, outcome: ended, .. } = self.retiring.swap_remove(at);
            let outcome = ended.and_then(|status| outcome.map(|()| status));
            // The copies are given back first, so that the thread that sees the end can reserve again.
            drop(call.device_call);
            call.completion.set(outcome);
            self.queue.note_ended();
        }
        moved
    }

    /// Asks the device whether it still works on what the next calls wait for, and the other ranks whether
    /// they still wait for it.
    fn check_next(&mut self) {
        if self.running.iter().all(|call| call.work.is_none())
            && let Some(communicator) = self.communicator.upgrade()
        {
            communicator.try_move_on();
        }
        let has_not_arrived =
            |running: &&Running<H>| running.work.is_none() || !running.call.device_call.has_arrived();
        if let Some(Running { call, .. }) = self.running.iter().find(has_not_arrived)
            && let Err(error) = call.device_call.check()
        {
            self.fail(error, call);
        }
        let check = |call: &mut QueuedCall<H>| {
            let failure = |error| (error, call.device_call.to_string(), call.device_call.is_message());
            call.device_call.check().map_err(failure)
        };
        if let Some(Err((error, call, is_message))) = self.queue.peek(check) {
            self.fail_named(error, &call, self.next_number(is_message));
        }
    }

    /// Number of the next call that starts, if it is a collective.
    fn next_number(&self, is_message: bool) -> Option<u32> {
        let communicator = self.communicator.upgrade()?;
        (!is_message && !self.is_starting()).then(|| communicator.next_number())
    }

    /// Fails the communicator on all ranks, because the device, or the start of a call, has failed. Returns
    /// why the communicator has failed.
    fn fail(&self, error: Error, call: &TakenCall<H>) -> Error {
        self.fail_named(error, &*call.device_call, call.number)
    }

    fn fail_named(&self, error: Error, call: &dyn Display, number: Option<u32>) -> Error {
        match self.communicator.upgrade() {
            Some(communicator) => communicator.fail_by(error, Named { call, number }),
            None => error,
        }
    }

    /// Rests for a moment. `idle` is the time since something last happened.
    fn rest(&self, idle: Duration) {
        if idle < YIELD_TIME {
            return yield_now();
        }
        let nap = (idle / 8).clamp(NAPS.0, NAPS.1);
        let calls: Vec<_> =
            self.running.iter().filter_map(|running| running.work.as_ref()?.pending_call()).collect();
        if calls.is_empty() {
            self.queue.nap(nap);
        } else {
            wait_for_first_until(&calls, Some(clock::now() + nap));
        }
    }
}

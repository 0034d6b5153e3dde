//! Calls in the order in which they were made, between the threads that make them and the one that starts
//! them.
//!
//! A call is *queued*, then *taken* by the thread, *started*, and *ended*. A caller of another kind of call
//! waits for its turn: until all calls so far have been started. One that leaves waits until all have ended.
//! The thread sleeps while nothing is queued. It also naps, because a device or an abort wakes nobody. A
//! model checks that nobody sleeps for ever (crate `anyccl-models`).

use std::collections::VecDeque;
use std::time::Duration;

use crate::sys::sync::{Condvar, Mutex};

/// See the module head.
pub(crate) struct CallQueue<C> {
    /// Held by the thread that makes a call.
    order: Mutex<()>,
    state: Mutex<State<C>>,
    changed: Condvar,
}

struct State<C> {
    waiting: VecDeque<C>,
    /// Number of calls that were queued and have not ended.
    unfinished: usize,
    /// Whether the thread has taken a call that it has not started yet.
    is_starting: bool,
    has_thread: bool,
    is_closed: bool,
}

impl<C> Default for CallQueue<C> {
    fn default() -> CallQueue<C> {
        let state = State {
            waiting: VecDeque::new(),
            unfinished: 0,
            is_starting: false,
            has_thread: false,
            is_closed: false,
        };
        CallQueue { order: Mutex::new(()), state: Mutex::new(state), changed: Condvar::default() }
    }
}

impl<C> CallQueue<C> {
    /// Queues the call that `make` makes. No other call is made meanwhile, so that what `make` does has the
    /// order of the queue. It may wait until the thread has ended earlier calls, as a stream may be full of
    /// them. Before the first call, `start_thread` starts the thread.
    pub fn enqueue<R, E>(
        &self,
        start_thread: impl FnOnce() -> Result<(), E>,
        make: impl FnOnce() -> (C, R),
    ) -> Result<R, E> {
        let _order = self.order.lock();
        if !self.state.lock().has_thread {
            start_thread()?;
            self.state.lock().has_thread = true;
        }
        let (call, made) = make();
        let mut state = self.state.lock();
        state.waiting.push_back(call);
        state.unfinished += 1;
        self.changed.notify_all();
        Ok(made)
    }

    /// Waits until every call so far has been started, so that the next one has its turn.
    #[inline]
    pub fn wait_for_turn(&self) {
        let mut state = self.state.lock();
        while !state.waiting.is_empty() || state.is_starting {
            self.changed.wait(&mut state);
        }
    }

    /// Waits until every call has ended.
    pub fn drain(&self) {
        let mut state = self.state.lock();
        while state.unfinished > 0 {
            self.changed.wait(&mut state);
        }
    }

    /// No call comes any more: the thread ends when it has none.
    pub fn close(&self) {
        self.state.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// The next call, if `is_due` says so.
    pub fn take_if(&self, is_due: impl FnOnce(&C) -> bool) -> Option<C> {
        let mut state = self.state.lock();
        if !state.waiting.front().is_some_and(is_due) {
            return None;
        }
        state.is_starting = true;
        state.waiting.pop_front()
    }

    /// Looks at the next call, if there is one.
    #[cfg(not(loom))]
    pub fn peek<T>(&self, look: impl FnOnce(&mut C) -> T) -> Option<T> {
        self.state.lock().waiting.front_mut().map(look)
    }

    /// Notes that the calls taken so far have been started.
    pub fn note_started(&self) {
        self.state.lock().is_starting = false;
        self.changed.notify_all();
    }

    /// Notes that a call has ended.
    pub fn note_ended(&self) {
        self.state.lock().unfinished -= 1;
        self.changed.notify_all();
    }

    /// Waits until there is a call. `false`: there will be none.
    pub fn wait_for_call(&self) -> bool {
        let mut state = self.state.lock();
        while state.waiting.is_empty() {
            if state.is_closed {
                return false;
            }
            self.changed.wait(&mut state);
        }
        true
    }

    /// Rests, but not longer than `time`, and only until a call is queued.
    pub fn nap(&self, time: Duration) {
        self.changed.wait_for(&mut self.state.lock(), time);
    }
}

// The module is named by path because another crate also compiles this file, from elsewhere.
#[cfg(all(test, loom))]
#[path = "call_queue/model.rs"]
mod model;

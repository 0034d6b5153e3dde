//! Runs the calls of one communicator one after the other.
//!
//! A library of NCCL's shape takes one thread at a time per communicator, and its calls on host memory block.
//! So a blocking call waits for its turn and runs in the calling thread. A started call goes into a queue,
//! for a thread that is made with the first of them. Calls run in the order in which they arrive, whatever
//! thread runs them: all ranks must have the same order.
//!
//! Giving up ends every wait for a turn with an error. It does not end the call that a thread is stuck in:
//! only the library can do that. Whoever waits for that call waits for the library, for a while.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::backend::engine::Started;
use crate::base::{Error, Result};
use crate::sys::clock;
use crate::sys::thread::spawn_quiet;

/// A call that waits for its turn.
type QueuedCall = Box<dyn FnOnce() -> Result<()> + Send>;

/// The queue of calls, and the mutual exclusion of those that run.
pub struct Turns {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<QueueState>,
    /// Signalled when a call has ended or arrived, or the communicator was given up.
    changed: Condvar,
}

#[derive(Default)]
struct QueueState {
    queue: VecDeque<(QueuedCall, Arc<CallOutcome>)>,
    /// Whether a call is running.
    is_busy: bool,
    has_thread: bool,
    is_closing: bool,
    given_up: Option<GivenUp>,
}

/// The end of a communicator after a failure.
struct GivenUp {
    error: Error,
    /// Until then the call that is running may still end.
    until: Instant,
}

/// Outcome of a call, once it has ended.
#[derive(Default)]
struct CallOutcome(Mutex<Option<Result<()>>>);

impl Default for Turns {
    fn default() -> Turns {
        Turns { shared: Arc::new(Shared { state: Mutex::default(), changed: Condvar::new() }) }
    }
}

impl Turns {
    /// Runs a call in this thread, when all earlier ones have ended.
    pub fn run(&self, call: impl FnOnce() -> Result<()>) -> Result<()> {
        let mut state = self.shared.idle()?;
        state.is_busy = true;
        drop(state);
        let outcome = call();
        self.shared.end_turn();
        outcome
    }

    /// Puts a call into the queue.
    pub fn start(&self, call: impl FnOnce() -> Result<()> + Send + 'static) -> Result<Box<dyn Started>> {
        let outcome = Arc::new(CallOutcome::default());
        let mut state = self.shared.state.lock();
        state.check()?;
        if !state.has_thread {
            let shared = Arc::clone(&self.shared);
            let made = spawn_quiet("anyccl-foreign", move || shared.serve());
            made.map_err(|error| Error::system("starting a thread for another engine's calls", error))?;
            state.has_thread = true;
        }
        state.queue.push_back((Box::new(call), Arc::clone(&outcome)));
        drop(state);
        self.shared.changed.notify_all();
        Ok(Box::new(Pending { shared: Arc::clone(&self.shared), outcome }))
    }

    /// Lets no further call begin: those that wait for their turn, and later ones, end with this error. The
    /// call that is running ends by itself, or appears to have ended with the error after `patience`.
    pub fn give_up(&self, error: Error, patience: Duration) {
        let mut state = self.shared.state.lock();
        for (_, outcome) in state.queue.drain(..) {
            *outcome.0.lock() = Some(Err(error.clone()));
        }
        state.given_up.get_or_insert(GivenUp { error, until: clock::now() + patience });
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Whether no call is running or waiting. So it seems after giving up.
    pub fn is_idle(&self) -> bool {
        let state = self.shared.state.lock();
        state.given_up.is_some() || (!state.is_busy && state.queue.is_empty())
    }

    /// Waits until nothing is under way, and lets nothing begin. Returns `false` if the communicator was
    /// given up.
    pub fn close(&self) -> bool {
        let is_idle = self.shared.idle().map(|mut state| state.is_closing = true).is_ok();
        self.shared.changed.notify_all();
        is_idle
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        // The thread ends when it has its next turn. Nobody waits for that: it may be stuck in the library.
        self.shared.state.lock().is_closing = true;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    /// Waits until no call is running or waiting.
    fn idle(&self) -> Result<MutexGuard<'_, QueueState>> {
        let mut state = self.state.lock();
        loop {
            state.check()?;
            if !state.is_busy && state.queue.is_empty() {
                return Ok(state);
            }
            self.changed.wait(&mut state);
        }
    }

    fn end_turn(&self) {
        self.state.lock().is_busy = false;
        self.changed.notify_all();
    }

    /// Body of the thread.
    fn serve(&self) {
        loop {
            let mut state = self.state.lock();
            while state.is_busy || state.queue.is_empty() {
                if state.is_closing && state.queue.is_empty() {
                    return;
                }
                self.changed.wait(&mut state);
            }
            let (call, outcome) = state.queue.pop_front().expect("it is not empty");
            state.is_busy = true;
            drop(state);
            let ended = call();
            *outcome.0.lock() = Some(ended);
            self.end_turn();
        }
    }
}

impl QueueState {
    fn check(&self) -> Result<()> {
        match &self.given_up {
            Some(given_up) => Err(given_up.error.clone()),
            None if self.is_closing => Err(Error::InvalidUsage("the communicator is closed".into())),
            None => Ok(()),
        }
    }
}

/// A started call: waiting in the queue, or running.
struct Pending {
    shared: Arc<Shared>,
    outcome: Arc<CallOutcome>,
}

impl Started for Pending {
    fn test(&mut self) -> Result<bool> {
        if let Some(outcome) = self.outcome.0.lock().take() {
            return outcome.map(|()| true);
        }
        match &self.shared.state.lock().given_up {
            Some(given_up) if clock::now() >= given_up.until => Err(given_up.error.clone()),
            _ => Ok(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;

    fn wait(mut started: Box<dyn Started>) -> Result<()> {
        while !started.test()? {
            thread::yield_now();
        }
        Ok(())
    }

    #[test]
    fn started_and_blocking_calls_are_made_in_the_order_in_which_they_came() {
        let (turns, order) = (Turns::default(), Arc::new(Mutex::new(Vec::new())));
        let note = |number: u32| {
            let order = Arc::clone(&order);
            move || {
                order.lock().push(number);
                Ok(())
            }
        };
        let (go, gate) = mpsc::channel::<()>();
        let first =
            turns.start(move || gate.recv().map_err(|_| Error::Internal("no sender".into()))).unwrap();
        let second = turns.start(note(2)).unwrap();
        go.send(()).unwrap();
        turns.run(note(3)).unwrap();
        wait(turns.start(note(4)).unwrap()).unwrap();
        wait(first).unwrap();
        wait(second).unwrap();
        assert_eq!(*order.lock(), [2, 3, 4]);
    }

    #[test]
    fn each_call_gets_its_own_error() {
        let turns = Turns::default();
        let failing = turns.start(|| Err(Error::Unsupported("not today".into()))).unwrap();
        let fine = turns.start(|| Ok(())).unwrap();
        assert_eq!(wait(failing).unwrap_err().to_string(), "not today");
        wait(fine).unwrap();
        assert!(turns.run(|| Err(Error::Unsupported("nor now".into()))).is_err());
        turns.run(|| Ok(())).unwrap();
    }

    /// Turns with a call that ends when the sender is dropped.
    fn with_a_stuck_call() -> (Turns, Box<dyn Started>, mpsc::Sender<()>) {
        let turns = Turns::default();
        let (release, stuck) = mpsc::channel::<()>();
        let (entered, is_in) = mpsc::channel();
        let mut under_way = turns
            .start(move || {
                entered.send(()).unwrap();
                let _ = stuck.recv();
                Ok(())
            })
            .unwrap();
        is_in.recv().unwrap();
        assert!(!under_way.test().unwrap());
        (turns, under_way, release)
    }

    #[test]
    fn giving_up_without_patience_ends_the_wait_for_a_call_that_is_stuck() {
        let (turns, mut under_way, release) = with_a_stuck_call();
        let mut queued = turns.start(|| Ok(())).unwrap();
        assert!(!turns.is_idle());
        turns.give_up(Error::Aborted("enough".into()), Duration::ZERO);
        assert_eq!(under_way.test().unwrap_err().to_string(), "enough");
        assert_eq!(queued.test().unwrap_err().to_string(), "enough");
        assert!(turns.run(|| Ok(())).is_err() && turns.start(|| Ok(())).is_err());
        assert!(turns.is_idle() && !turns.close());
        drop(release);
    }

    #[test]
    fn giving_up_with_patience_lets_the_running_call_end_and_no_other_begin() {
        let (turns, mut under_way, release) = with_a_stuck_call();
        let mut queued = turns.start(|| Ok(())).unwrap();
        turns.give_up(Error::Aborted("enough".into()), Duration::from_secs(1000));
        assert_eq!(queued.test().unwrap_err().to_string(), "enough");
        assert!(!under_way.test().unwrap());
        drop(release);
        wait(under_way).unwrap();
    }

    #[test]
    fn closing_waits_for_started_calls_and_refuses_new_ones() {
        let turns = Turns::default();
        let pending = turns.start(|| Ok(())).unwrap();
        assert!(turns.close());
        wait(pending).unwrap();
        assert!(turns.run(|| Ok(())).is_err());
    }
}

//! What a rank does when nothing moves.
//!
//! 1. *Poll*, where there is a processor for each rank: a cache line from another core comes in well under a
//!    microsecond.
//! 2. *Yield* the processor between polls: with more ranks than processors somebody else must run first, and a
//!    hand-over by `sched_yield` costs less than a wake-up.
//!    Where each look is a system call, naps follow soon: `poll` on the awaited sockets.
//! 3. *Sleep* in `poll`, on the control channels, the data sockets and the wake-up of this process. A peer that
//!    has news for a sleeper rings its control channel. A rank that waits long costs nothing.
//!
//! After a tenth of a second without any progress the rank tells the others what it waits for: so ranks in different calls
//! find out, and a timeout can say who is missing. The deadline counts time *without progress of the call*: a large
//! transfer over a slow link does not fail because it is large, and other calls that move do not put it off.
//!
//! [`wait_for_first`] does the same for several calls, of one or several engines.

mod co_progress;
mod idle;
mod run;
mod several;
mod sleep;
mod sleepers;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub use co_progress::CoProgress;
use idle::Idle;
use parking_lot::{Mutex, MutexGuard};
pub use several::{Clock, PendingCall, wait_for_first, wait_for_first_until};
use sleepers::Sleepers;

use super::context::CommId;
use super::engine::{CallOutcome, Engine, Ticket};
use crate::base::{Error, Result};
use crate::sys::wake::Wake;

/// Polls between two looks at the clock.
const POLLS_PER_CLOCK_READ: u32 = 64;
/// Polls before the first yield where ranks share processors.
const POLLS_WHEN_OVERSUBSCRIBED: u32 = 30;
/// Time of yielding before sleep.
const YIELD_TIME: Duration = Duration::from_micros(500);
/// Silence after which the others are told what is waited for.
const STALL_TIME: Duration = Duration::from_millis(100);
/// Silence after which it is a failure that a rank went for which we wait: what it sent before may still be on
/// its way.
const DESERTED_TIME: Duration = Duration::from_millis(100);
/// The same for a rank for which we do not wait directly: those who do will tell, or can finish without it.
const DESERTED_BY_OTHERS_TIME: Duration = Duration::from_millis(500);

/// An engine and those who wait for it. Any thread may use it.
pub struct Driver {
    engine: Mutex<Engine>,
    spin: Duration,
    sleepers: Sleepers<Wake>,
    abort_requested: AtomicBool,
    /// Communicators to be aborted, and why.
    aborts: Mutex<Vec<(CommId, String)>>,
    /// An engine of somebody else, if there is one.
    co_progress: OnceLock<Box<dyn CoProgress>>,
}

impl Driver {
    /// Drives `engine`. `spin`: time of polling before yielding, where each rank has a processor.
    pub fn new(engine: Engine, spin: Duration) -> Result<Driver> {
        let wake = Wake::new().map_err(|e| Error::system("cannot make an eventfd", e))?;
        Ok(Driver {
            engine: Mutex::new(engine),
            spin,
            sleepers: Sleepers::new(wake),
            abort_requested: AtomicBool::new(false),
            aborts: Mutex::new(Vec::new()),
            co_progress: OnceLock::new(),
        })
    }

    /// The engine, for what does not wait.
    pub fn lock(&self) -> MutexGuard<'_, Engine> {
        self.engine.lock()
    }

    /// Waits for the end of what was started.
    pub fn wait(&self, ticket: Ticket, timeout: Option<Duration>) -> CallOutcome {
        self.wait_for(&mut self.lock(), ticket, timeout)
    }

    /// Whether a started call has ended; moves things on. `Some` uses the ticket up.
    pub fn test(&self, ticket: Ticket) -> Option<CallOutcome> {
        let mut engine = self.lock();
        if !self.move_on(&mut engine) && !engine.has_outcome(ticket) {
            self.check_peers(&mut engine);
        }
        engine.take_outcome(ticket)
    }

    /// Nothing has moved, and nobody waits: has somebody failed, or gone?
    pub(super) fn check_peers(&self, engine: &mut Engine) {
        self.move_other_engine();
        engine.read_control();
        let long_gone = |at: Instant| at.elapsed() >= DESERTED_BY_OTHERS_TIME;
        if engine.control.first_departure.is_some_and(long_gone) && !self.move_on(engine) {
            engine.fail_if_deserted(true);
        }
        self.abort_if_requested(engine);
        self.wake_sleepers(engine);
    }

    /// Fails a communicator on all its ranks, from any thread; blocked calls return at once.
    pub fn abort(&self, comm: CommId, reason: &str) {
        self.aborts.lock().push((comm, reason.to_string()));
        self.abort_requested.store(true, Ordering::Release);
        // Whoever holds the lock gives it up when nothing moves, or takes note of the abort itself.
        let mut engine = self.lock();
        self.abort_if_requested(&mut engine);
        self.sleepers.ring_all();
    }

    /// Gives a communicator up ([`Engine::quit`]) after a last push to what is under way.
    pub fn quit(&self, comm: CommId, reason: &str) -> bool {
        let mut engine = self.lock();
        self.move_on(&mut engine);
        let has_quit = engine.quit(comm, reason);
        self.sleepers.ring_all();
        has_quit
    }

    fn abort_if_requested(&self, engine: &mut Engine) {
        if !self.abort_requested.load(Ordering::Acquire) {
            return;
        }
        self.abort_requested.store(false, Ordering::Relaxed);
        for (comm, reason) in std::mem::take(&mut *self.aborts.lock()) {
            engine.abort(comm, &reason);
        }
    }

    /// Progress; wakes threads of this process whose call may have ended.
    pub(super) fn move_on(&self, engine: &mut Engine) -> bool {
        let moved = engine.progress();
        engine.has_changes |= moved;
        self.wake_sleepers(engine);
        if let Some(co_progress) = self.co_progress.get() {
            co_progress.note(engine.is_busy());
        }
        moved
    }

    /// Wakes threads of this process for what has changed.
    #[inline]
    fn wake_sleepers(&self, engine: &mut Engine) {
        if std::mem::take(&mut engine.has_changes) {
            self.sleepers.ring_all();
        }
    }

    pub(super) fn wait_for(
        &self,
        engine: &mut MutexGuard<'_, Engine>,
        ticket: Ticket,
        timeout: Option<Duration>,
    ) -> CallOutcome {
        let mut idle = Idle::default();
        loop {
            if let Some(outcome) = self.poll_once(engine, ticket, timeout, &mut idle) {
                return outcome;
            }
        }
    }

    /// Moves things on, and is idle for one step if the call has not moved.
    #[inline]
    fn poll_once(
        &self,
        engine: &mut MutexGuard<'_, Engine>,
        ticket: Ticket,
        timeout: Option<Duration>,
        idle: &mut Idle,
    ) -> Option<CallOutcome> {
        let moved = self.move_on(engine);
        // Also if nothing moved: another thread may have ended it.
        if let Some(outcome) = engine.take_outcome(ticket) {
            return Some(outcome);
        }
        if moved && !idle.has_moved(engine.moves(ticket)) {
            self.busy_step(engine, ticket, timeout, idle);
        } else if !moved || engine.oversubscribed_on_sockets {
            // What could move has moved: where another look is a system call, somebody else's turn comes first.
            self.idle_step(engine, ticket, timeout, idle);
        }
        None
    }

    /// Waits until everybody has said goodbye, or is gone, or the time is over. Never fails.
    pub fn wait_for_byes(&self, timeout: Duration) {
        let end = Instant::now() + timeout;
        let mut engine = self.lock();
        loop {
            engine.read_control();
            let rest = end.saturating_duration_since(Instant::now());
            if engine.all_left() || rest.is_zero() {
                return;
            }
            // An error (out of memory) only makes this poll again.
            let _ = self.poll_set(&engine).wait(Some(end));
        }
    }
}

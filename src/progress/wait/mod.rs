//! Waiting: what a rank does when nothing moves (`idle`).
//!
//! 1. It *polls*, if there is a processor for each rank: a cache line from another core arrives in well under
//!    a microsecond.
//! 2. It *yields* the processor between polls. With more ranks than processors another rank must run first,
//!    and a yield costs less than a wake-up. If each look is a system call, naps follow soon: `poll` on the
//!    sockets that are needed.
//! 3. It *sleeps* in `poll`, on the control channels, the data sockets and the doorbell of this thread
//!    (`sleep`). A peer that has sent something to a sleeper rings its doorbell. A rank that waits long costs
//!    nothing.
//!
//! After a tenth of a second without any progress, the rank tells the others what it waits for. So ranks in
//! different calls find out, and a timeout can say who is missing. The deadline counts time *without progress
//! of the call*. A large transfer over a slow link does not fail because it is large, and progress of other
//! calls does not postpone the deadline.
//!
//! A wait also makes progress outside of the engine: in another engine ([`CoProgress`]), and on staged work
//! of the layer above ([`ProgressHook`]).
//!
//! [`wait_for_first`] waits for the first of several calls, of one or several engines.

mod abort_requests;
mod co_progress;
mod hook;
mod idle;
mod run;
mod several;
mod sleep;
mod sleepers;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use abort_requests::AbortRequests;
pub use co_progress::CoProgress;
pub use hook::ProgressHook;
use idle::Idle;
use parking_lot::{Mutex, MutexGuard};
pub use run::LateCall;
pub use several::{Clock, PendingCall, wait_for_first, wait_for_first_until};
use sleepers::Sleepers;

use super::context::CommId;
use super::engine::{CallOutcome, Engine, Ticket};
use crate::base::{Error, Result};
use crate::sys::clock;
use crate::sys::wake::Wake;

/// Polls between two looks at the clock.
const POLLS_PER_CLOCK_READ: u32 = 64;
/// Polls before the first yield, if ranks share processors.
const POLLS_WHEN_OVERSUBSCRIBED: u32 = 30;
/// Time of yielding before sleep.
const YIELD_TIME: Duration = Duration::from_micros(500);
/// Longest time between two looks for a goodbye, because another thread may have read it.
pub(super) const LOOK_TIME: Duration = Duration::from_millis(20);
/// Silence after which this rank announces what it waits for.
const STALL_TIME: Duration = Duration::from_millis(100);
/// Silence after which the loss of a rank that a call waits for is a failure. Data that it sent before may
/// still be on its way until then.
const DESERTED_TIME: Duration = Duration::from_millis(100);
/// Silence after which the loss of any rank is a failure. Until then, ranks that wait for it directly may
/// report it, or may finish without it.
const DESERTED_BY_OTHERS_TIME: Duration = Duration::from_millis(500);

/// An engine and the threads that wait for it. Any thread may use it.
pub struct Driver {
    engine: Mutex<Engine>,
    spin: Duration,
    sleepers: Sleepers<Wake>,
    /// Whether any communicator has failed so far. Set by the engine.
    has_failures: Arc<AtomicBool>,
    /// Communicators that are to be aborted, and the reasons.
    aborts: AbortRequests<(CommId, String)>,
    /// Another engine that makes progress while a thread waits, if there is one.
    co_progress: OnceLock<Box<dyn CoProgress>>,
    /// Staged work of the layer above, if there is any.
    hook: OnceLock<Arc<dyn ProgressHook>>,
}

impl Driver {
    /// Makes a driver of `engine`. `spin` is the time of polling before yielding, if each rank has a
    /// processor.
    pub fn new(engine: Engine, spin: Duration) -> Result<Driver> {
        let wake = Wake::new().map_err(|e| Error::system("cannot make an eventfd", e))?;
        Ok(Driver {
            has_failures: Arc::clone(&engine.has_failures),
            engine: Mutex::new(engine),
            spin,
            sleepers: Sleepers::new(wake),
            aborts: AbortRequests::new(),
            co_progress: OnceLock::new(),
            hook: OnceLock::new(),
        })
    }

    /// The engine, locked, for operations that do not wait.
    pub fn lock(&self) -> MutexGuard<'_, Engine> {
        self.engine.lock()
    }

    /// Whether any communicator of the engine has failed so far. Costs no lock.
    #[inline]
    pub fn has_failures(&self) -> bool {
        self.has_failures.load(Ordering::Acquire)
    }

    /// Waits for the end of a started operation.
    pub fn wait(&self, ticket: Ticket, timeout: Option<Duration>) -> CallOutcome {
        let mut engine = self.lock();
        // With several operations, one look often ends many.
        engine.take_outcome(ticket).unwrap_or_else(|| self.wait_for(&mut engine, ticket, timeout))
    }

    /// The outcome of a started call, if it has ended. Otherwise makes progress on all calls. `Some` uses up
    /// the ticket.
    pub fn test(&self, ticket: Ticket) -> Option<CallOutcome> {
        let mut engine = self.lock();
        if let Some(outcome) = engine.take_outcome(ticket) {
            return Some(outcome);
        }
        if !self.move_on(&mut engine) && !engine.has_outcome(ticket) {
            self.check_peers(&mut engine);
        }
        engine.take_outcome(ticket)
    }

    /// Looks for failures and lost ranks. Called when nothing has moved and no thread waits.
    pub(super) fn check_peers(&self, engine: &mut Engine) {
        self.move_other_engine();
        engine.read_control();
        let long_gone = |at: Instant| clock::since(at) >= DESERTED_BY_OTHERS_TIME;
        if engine.control.first_departure.is_some_and(long_gone) && !self.move_on(engine) {
            engine.fail_if_member_departed(true);
        }
        self.abort_if_requested(engine);
        self.wake_sleepers(engine);
    }

    /// Fails a communicator on all its ranks. Any thread may call it; blocked calls return at once.
    pub fn abort(&self, comm: CommId, reason: &str) {
        self.aborts.add((comm, reason.to_string()));
        // A thread that holds the lock releases it when nothing moves, or notices the abort itself.
        let mut engine = self.lock();
        self.abort_if_requested(&mut engine);
        self.sleepers.ring_all();
    }

    /// Fails a communicator on all its ranks with an error that was found outside of the engine.
    pub fn fail(&self, comm: CommId, error: Error) {
        self.lock().fail(comm, error);
        self.sleepers.ring_all();
    }

    /// Leaves a communicator ([`Engine::quit`]) after a last push to everything under way.
    pub fn quit(&self, comm: CommId, reason: &str) -> bool {
        self.quit_by(|engine| engine.quit(comm, reason))
    }

    /// Leaves a communicator ([`Engine::quit_companion`]) after a last push to everything under way.
    pub fn quit_companion(&self, comm: CommId, reason: &str) -> bool {
        self.quit_by(|engine| engine.quit_companion(comm, reason))
    }

    fn quit_by(&self, quit: impl FnOnce(&mut Engine) -> bool) -> bool {
        let mut engine = self.lock();
        self.move_on(&mut engine);
        let has_quit = quit(&mut engine);
        self.sleepers.ring_all();
        has_quit
    }

    fn abort_if_requested(&self, engine: &mut Engine) {
        for (comm, reason) in self.aborts.take() {
            engine.abort(comm, &reason);
        }
    }

    /// Moves everything that can move, and wakes threads of this process whose call may have ended.
    pub(super) fn move_on(&self, engine: &mut Engine) -> bool {
        let moved = engine.progress();
        engine.has_changes |= moved;
        self.wake_sleepers(engine);
        if let Some(co_progress) = self.co_progress.get() {
            co_progress.note(engine.is_busy());
        }
        moved
    }

    /// Wakes threads of this process if something has changed.
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

    /// Moves everything, and makes one step of the wait if the call has not moved.
    #[inline]
    fn poll_once(
        &self,
        engine: &mut MutexGuard<'_, Engine>,
        ticket: Ticket,
        timeout: Option<Duration>,
        idle: &mut Idle,
    ) -> Option<CallOutcome> {
        let moved = self.move_on(engine);
        // Also if nothing moved, because another thread may have ended the call.
        if let Some(outcome) = engine.take_outcome(ticket) {
            return Some(outcome);
        }
        if moved {
            // A stage may be due now. What the hook starts gets a first push at once.
            self.run_hook(engine);
        }
        if moved && !idle.has_moved(engine.moves(ticket)) {
            self.busy_step(engine, ticket, timeout, idle);
        } else if !moved || engine.oversubscribed_on_sockets {
            // Everything that could move has moved. If another look is a system call, the other ranks go
            // first.
            self.idle_step(engine, ticket, timeout, idle);
        }
        None
    }

    /// Waits until every peer has said goodbye or is gone, or until the time is over. Never fails.
    pub fn wait_for_byes(&self, timeout: Duration) {
        let end = clock::now() + timeout;
        let mut engine = self.lock();
        loop {
            engine.read_control();
            let rest = clock::left(end);
            if engine.all_left() || rest.is_zero() {
                return;
            }
            let mut set = self.poll_set(&engine);
            MutexGuard::unlocked(&mut engine, || {
                // An error (out of memory) only makes this poll again.
                let _ = set.wait(Some(end.min(clock::now() + LOOK_TIME)));
            });
        }
    }

    /// Waits until the hosts of all peers have what was sent to them, or until the time is over. Never fails.
    /// A process that ends before that may take it back: what a peer sends to a closed connection resets it.
    pub fn wait_until_delivered(&self, timeout: Duration) {
        const PAUSE: Duration = Duration::from_millis(1);
        let end = clock::now() + timeout;
        while self.lock().has_undelivered() && clock::now() < end {
            clock::sleep(PAUSE);
        }
    }
}

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
mod run;
mod several;
mod sleepers;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

pub use co_progress::CoProgress;
use parking_lot::{Mutex, MutexGuard};
pub use several::{Clock, PendingCall, wait_for_first, wait_for_first_until};
use sleepers::{Doorbell, Sleepers};

use super::context::CommId;
use super::engine::{CallOutcome, Engine, PASSES_PER_FULL_POLL, Ticket};
use crate::base::{Error, Result};
use crate::sys::cores::yield_now;
use crate::sys::poll::{Interest, PollSet};
use crate::sys::wake::Wake;

/// Polls between two looks at the clock.
const POLLS_PER_CLOCK_READ: u32 = 64;
/// Polls before the first yield where ranks share processors.
const POLLS_WHEN_OVERSUBSCRIBED: u32 = 30;
/// Time of yielding before sleep.
const YIELD_TIME: Duration = Duration::from_micros(500);
/// The same before a nap, where ranks share processors and each look is a system call: a hand-over is cheaper than a
/// wake-up, but ranks that never sleep also never move to the idler processor (four ranks on two cores, 8 bytes:
/// 25 us with 20 or 100, 50 with 5, 37 without naps).
const YIELD_TIME_ON_SOCKETS: Duration = Duration::from_micros(100);
/// Longest nap.
const NAP_TIME: Duration = Duration::from_millis(1);
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

    /// Other calls move, this one does not: there is no time to rest, but its deadline counts.
    fn busy_step(
        &self,
        engine: &mut MutexGuard<'_, Engine>,
        ticket: Ticket,
        timeout: Option<Duration>,
        idle: &mut Idle,
    ) {
        idle.polls += 1;
        if idle.polls.is_multiple_of(POLLS_PER_CLOCK_READ) {
            self.abort_if_requested(engine);
            let silence = idle.silence();
            if let Some(waited) = timeout.filter(|limit| silence >= *limit) {
                self.time_out(engine, ticket, waited);
            }
            MutexGuard::bump(engine);
        }
    }

    fn time_out(&self, engine: &mut Engine, ticket: Ticket, waited: Duration) {
        // One more look: the news may have come this very moment.
        engine.read_control();
        let detail = engine.who_is_missing(ticket);
        engine.fail_call(ticket, Error::Timeout { waited, detail });
    }

    /// One step of waiting, after a look at everything that showed nothing.
    fn idle_step(
        &self,
        engine: &mut MutexGuard<'_, Engine>,
        ticket: Ticket,
        timeout: Option<Duration>,
        idle: &mut Idle,
    ) {
        if self.move_other_engine() {
            self.busy_step(engine, ticket, timeout, idle);
            return MutexGuard::unlocked(engine, yield_now);
        }
        idle.polls += 1;
        let oversubscribed = engine.oversubscribed;
        let on_sockets = engine.oversubscribed_on_sockets;
        let spin = if oversubscribed { Duration::ZERO } else { self.spin };
        if !on_sockets && idle.polls < POLLS_WHEN_OVERSUBSCRIBED
            || !oversubscribed && !idle.polls.is_multiple_of(POLLS_PER_CLOCK_READ)
        {
            return std::hint::spin_loop();
        }
        self.abort_if_requested(engine);
        let silence = idle.silence();
        if !oversubscribed && silence < spin {
            return MutexGuard::bump(engine);
        }
        if silence < spin + YIELD_TIME {
            let naps = on_sockets && silence >= YIELD_TIME_ON_SOCKETS;
            if !naps || !self.nap(engine, idle) {
                MutexGuard::unlocked(engine, yield_now);
            }
            return;
        }
        if let Some(waited) = timeout.filter(|limit| silence >= *limit) {
            return self.time_out(engine, ticket, waited);
        }
        if silence >= STALL_TIME && !idle.announced {
            engine.announce_stalls();
            idle.announced = true;
        }
        engine.read_control();
        if silence >= DESERTED_TIME {
            engine.all_have_met();
        }
        if engine.somebody_went() && silence >= DESERTED_TIME {
            engine.fail_if_deserted(silence >= DESERTED_BY_OTHERS_TIME);
        }
        if !engine.has_outcome(ticket) {
            let until_deadline = timeout.map(|limit| limit - silence);
            let next =
                if !idle.announced || engine.somebody_went() { Some(STALL_TIME / 4) } else { until_deadline };
            let next = next.map(|n| until_deadline.map_or(n, |d| n.min(d)));
            self.sleep(engine, next);
        }
    }

    /// Sleeps for a moment, until an awaited socket may be ready. `false`: not all that is waited for are sockets.
    fn nap(&self, engine: &mut MutexGuard<'_, Engine>, idle: &mut Idle) -> bool {
        let set = &mut idle.sockets;
        set.clear();
        for (endpoint, interest) in engine.awaited() {
            let Some(fd) = engine.endpoints[endpoint as usize].inbox.link.descriptor() else { return false };
            set.add(&fd, interest);
        }
        let doorbell = self.fall_asleep(engine);
        let until = add_doorbell(doorbell.as_deref(), set, Some(NAP_TIME));
        MutexGuard::unlocked(engine, || {
            // An error (out of memory) only makes this look again.
            let _ = set.wait(until);
        });
        self.wake_up(engine, doorbell);
        engine.messaging.idle_passes = PASSES_PER_FULL_POLL;
        true
    }

    /// Sleeps until something may have happened.
    fn sleep(&self, engine: &mut MutexGuard<'_, Engine>, timeout: Option<Duration>) {
        let doorbell = self.fall_asleep(engine);
        // Whoever sent before it could see us sleeping did not ring: look once more, everywhere.
        engine.messaging.idle_passes = PASSES_PER_FULL_POLL;
        if !self.move_on(engine) {
            let mut set = self.poll_set(engine);
            let until = add_doorbell(doorbell.as_deref(), &mut set, timeout);
            MutexGuard::unlocked(engine, || {
                // An error (out of memory) only makes this poll again.
                let _ = set.wait(until);
            });
        }
        self.wake_up(engine, doorbell);
        engine.messaging.idle_passes = PASSES_PER_FULL_POLL;
        engine.read_control();
    }

    /// This thread is about to sleep: peers and other threads ring from now on.
    fn fall_asleep(&self, engine: &mut Engine) -> Option<Arc<Wake>> {
        let (is_first, doorbell) = self.sleepers.enter(Wake::new);
        if is_first {
            engine.endpoints.iter_mut().for_each(|endpoint| endpoint.inbox.link.set_sleeping(true));
        }
        doorbell
    }

    fn wake_up(&self, engine: &mut Engine, doorbell: Option<Arc<Wake>>) {
        if self.sleepers.leave(doorbell) {
            engine.endpoints.iter_mut().for_each(|endpoint| endpoint.inbox.link.set_sleeping(false));
        }
    }

    pub(super) fn poll_set(&self, engine: &Engine) -> PollSet {
        let mut set = PollSet::new();
        self.add_to_poll_set(engine, &mut set);
        set
    }

    fn add_to_poll_set(&self, engine: &Engine, set: &mut PollSet) {
        for control in engine.endpoints.iter().filter_map(|endpoint| endpoint.control.as_ref()) {
            if !control.is_closed() {
                set.add(control, if control.has_unsent() { Interest::ReadWrite } else { Interest::Read });
            }
            if let Some(process) = control.process() {
                set.add(process, Interest::Read);
            }
        }
        for (peer, interest) in engine.awaited() {
            if let Some(fd) = engine.endpoints[peer as usize].inbox.link.descriptor() {
                set.add(&fd, interest);
            }
        }
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

impl Doorbell for Wake {
    fn ring(&self) {
        self.ring();
    }

    fn clear(&self) {
        self.clear();
    }
}

/// Adds a sleeper's doorbell to what it waits for; until when it may sleep. One that could not get a doorbell naps.
fn add_doorbell(doorbell: Option<&Wake>, set: &mut PollSet, timeout: Option<Duration>) -> Option<Instant> {
    let timeout = match doorbell {
        Some(doorbell) => {
            set.add(doorbell, Interest::Read);
            timeout
        }
        None => Some(timeout.map_or(NAP_TIME, |time| time.min(NAP_TIME))),
    };
    timeout.map(|time| Instant::now() + time)
}

/// How long a call has not moved.
#[derive(Default)]
struct Idle {
    /// Of the call, when it was last seen to move.
    moves: u32,
    polls: u32,
    since: Option<Instant>,
    /// The others know what we wait for.
    announced: bool,
    /// What a nap waits for; kept for its memory.
    sockets: PollSet,
}

impl Idle {
    /// Takes note of the moves of the call; whether there were new ones.
    fn has_moved(&mut self, moves: u32) -> bool {
        let has_moved = moves != self.moves;
        if has_moved {
            (self.moves, self.polls, self.since) = (moves, 0, None);
        }
        has_moved
    }

    /// Time since the call last moved, or since the first question.
    fn silence(&mut self) -> Duration {
        let now = Instant::now();
        now - *self.since.get_or_insert(now)
    }
}

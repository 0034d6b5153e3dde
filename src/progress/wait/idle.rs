//! The steps of a wait for one call that does not move: poll, yield, tell the others, sleep, give up.

use std::time::{Duration, Instant};

use parking_lot::MutexGuard;

use super::{
    DESERTED_BY_OTHERS_TIME, DESERTED_TIME, Driver, POLLS_PER_CLOCK_READ, POLLS_WHEN_OVERSUBSCRIBED,
    STALL_TIME, YIELD_TIME,
};
use crate::base::Error;
use crate::progress::engine::{Engine, Ticket};
use crate::sys::clock;
use crate::sys::cores::{pause, yield_now};
use crate::sys::poll::PollSet;

/// Time of yielding before a nap, where ranks share processors and each look is a system call. A yield is
/// cheaper than a wake-up. But ranks that never sleep also never move to the idler processor. Figures:
/// docs/lab/constants.md.
const YIELD_TIME_ON_SOCKETS: Duration = Duration::from_micros(100);

/// How long a call has not moved.
#[derive(Default)]
pub(super) struct Idle {
    /// Value of `Engine::moves` of the call when it was last looked at.
    moves: u32,
    polls: u32,
    since: Option<Instant>,
    /// Whether the other ranks have been told what this one waits for.
    announced: bool,
    /// Sockets for which a nap waits; kept to reuse its memory.
    pub sockets: PollSet,
}

impl Idle {
    /// Notes the moves of the call. Returns whether there were new ones.
    pub fn has_moved(&mut self, moves: u32) -> bool {
        let has_moved = moves != self.moves;
        if has_moved {
            (self.moves, self.polls, self.since) = (moves, 0, None);
        }
        has_moved
    }

    /// Time since the call last moved, or since this was first asked.
    fn silence(&mut self) -> Duration {
        let now = clock::now();
        now - *self.since.get_or_insert(now)
    }
}

impl Driver {
    /// Makes one step of a wait while other calls move, but not this one. The thread does not rest, but the
    /// deadline counts.
    pub(super) fn busy_step(
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

    pub(super) fn time_out(&self, engine: &mut Engine, ticket: Ticket, waited: Duration) {
        // One more look, because the reason may have come at this very moment.
        engine.read_control();
        let detail = engine.describe_missing_ranks(ticket);
        engine.fail_call(ticket, Error::Timeout { waited, detail });
    }

    /// Makes one step of a wait, after a look at everything that found nothing.
    pub(super) fn idle_step(
        &self,
        engine: &mut MutexGuard<'_, Engine>,
        ticket: Ticket,
        timeout: Option<Duration>,
        idle: &mut Idle,
    ) {
        if self.move_other_engine() {
            self.run_hook(engine);
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
            return pause();
        }
        let has_worked = self.run_hook(engine);
        self.abort_if_requested(engine);
        let silence = idle.silence();
        if has_worked {
            if let Some(waited) = timeout.filter(|limit| silence >= *limit) {
                self.time_out(engine, ticket, waited);
            }
            return;
        }
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
        if engine.misses_member() && silence >= DESERTED_TIME {
            engine.fail_if_member_departed(silence >= DESERTED_BY_OTHERS_TIME);
        }
        if !engine.has_outcome(ticket) {
            let until_deadline = timeout.map(|limit| limit - silence);
            let next =
                if !idle.announced || engine.misses_member() { Some(STALL_TIME / 4) } else { until_deadline };
            let next = next.map(|n| until_deadline.map_or(n, |d| n.min(d)));
            self.sleep(engine, next, idle.announced);
        }
    }
}

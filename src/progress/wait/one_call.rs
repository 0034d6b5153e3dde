//! Waiting for one call: its steps while nothing moves are to poll, yield, tell the others, sleep, give up.

use std::time::Duration;

use parking_lot::MutexGuard;

use super::driver::Driver;
use super::idle::{
    DESERTED_BY_OTHERS_TIME, DESERTED_TIME, Idle, POLLS_PER_CLOCK_READ, POLLS_WHEN_OVERSUBSCRIBED,
    STALL_TIME, YIELD_TIME, YIELD_TIME_ON_SOCKETS,
};
use crate::base::Error;
use crate::progress::engine::{CallOutcome, Engine, Ticket};
use crate::progress::message_fast_path::Patience;
use crate::sys::cores::{pause, yield_now};

impl Driver {
    /// Waits for the end of a started operation.
    pub fn wait(&self, ticket: Ticket, timeout: Option<Duration>) -> CallOutcome {
        let mut engine = self.lock();
        // With several operations, one look often ends many.
        if let Some(outcome) = engine.take_outcome(ticket) {
            return outcome;
        }
        engine.end_on_fast_path(ticket, Patience::Moment);
        engine.take_outcome(ticket).unwrap_or_else(|| {
            let begin = engine.wait_begin();
            let outcome = self.wait_for_end(&mut engine, ticket, timeout);
            engine.note_wait(begin);
            outcome
        })
    }

    /// The outcome of a started call, if it has ended. Otherwise makes progress on all calls. `Some` uses up
    /// the ticket.
    pub fn test(&self, ticket: Ticket) -> Option<CallOutcome> {
        let mut engine = self.lock();
        if let Some(outcome) = engine.take_outcome(ticket) {
            return Some(outcome);
        }
        engine.end_on_fast_path(ticket, Patience::None);
        if let Some(outcome) = engine.take_outcome(ticket) {
            return Some(outcome);
        }
        if !self.move_on(&mut engine) && !engine.has_outcome(ticket) {
            self.check_peers(&mut engine);
        }
        engine.take_outcome(ticket)
    }

    /// Like [`Driver::test`], without a look at the links.
    pub fn take_outcome(&self, ticket: Ticket) -> Option<CallOutcome> {
        self.lock().take_outcome(ticket)
    }

    /// Waits for the end of an operation that this thread has just started.
    pub(in crate::progress) fn wait_for(
        &self,
        engine: &mut MutexGuard<'_, Engine>,
        ticket: Ticket,
        timeout: Option<Duration>,
    ) -> CallOutcome {
        engine.note_blocking(ticket);
        self.wait_for_end(engine, ticket, timeout)
    }

    fn wait_for_end(
        &self,
        engine: &mut MutexGuard<'_, Engine>,
        ticket: Ticket,
        timeout: Option<Duration>,
    ) -> CallOutcome {
        let mut idle = Idle::default();
        if engine.is_observed() {
            idle.add_up_silence();
        }
        loop {
            if let Some(outcome) = self.poll_once(engine, ticket, timeout, &mut idle) {
                if let Some(silence) = idle.end_silence() {
                    engine.note_silence(silence);
                }
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
        if idle.is_to_be_shown(silence) {
            engine.show_wait(ticket, silence, &mut idle.shown);
        } else {
            engine.show_links(ticket, idle.shown.as_ref());
        }
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
            let late = self.sleep(engine, next, idle.announced);
            idle.leave_out(late);
        }
    }
}

//! Waiting for the first of several calls, of one or several engines.
//!
//! The steps are those of the wait for one call: poll, yield, sleep. The engines are locked one after the
//! other, never two at a time. So threads that wait for the same engines in different orders do not block
//! each other. A sleeping thread polls the descriptors of all engines at once, and is a sleeper in each of
//! them. Peers ring its doorbell, and so do threads of this process that move something. No engine knows of
//! the others.
//!
//! A deadline counts the time without progress of its call, as in the wait for one call. The thread yields or
//! sleeps only when nothing moves at all.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::driver::Driver;
use super::idle::{
    DESERTED_BY_OTHERS_TIME, DESERTED_TIME, POLLS_PER_CLOCK_READ, POLLS_WHEN_OVERSUBSCRIBED, STALL_TIME,
    YIELD_TIME,
};
use super::silence::{Silence, late_by};
use super::sleep::{add_doorbell, add_unheard, longest_sleep};
use crate::observe::status::WaitSlot;
use crate::observe::trace;
use crate::progress::engine::{Engine, Ticket};
use crate::progress::message_fast_path::Patience;
use crate::sys::clock;
use crate::sys::cores::{pause, yield_now};
use crate::sys::poll::PollSet;

/// How long a call has not moved. It belongs to the call, so that a new wait for the call continues to count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    /// Value of `Engine::moves` of the call when it was last seen to move.
    moves: u32,
    silence: Silence,
    /// Whether the other ranks have been told since then that this rank waits for the call.
    announced: bool,
}

/// A call that is waited for.
pub struct PendingCall<'a> {
    /// Driver of the engine in which the call runs.
    pub driver: Arc<Driver>,
    /// Name of the call in that engine.
    pub ticket: Ticket,
    /// Longest time without progress.
    pub timeout: Option<Duration>,
    /// Clock of the call.
    pub clock: &'a Cell<Clock>,
}

impl PendingCall<'_> {
    /// Notes the moves of the call. Returns whether it has an outcome.
    fn note_moves(&self, engine: &Engine) -> bool {
        let moves = engine.moves(self.ticket);
        if moves != self.clock.get().moves {
            self.clock.set(Clock { moves, ..Clock::default() });
        }
        engine.has_outcome(self.ticket)
    }

    /// See [`Silence::leave_out`].
    fn leave_out(&self, late: Duration) {
        let mut clock = self.clock.get();
        clock.silence.leave_out(late);
        self.clock.set(clock);
    }

    /// Fails the call if it has not moved for too long. Otherwise returns the time that it has left.
    fn check_deadline(&self, engine: &mut Engine, now: Instant) -> Option<Duration> {
        let mut clock = self.clock.get();
        let silence = clock.silence.at(now);
        self.clock.set(clock);
        let limit = self.timeout?;
        if silence >= limit && !engine.has_outcome(self.ticket) {
            self.driver.time_out(engine, self.ticket, limit);
        }
        Some(limit.saturating_sub(silence))
    }
}

/// Waits until one of the calls has an outcome, which is not taken. A call that waits longer than its timeout
/// gets the timeout as its outcome.
pub fn wait_for_first(calls: &[PendingCall]) {
    wait_for_first_until(calls, None);
}

/// Like [`wait_for_first`], but at most until `end`.
pub fn wait_for_first_until(calls: &[PendingCall], end: Option<Instant>) {
    if calls.is_empty() {
        return;
    }
    let begin = if trace::is_on() { calls[0].driver.lock().wait_begin() } else { None };
    if let [call] = calls {
        let mut engine = call.driver.lock();
        let patience = if end.is_some() { Patience::None } else { Patience::Moment };
        engine.end_on_fast_path(call.ticket, patience);
        if engine.has_outcome(call.ticket) {
            return;
        }
    }
    // The calls of one driver are grouped, so that each driver is locked once per look.
    let mut calls: Vec<&PendingCall> = calls.iter().collect();
    calls.sort_by_key(|call| Arc::as_ptr(&call.driver));
    let by_driver = calls.chunk_by(|one, other| Arc::ptr_eq(&one.driver, &other.driver));
    let drivers = by_driver.map(|calls| DriverCalls { driver: &calls[0].driver, calls }).collect();
    let mut wait = JointWait::new(drivers, end);
    wait.begun = begin.is_some().then(clock::now);
    while wait.step() {}
    if begin.is_some() {
        wait.end_silence();
        let mut engine = calls[0].driver.lock();
        engine.note_silence(wait.silent);
        engine.note_wait(begin);
    }
}

/// The calls of one driver that are waited for.
struct DriverCalls<'a> {
    driver: &'a Driver,
    calls: &'a [&'a PendingCall<'a>],
}

/// A wait for the first of several calls.
struct JointWait<'a> {
    drivers: Vec<DriverCalls<'a>>,
    /// Time when the wait ends in any case.
    end: Option<Instant>,
    oversubscribed: bool,
    /// Time of polling before yielding.
    spin: Duration,
    looks: u32,
    /// Looks since something last moved.
    idle_polls: u32,
    /// How long nothing has been seen to move.
    silence: Silence,
    /// When the wait began, if somebody wants to know how long nothing moves.
    begun: Option<Instant>,
    /// Time in which nothing moved, before that.
    silent: Duration,
    /// Whether the other ranks have been told what this rank waits for.
    announced: bool,
    /// Where other processes read it, for each engine.
    shown: Vec<Option<WaitSlot>>,
    /// Silence when that was written last.
    shown_at: Option<Duration>,
}

impl<'a> JointWait<'a> {
    fn new(drivers: Vec<DriverCalls<'a>>, end: Option<Instant>) -> JointWait<'a> {
        let oversubscribed = drivers.iter().any(|part| part.driver.lock().oversubscribed);
        let longest = drivers.iter().map(|part| part.driver.spin).max().unwrap_or_default();
        let spin = if oversubscribed { Duration::ZERO } else { longest };
        // A wait that continues an earlier one neither polls anew nor tells the others again, unless it has a
        // call that was not waited for before.
        let clocks = || drivers.iter().flat_map(|part| part.calls).map(|call| call.clock.get());
        let latest =
            |one: Option<Instant>, other: Option<Instant>| one.zip(other).map(|(one, other)| one.max(other));
        let since = clocks().map(|clock| clock.silence.beginning()).reduce(latest).flatten();
        let announced = clocks().all(|clock| clock.announced);
        let shown = drivers.iter().map(|_| None).collect();
        let (looks, idle_polls, shown_at, silent) = (0, 0, None, Duration::ZERO);
        JointWait {
            drivers,
            end,
            oversubscribed,
            spin,
            looks,
            idle_polls,
            silence: Silence::since(since),
            begun: None,
            silent,
            announced,
            shown,
            shown_at,
        }
    }

    /// Notes that something moves, or that the wait is over.
    fn end_silence(&mut self) {
        let since = std::mem::take(&mut self.silence).beginning();
        if let (Some(since), Some(begun)) = (since, self.begun) {
            // An earlier wait for the same calls has noted what was before.
            self.silent += clock::since(since.max(begun));
        }
    }

    /// Looks at all engines, and makes one step of the wait if nothing moved. `false`: the wait is over.
    fn step(&mut self) -> bool {
        let Some(moved) = self.move_on() else { return false };
        self.looks = self.looks.wrapping_add(1);
        if moved {
            self.run_hooks();
            self.idle_polls = 0;
            self.end_silence();
            if self.shown_at.take().is_some() {
                self.shown.iter_mut().for_each(|slot| *slot = None);
            }
            // Other calls may move for ever.
            return !self.looks.is_multiple_of(POLLS_PER_CLOCK_READ) || self.check_clock();
        }
        // All of them are called, so that no engine misses its co-progress.
        if self.drivers.iter().filter(|part| part.driver.move_other_engine()).count() > 0 {
            self.run_hooks();
            let goes_on = self.check_clock();
            if goes_on {
                yield_now();
            }
            return goes_on;
        }
        self.idle_polls += 1;
        if self.idle_polls < POLLS_WHEN_OVERSUBSCRIBED
            || !self.oversubscribed && !self.idle_polls.is_multiple_of(POLLS_PER_CLOCK_READ)
        {
            pause();
            return true;
        }
        if self.run_hooks() {
            return self.check_clock();
        }
        self.rest()
    }

    /// Runs staged work of the layer above. Returns whether it did anything.
    fn run_hooks(&self) -> bool {
        self.drivers.iter().filter(|part| part.driver.run_hook_unlocked()).count() > 0
    }

    /// Moves all engines. Returns whether anything moved. `None`: some call has an outcome.
    fn move_on(&self) -> Option<bool> {
        let mut moved = false;
        for DriverCalls { driver, calls } in &self.drivers {
            let mut engine = driver.lock();
            moved |= driver.move_on(&mut engine);
            // All of them are noted, because each has a clock.
            let ended = calls.iter().filter(|call| call.note_moves(&engine)).count();
            if ended > 0 {
                return None;
            }
        }
        Some(moved)
    }

    /// Checks aborts and deadlines. `false`: the wait is over.
    fn check_clock(&self) -> bool {
        self.check_deadlines();
        self.end.is_none_or(|end| clock::now() < end)
    }

    /// Yields, or sleeps if nothing has moved for long. `false`: the wait is over.
    fn rest(&mut self) -> bool {
        let now = clock::now();
        let silence = self.silence.at(now);
        let until_deadline = self.check_deadlines();
        let until_end = self.end.map(|end| end.saturating_duration_since(now));
        if until_end.is_some_and(|rest| rest.is_zero()) {
            return false;
        }
        if silence < self.spin + YIELD_TIME {
            if self.oversubscribed || silence >= self.spin {
                yield_now();
            }
            return true;
        }
        let announce = silence >= STALL_TIME && !self.announced;
        if announce {
            self.announced = true;
            let calls = self.drivers.iter().flat_map(|part| part.calls);
            calls.for_each(|call| call.clock.set(Clock { announced: true, ..call.clock.get() }));
        }
        let deserted =
            self.drivers.iter().filter(|part| check_silence(part.driver, silence, announce)).count();
        let is_due = self.shown_at.is_none_or(|at| silence >= at + STALL_TIME);
        if self.announced {
            self.show(silence, is_due);
        }
        let soon = (!self.announced || deserted > 0).then_some(STALL_TIME / 4);
        self.sleep(until_deadline.into_iter().chain(until_end).chain(soon).min());
        true
    }

    /// Shows other processes the first call of each engine that is waited for, or only its links.
    fn show(&mut self, silence: Duration, is_due: bool) {
        for (DriverCalls { driver, calls }, slot) in self.drivers.iter().zip(&mut self.shown) {
            let engine = driver.lock();
            match calls.iter().find(|call| !engine.has_outcome(call.ticket)) {
                Some(call) if is_due => engine.show_wait(call.ticket, silence, slot),
                Some(call) => engine.show_links(call.ticket, slot.as_ref()),
                None => {}
            }
        }
        if is_due {
            self.shown_at = Some(silence);
        }
    }

    /// Checks aborts and deadlines. Returns the time to the next deadline.
    fn check_deadlines(&self) -> Option<Duration> {
        let now = clock::now();
        let mut next = None;
        for DriverCalls { driver, calls } in &self.drivers {
            let mut engine = driver.lock();
            driver.abort_if_requested(&mut engine);
            for call in calls.iter() {
                next = next.into_iter().chain(call.check_deadline(&mut engine, now)).min();
            }
        }
        next
    }

    /// Sleeps until something may have happened in any of the engines.
    fn sleep(&mut self, timeout: Option<Duration>) {
        let mut set = PollSet::new();
        let mut doorbells = Vec::with_capacity(self.drivers.len());
        let mut until = timeout.map(|time| clock::now() + time);
        let mut awake = false;
        for DriverCalls { driver, calls } in &self.drivers {
            let mut engine = driver.lock();
            let doorbell = driver.fall_asleep(&mut engine);
            // A peer that sent before it could see this rank sleep did not ring, so this looks once more.
            awake |= driver.move_on(&mut engine) || self.announced && engine.look_at_all();
            awake |= calls.iter().any(|call| engine.has_outcome(call.ticket));
            driver.add_to_poll_set(&engine, &mut set);
            if self.announced {
                add_unheard(&engine, &mut set);
            }
            let soon = add_doorbell(doorbell.as_deref(), &mut set, longest_sleep(&engine));
            until = until.into_iter().chain(soon).min();
            doorbells.push(doorbell);
        }
        if !awake {
            // An error (out of memory) only makes this look again.
            let _ = set.wait(until);
            let late = late_by(until);
            self.silence.leave_out(late);
            self.drivers.iter().flat_map(|part| part.calls).for_each(|call| call.leave_out(late));
        }
        for (part, doorbell) in self.drivers.iter().zip(doorbells) {
            let mut engine = part.driver.lock();
            part.driver.wake_up(&mut engine, doorbell);
            engine.read_control();
        }
    }
}

/// Reads control messages, announces what this rank waits for, and looks for ranks that have gone. Returns
/// whether there are any.
fn check_silence(driver: &Driver, silence: Duration, announce: bool) -> bool {
    let mut engine = driver.lock();
    engine.read_control();
    if announce {
        engine.announce_stalls();
    }
    if silence >= DESERTED_TIME {
        engine.all_have_met();
    }
    if engine.misses_member() && silence >= DESERTED_TIME {
        engine.fail_if_member_departed(silence >= DESERTED_BY_OTHERS_TIME);
    }
    engine.misses_member()
}

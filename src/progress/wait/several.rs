//! Waiting for the first of several calls, of one or several engines.
//!
//! The steps are those of the wait for one call: poll, yield, sleep. Each engine is locked for itself, one after the other,
//! never two at a time; so threads that wait for the same engines in different orders do not stop each other. Asleep, a
//! thread polls the descriptors of all of them at once, and is a sleeper in each: peers ring, and threads of this process
//! that move something wake it through each engine's own wake-up. No engine knows of the others.
//!
//! A deadline counts the time without progress of its call, as in the wait for one; rest comes when nothing moves at all.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{
    DESERTED_BY_OTHERS_TIME, DESERTED_TIME, Driver, POLLS_PER_CLOCK_READ, POLLS_WHEN_OVERSUBSCRIBED,
    STALL_TIME, YIELD_TIME, add_doorbell,
};
use crate::progress::engine::{Engine, Ticket};
use crate::sys::cores::yield_now;
use crate::sys::poll::PollSet;

/// How long a call has not moved. It belongs to the call, so that a wait that is given up and begun again counts on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    /// How often it had moved when it was last seen to move.
    moves: u32,
    /// When that was, or the first question after it.
    since: Option<Instant>,
    /// Whether the others have been told since then that it is waited for.
    announced: bool,
}

/// A call that is waited for.
pub struct PendingCall<'a> {
    /// Where it runs.
    pub driver: Arc<Driver>,
    /// Its name there.
    pub ticket: Ticket,
    /// Longest time without progress.
    pub timeout: Option<Duration>,
    /// Its clock.
    pub clock: &'a Cell<Clock>,
}

impl PendingCall<'_> {
    /// Takes note of its moves; whether it has its outcome.
    fn look(&self, engine: &Engine) -> bool {
        let moves = engine.moves(self.ticket);
        if moves != self.clock.get().moves {
            self.clock.set(Clock { moves, ..Clock::default() });
        }
        engine.has_outcome(self.ticket)
    }

    /// Gives the call up if it has been silent for too long; else the time that is left to it.
    fn check_deadline(&self, engine: &mut Engine, now: Instant) -> Option<Duration> {
        let clock = self.clock.get();
        let since = clock.since.unwrap_or(now);
        self.clock.set(Clock { since: Some(since), ..clock });
        let limit = self.timeout?;
        let silence = now.saturating_duration_since(since);
        if silence >= limit && !engine.has_outcome(self.ticket) {
            self.driver.time_out(engine, self.ticket, limit);
        }
        Some(limit.saturating_sub(silence))
    }
}

/// Waits until one of the calls has its outcome, which stays where it is. One that waits longer than its time-out gets
/// that as its outcome.
pub fn wait_for_first(awaited: &[PendingCall]) {
    wait_for_first_until(awaited, None);
}

/// The same, at most until `end`.
pub fn wait_for_first_until(awaited: &[PendingCall], end: Option<Instant>) {
    if awaited.is_empty() {
        return;
    }
    // Calls of one driver side by side: each is locked once per look.
    let mut awaited: Vec<&PendingCall> = awaited.iter().collect();
    awaited.sort_by_key(|call| Arc::as_ptr(&call.driver));
    let comms: Vec<&[&PendingCall]> =
        awaited.chunk_by(|one, other| Arc::ptr_eq(&one.driver, &other.driver)).collect();
    let drivers: Vec<&Driver> = comms.iter().map(|calls| &*calls[0].driver).collect();
    let oversubscribed = drivers.iter().any(|driver| driver.lock().oversubscribed);
    let longest = drivers.iter().map(|driver| driver.spin).max().unwrap_or_default();
    let spin = if oversubscribed { Duration::ZERO } else { longest };
    // A wait that goes on where an earlier one has ended does not poll anew, nor tell the others twice: but for a call that
    // nobody has waited for yet.
    let clocks = || awaited.iter().map(|call| call.clock.get());
    let latest =
        |one: Option<Instant>, other: Option<Instant>| one.zip(other).map(|(one, other)| one.max(other));
    let mut since = clocks().map(|clock| clock.since).reduce(latest).flatten();
    let mut announced = clocks().all(|clock| clock.announced);
    let (mut looks, mut polls) = (0u32, 0u32);
    loop {
        let mut moved = false;
        for (driver, calls) in drivers.iter().zip(&comms) {
            let mut engine = driver.lock();
            moved |= driver.move_on(&mut engine);
            // All of them: each has a clock.
            let ended = calls.iter().filter(|call| call.look(&engine)).count();
            if ended > 0 {
                return;
            }
        }
        looks = looks.wrapping_add(1);
        if moved {
            (polls, since) = (0, None);
            // Others may move for ever.
            if looks.is_multiple_of(POLLS_PER_CLOCK_READ) {
                check_deadlines(&drivers, &comms);
                if end.is_some_and(|end| Instant::now() >= end) {
                    return;
                }
            }
            continue;
        }
        // Each of them: no engine beside one is left behind.
        if drivers.iter().filter(|driver| driver.move_other_engine()).count() > 0 {
            check_deadlines(&drivers, &comms);
            if end.is_some_and(|end| Instant::now() >= end) {
                return;
            }
            yield_now();
            continue;
        }
        polls += 1;
        if polls < POLLS_WHEN_OVERSUBSCRIBED || !oversubscribed && !polls.is_multiple_of(POLLS_PER_CLOCK_READ)
        {
            std::hint::spin_loop();
            continue;
        }
        let now = Instant::now();
        let silence = now - *since.get_or_insert(now);
        let until_deadline = check_deadlines(&drivers, &comms);
        let until_end = end.map(|end| end.saturating_duration_since(now));
        if until_end.is_some_and(|rest| rest.is_zero()) {
            return;
        }
        if silence < spin + YIELD_TIME {
            if oversubscribed || silence >= spin {
                yield_now();
            }
            continue;
        }
        let tell = silence >= STALL_TIME && !announced;
        if tell {
            announced = true;
            awaited.iter().for_each(|call| call.clock.set(Clock { announced: true, ..call.clock.get() }));
        }
        let deserted = drivers.iter().filter(|driver| check_silence(driver, silence, tell)).count();
        let soon = (!announced || deserted > 0).then_some(STALL_TIME / 4);
        sleep_on_all(&drivers, &comms, until_deadline.into_iter().chain(until_end).chain(soon).min());
    }
}

/// Aborts and deadlines; gives the time to the next of these.
fn check_deadlines(drivers: &[&Driver], comms: &[&[&PendingCall]]) -> Option<Duration> {
    let now = Instant::now();
    let mut next = None;
    for (driver, calls) in drivers.iter().zip(comms) {
        let mut engine = driver.lock();
        driver.abort_if_requested(&mut engine);
        for call in calls.iter() {
            next = next.into_iter().chain(call.check_deadline(&mut engine, now)).min();
        }
    }
    next
}

/// Reads news, tells others what is waited for, and looks for ranks that have gone: whether there are any.
fn check_silence(driver: &Driver, silence: Duration, tell: bool) -> bool {
    let mut engine = driver.lock();
    engine.read_control();
    if tell {
        engine.announce_stalls();
    }
    if silence >= DESERTED_TIME {
        engine.all_have_met();
    }
    if engine.somebody_went() && silence >= DESERTED_TIME {
        engine.fail_if_deserted(silence >= DESERTED_BY_OTHERS_TIME);
    }
    engine.somebody_went()
}

/// Sleeps until something may have happened in any of them.
fn sleep_on_all(drivers: &[&Driver], comms: &[&[&PendingCall]], timeout: Option<Duration>) {
    let mut set = PollSet::new();
    let mut doorbells = Vec::with_capacity(drivers.len());
    let mut until = timeout.map(|time| Instant::now() + time);
    let mut awake = false;
    for (driver, calls) in drivers.iter().zip(comms) {
        let mut engine = driver.lock();
        let doorbell = driver.fall_asleep(&mut engine);
        // Whoever sent before it could see us sleeping did not ring: look once more.
        awake |= driver.move_on(&mut engine) || calls.iter().any(|call| engine.has_outcome(call.ticket));
        driver.add_to_poll_set(&engine, &mut set);
        until = until.into_iter().chain(add_doorbell(doorbell.as_deref(), &mut set, None)).min();
        doorbells.push(doorbell);
    }
    if !awake {
        // An error (out of memory) only makes this look again.
        let _ = set.wait(until);
    }
    for (driver, doorbell) in drivers.iter().zip(doorbells) {
        let mut engine = driver.lock();
        driver.wake_up(&mut engine, doorbell);
        engine.read_control();
    }
}

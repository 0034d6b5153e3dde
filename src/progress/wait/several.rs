//! Waiting for the first of several calls, of one or several engines.
//!
//! The steps are those of the wait for one call: poll, yield, sleep. Each engine is locked for itself, one after the other,
//! never two at a time; so threads that wait for the same engines in different orders do not stop each other. Asleep, a
//! thread polls the descriptors of all of them at once, and is a sleeper in each: peers ring, and threads of this process
//! that move something wake it through each engine's own wake-up. No engine knows of the others.
//!
//! Silence is counted for all together, from the last thing that moved in any of them: progress elsewhere may keep a call
//! waiting longer than its time-out, never shorter.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::{
    DESERTED_BY_OTHERS_TIME, DESERTED_TIME, Driver, POLLS_PER_LOOK, POLLS_WHEN_CROWDED, STALL_TIME,
    YIELD_TIME,
};
use crate::base::Error;
use crate::progress::Ticket;
use crate::sys::cores::yield_now;
use crate::sys::poll::PollSet;

/// A call that is waited for.
#[derive(Clone)]
pub struct Awaited {
    /// Where it runs.
    pub driver: Arc<Driver>,
    /// Its name there.
    pub ticket: Ticket,
    /// Longest time without progress.
    pub timeout: Option<Duration>,
}

/// Waits until one of the calls has its outcome, which stays where it is. One that waits longer than its time-out gets
/// that as its outcome.
pub fn wait_for_first(awaited: &[Awaited]) {
    if awaited.is_empty() {
        return;
    }
    // Calls of one driver side by side: each is locked once per look.
    let mut awaited = awaited.to_vec();
    awaited.sort_by_key(|one| Arc::as_ptr(&one.driver));
    let groups: Vec<&[Awaited]> =
        awaited.chunk_by(|one, other| Arc::ptr_eq(&one.driver, &other.driver)).collect();
    let drivers = || groups.iter().map(|calls| &calls[0].driver);
    let crowded = drivers().any(|driver| driver.lock().crowded);
    let spin = if crowded { Duration::ZERO } else { drivers().map(|d| d.spin).max().unwrap_or_default() };
    let (mut polls, mut since, mut told) = (0u32, None, false);
    loop {
        let mut moved = false;
        for calls in &groups {
            let driver = &calls[0].driver;
            let mut engine = driver.lock();
            moved |= driver.move_on(&mut engine);
            if calls.iter().any(|call| engine.has_outcome(call.ticket)) {
                return;
            }
        }
        if moved {
            (polls, since) = (0, None);
            continue;
        }
        polls += 1;
        if polls < POLLS_WHEN_CROWDED || !crowded && !polls.is_multiple_of(POLLS_PER_LOOK) {
            std::hint::spin_loop();
            continue;
        }
        let now = Instant::now();
        let silence = now - *since.get_or_insert(now);
        if silence < spin + YIELD_TIME {
            drivers().for_each(|driver| driver.abort_if_wanted(&mut driver.lock()));
            if crowded || silence >= spin {
                yield_now();
            }
            continue;
        }
        let tell = silence >= STALL_TIME && !told;
        let mut wake_at = None;
        for calls in &groups {
            sooner(&mut wake_at, look_after(calls, silence, tell));
        }
        told |= tell;
        if !told {
            sooner(&mut wake_at, Some(STALL_TIME / 4));
        }
        sleep_on_all(&groups, wake_at);
    }
}

fn sooner(time: &mut Option<Duration>, other: Option<Duration>) {
    *time = (*time).into_iter().chain(other).min();
}

/// What one driver needs while all are silent: news from its peers, deadlines, word to the others. Gives the time after
/// which it needs it again.
fn look_after(calls: &[Awaited], silence: Duration, tell: bool) -> Option<Duration> {
    let driver = &calls[0].driver;
    let mut engine = driver.lock();
    driver.abort_if_wanted(&mut engine);
    engine.read_control();
    let mut next = None;
    for call in calls {
        let Some(limit) = call.timeout else { continue };
        if silence < limit {
            sooner(&mut next, Some(limit - silence));
        } else if !engine.has_outcome(call.ticket) {
            let detail = engine.who_is_missing(call.ticket);
            engine.fail_call(call.ticket, Error::Timeout { waited: limit, detail });
        }
    }
    if tell {
        engine.announce_stalls();
    }
    if silence >= DESERTED_TIME {
        engine.all_have_met();
        if engine.somebody_went() {
            engine.fail_if_deserted(silence >= DESERTED_BY_OTHERS_TIME);
            sooner(&mut next, Some(STALL_TIME / 4));
        }
    }
    next
}

/// Sleeps until something may have happened in any of them.
fn sleep_on_all(groups: &[&[Awaited]], timeout: Option<Duration>) {
    let mut set = PollSet::new();
    let mut awake = false;
    for calls in groups {
        let driver = &calls[0].driver;
        let mut engine = driver.lock();
        if driver.sleepers.fetch_add(1, Ordering::Relaxed) == 0 {
            engine.ports.iter_mut().for_each(|port| port.inbox.link.set_sleeping(true));
        }
        // Whoever sent before it could see us sleeping did not ring: look once more.
        awake |= driver.move_on(&mut engine) || calls.iter().any(|call| engine.has_outcome(call.ticket));
        driver.add_to_poll_set(&engine, &mut set);
    }
    if !awake {
        // An error (out of memory) only makes this look again.
        let _ = set.wait(timeout.map(|time| Instant::now() + time));
    }
    for calls in groups {
        let driver = &calls[0].driver;
        let mut engine = driver.lock();
        if driver.sleepers.fetch_sub(1, Ordering::Relaxed) == 1 {
            driver.wake.clear();
            engine.ports.iter_mut().for_each(|port| port.inbox.link.set_sleeping(false));
        }
        engine.read_control();
    }
}

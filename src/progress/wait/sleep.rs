//! How a thread sleeps until something may have happened, and what wakes it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::MutexGuard;

use super::driver::Driver;
use super::idle::{Idle, LOOK_TIME};
use super::silence::late_by;
use crate::progress::engine::{Engine, PASSES_PER_FULL_POLL};
use crate::progress::sleepers::Doorbell;
use crate::sys::clock;
use crate::sys::poll::{Interest, PollSet};
use crate::sys::wake::Wake;
use crate::transport::control::ControlChannel;

/// Longest nap.
const NAP_TIME: Duration = Duration::from_millis(1);

impl Driver {
    /// Whether a thread of this rank sleeps, or is about to.
    #[cfg(test)]
    pub fn is_anybody_asleep(&self) -> bool {
        self.sleepers.is_any()
    }

    /// Sleeps for a moment, until a needed socket may be ready. `false`: a needed link has no socket.
    pub(super) fn nap(&self, engine: &mut MutexGuard<'_, Engine>, idle: &mut Idle) -> bool {
        let set = &mut idle.sockets;
        set.clear();
        for (endpoint, interest) in engine.needs() {
            if !engine.endpoints[endpoint as usize].inbox.link.watch(interest, set) {
                return false;
            }
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

    /// Sleeps until something may have happened. `for_all`: also until a rank has sent something for which no
    /// call waits. It may be for another call than the one that this rank has made. Returns by how much the
    /// thread woke up too late.
    pub(super) fn sleep(
        &self,
        engine: &mut MutexGuard<'_, Engine>,
        timeout: Option<Duration>,
        for_all: bool,
    ) -> Duration {
        let doorbell = self.fall_asleep(engine);
        // A peer that sent before it could see this rank sleep did not ring, so this looks once more
        // everywhere.
        engine.messaging.idle_passes = PASSES_PER_FULL_POLL;
        let mut late = Duration::ZERO;
        if !(self.move_on(engine) || for_all && engine.look_at_all()) {
            let mut set = self.poll_set(engine);
            if for_all {
                add_unheard(engine, &mut set);
            }
            let timeout = longest_sleep(engine).into_iter().chain(timeout).min();
            let until = add_doorbell(doorbell.as_deref(), &mut set, timeout);
            MutexGuard::unlocked(engine, || {
                // An error (out of memory) only makes this poll again.
                let _ = set.wait(until);
                late = late_by(until);
            });
        }
        self.wake_up(engine, doorbell);
        engine.messaging.idle_passes = PASSES_PER_FULL_POLL;
        engine.read_control();
        late
    }

    /// Announces that this thread is about to sleep. From now on, peers and other threads ring its doorbell.
    pub(in crate::progress) fn fall_asleep(&self, engine: &mut Engine) -> Option<Arc<Wake>> {
        engine.opening.note_change();
        let (is_first, doorbell) = self.sleepers.enter(Wake::new);
        if is_first {
            engine.set_sleeping(true);
        }
        doorbell
    }

    pub(super) fn wake_up(&self, engine: &mut Engine, doorbell: Option<Arc<Wake>>) {
        if self.sleepers.leave(doorbell) {
            engine.set_sleeping(false);
        }
    }

    pub(super) fn poll_set(&self, engine: &Engine) -> PollSet {
        let mut set = PollSet::new();
        self.add_to_poll_set(engine, &mut set);
        set
    }

    pub(super) fn add_to_poll_set(&self, engine: &Engine, set: &mut PollSet) {
        for control in engine.connected().filter_map(|endpoint| endpoint.control.as_ref()) {
            if !control.is_closed() {
                set.add(control, if control.waits_for_room() { Interest::ReadWrite } else { Interest::Read });
            }
            if let Some(process) = control.process() {
                set.add(process, Interest::Read);
            }
        }
        for (peer, interest) in engine.needs() {
            engine.endpoints[peer as usize].inbox.link.watch(interest, set);
        }
        // A link that has something to send wakes the sleeper, whatever that waits for, and moves on when it
        // is watched again. Data and room for more do not matter.
        if engine.asks_links {
            let links = engine.connected().map(|endpoint| &endpoint.inbox.link);
            links.filter(|link| link.must_be_asked()).for_each(|link| _ = link.watch(Interest::Hangup, set));
        }
    }
}

impl Engine {
    /// Announces to all peers that this rank sleeps, or does not.
    fn set_sleeping(&mut self, is_asleep: bool) {
        self.is_asleep = is_asleep;
        for at in &self.connected {
            self.endpoints[*at as usize].inbox.link.set_sleeping(is_asleep);
        }
    }
}

/// The longest time for which a sleeper may sleep, if the kernel has refused a file.
pub(super) fn longest_sleep(engine: &Engine) -> Option<Duration> {
    let mut controls = engine.connected().filter_map(|endpoint| endpoint.control.as_deref());
    controls.any(ControlChannel::is_refused).then_some(LOOK_TIME)
}

/// Adds the sockets of ranks that may send what no call waits for.
pub(super) fn add_unheard(engine: &Engine, set: &mut PollSet) {
    let links = engine.connected().map(|endpoint| &endpoint.inbox.link);
    for link in links.filter(|link| link.awaits_header()) {
        link.watch_for_header(set);
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

/// Adds the doorbell of a sleeper to its poll set. Returns the time until which it may sleep. A sleeper
/// without a doorbell only naps.
pub(super) fn add_doorbell(
    doorbell: Option<&Wake>,
    set: &mut PollSet,
    timeout: Option<Duration>,
) -> Option<Instant> {
    let timeout = match doorbell {
        Some(doorbell) => {
            set.add(doorbell, Interest::Read);
            timeout
        }
        None => Some(timeout.map_or(NAP_TIME, |time| time.min(NAP_TIME))),
    };
    timeout.map(|time| clock::now() + time)
}

//! Waits in which no call of the program is under way: at the start for the files of others, at the end for
//! their goodbyes, and until what was sent has come to their hosts.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::MutexGuard;

use super::driver::Driver;
use super::idle::LOOK_TIME;
use crate::base::Result;
use crate::endpoint::Endpoint;
use crate::memory::{ArenaPeers, add_peers};
use crate::progress::context::CommId;
use crate::progress::engine::Engine;
use crate::sys::clock;

impl Driver {
    /// Waits until the memory of all pairs has come from lower ranks and was passed to higher ones, until the
    /// communicator fails, or until the deadline. A link whose file comes later opens later. A user may have
    /// only so many files on their way, so no such file is on its way to a rank that goes and computes.
    pub fn wait_for_files(&self, deadline: Instant) -> Result<()> {
        let mut engine = self.lock();
        // Also after the deadline, because files on their way count for all processes of the user.
        engine.read_control();
        while engine.awaits_files() && clock::now() < deadline {
            self.look_later(&mut engine, Some(deadline));
            engine.read_control();
        }
        engine.end_wait_for_files();
        engine.report_failure(CommId::FIRST).map_or(Ok(()), Err)
    }

    /// Sleeps until a peer may have said something, or until `end`, but only for a moment: another thread may
    /// have read it.
    pub(in crate::progress) fn look_later(&self, engine: &mut MutexGuard<'_, Engine>, end: Option<Instant>) {
        let mut set = self.poll_set(engine);
        let soon = clock::now() + LOOK_TIME;
        MutexGuard::unlocked(engine, || {
            // An error (out of memory) only makes this poll again.
            let _ = set.wait(end.map(|end| end.min(soon)).or(Some(soon)));
        });
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
            self.look_later(&mut engine, Some(end));
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

impl Driver {
    /// Makes handles of memory known to the peers of this engine, and theirs here.
    pub fn share_handles(self: &Arc<Driver>) {
        add_peers(self);
    }

    /// Takes the arenas of peers that have come. Returns whether that of some peer has not.
    pub fn take_arenas(&self) -> bool {
        let mut engine = self.lock();
        engine.read_control();
        engine.connect_local_ranks() | engine.endpoints.iter().any(Endpoint::awaits_arena)
    }
}

impl ArenaPeers for Driver {
    fn pass_arena(&self) {
        let mut engine = self.lock();
        engine.take_arrivals();
        engine.endpoints.iter_mut().for_each(Endpoint::pass_arena);
        let mut controls = engine.endpoints.iter().filter_map(|endpoint| endpoint.control.as_ref());
        if controls.any(|control| control.waits_for_room() || control.is_refused()) {
            // A sleeper does not know yet that a file is to be passed.
            self.sleepers.ring_all();
        }
    }

    fn take_arenas(&self) -> bool {
        Driver::take_arenas(self)
    }
}

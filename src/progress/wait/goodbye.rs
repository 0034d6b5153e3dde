//! Waiting at the end: for the goodbyes of others, and until what was sent has come to their hosts.

use std::time::Duration;

use parking_lot::MutexGuard;

use super::driver::Driver;
use super::idle::LOOK_TIME;
use crate::sys::clock;

impl Driver {
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

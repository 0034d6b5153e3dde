//! Connections on demand: a thread that connects with other ranks when this one needs them, and admits those
//! that need this one.
//!
//! The thread makes handshakes only, so a rank that computes can be connected with. It ends with
//! [`OnDemand`]. The listeners are open until then, and the gate closes all strangers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use super::connections::{ConnectionEvent, Connections, Unconnected};
use super::outgoing::share_memory;
use super::peer::Peer;
use crate::base::{Error, Rank, Result};
use crate::log_line;
use crate::sys::clock;
use crate::sys::poll::{Interest, PollSet};
use crate::sys::thread::spawn_quiet;
use crate::sys::wake::Wake;

/// Pause after a wait that the kernel has refused.
const PAUSE: Duration = Duration::from_millis(10);

/// What the thread and its owner share.
struct Shared {
    /// Ranks with which to connect.
    wanted: Mutex<Vec<Rank>>,
    has_ended: AtomicBool,
    wake: Wake,
}

/// A thread that connects with ranks; see the module head.
pub struct OnDemand(Arc<Shared>);

impl Unconnected {
    /// Whether this rank and another one may share memory.
    pub fn shares_memory(&self, peer: Rank) -> Result<bool> {
        share_memory(&self.records[self.rank as usize], &self.records[peer as usize])
    }

    /// Starts to admit connections. `deliver` gets each new one, and why one that was wanted cannot be made.
    pub fn start(self, deliver: impl FnMut(Rank, Result<Peer>) + Send + 'static) -> Result<OnDemand> {
        let wake = Wake::new().map_err(|e| Error::system("cannot make an eventfd", e))?;
        let (wanted, has_ended) = (Mutex::default(), AtomicBool::new(false));
        let shared = Arc::new(Shared { wanted, has_ended, wake });
        let (connections, of_thread) = (Connections::new(self, false), Arc::clone(&shared));
        spawn_quiet("anyccl-connect", move || run(connections, &of_thread, deliver))
            .map_err(|e| Error::system("cannot start the thread that connects ranks", e))?;
        Ok(OnDemand(shared))
    }
}

impl OnDemand {
    /// Connects with a rank, unless that has been done or is under way. Does not wait.
    pub fn connect(&self, rank: Rank) {
        self.0.wanted.lock().push(rank);
        self.0.wake.ring();
    }
}

impl Drop for OnDemand {
    fn drop(&mut self) {
        // Nobody waits for the thread: it does not exist in a child of a fork.
        self.0.has_ended.store(true, Ordering::Release);
        self.0.wake.ring();
    }
}

fn run(mut connections: Connections, shared: &Shared, mut deliver: impl FnMut(Rank, Result<Peer>)) {
    let (mut set, mut is_short) = (PollSet::new(), false);
    while !shared.has_ended.load(Ordering::Acquire) {
        let rank = connections.rank();
        let wanted = std::mem::take(&mut *shared.wanted.lock());
        for peer in wanted {
            connections.connect(peer).unwrap_or_else(|error| deliver(peer, Err(error)));
        }
        for event in connections.advance(&set) {
            match event {
                ConnectionEvent::Connected(peer, sockets) => deliver(peer, Ok(sockets)),
                ConnectionEvent::Failed(peer, error) => deliver(peer, Err(error)),
                ConnectionEvent::Disagreement(text) => {
                    log_line!(Warn, "rank {rank}: closed a connection: {text}");
                }
            }
        }
        if let Some(shortage) = connections.take_shortage()
            && !std::mem::replace(&mut is_short, true)
        {
            log_line!(Warn, "rank {rank}: cannot accept the connection of a rank now: {shortage}");
        }
        set.clear();
        connections.register(&mut set);
        set.add(&shared.wake, Interest::Read);
        if set.wait(connections.next_deadline()).is_err() {
            clock::sleep(PAUSE);
        }
        shared.wake.clear();
    }
}

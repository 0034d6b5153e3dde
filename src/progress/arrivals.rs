//! Where connections are left for an engine, and what waits there for new peers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::time::Instant;

use parking_lot::Mutex;

use super::kept_messages::KeptMessages;
use super::sleepers::Sleepers;
use crate::base::{Error, Rank, Result};
use crate::sys::wake::Wake;
use crate::transport::AnyLink;
use crate::transport::control::{ControlChannel, ControlMessage};

/// A new connection with a rank.
pub struct Connected {
    /// The control channel.
    pub control: ControlChannel,
    /// The link.
    pub link: AnyLink,
    /// Whether the rank was passed the arena of this process.
    pub has_passed_arena: bool,
}

/// Where connections are left for the engine.
pub struct Arrivals {
    /// Whether there are any, for those who ask without the lock.
    has_some: AtomicBool,
    waiting: Mutex<Waiting>,
    sleepers: Arc<Sleepers<Wake>>,
}

/// What waits for the engine, and for new peers.
#[derive(Default)]
struct Waiting {
    connections: Vec<(Rank, Result<Connected>)>,
    kept: KeptMessages,
}

impl Arrivals {
    pub(super) fn new(sleepers: Arc<Sleepers<Wake>>) -> Arrivals {
        Arrivals { has_some: AtomicBool::new(false), waiting: Mutex::default(), sleepers }
    }

    /// Leaves a connection with a rank, or the reason why there is none. Any thread may call it.
    pub fn add(&self, rank: Rank, mut connected: Result<Connected>) {
        let mut waiting = self.waiting.lock();
        if let Ok(connected) = &mut connected {
            let messages = waiting.kept.take_for(rank);
            messages.iter().for_each(|message| connected.control.send(message));
        }
        waiting.connections.push((rank, connected));
        // With the lock, so that who has found connections there takes them.
        self.has_some.store(true, Ordering::Release);
        drop(waiting);
        // A thread that falls asleep is seen here, or sees the connection: of two fences, one comes first.
        fence(Ordering::SeqCst);
        self.sleepers.ring_all();
    }

    /// Takes what has come.
    pub(super) fn take(&self) -> Vec<(Rank, Result<Connected>)> {
        // See `Arrivals::add`.
        fence(Ordering::SeqCst);
        if !self.has_some.swap(false, Ordering::Acquire) {
            return Vec::new();
        }
        std::mem::take(&mut self.waiting.lock().connections)
    }

    /// Keeps a message for ranks that are not connected. `false`: connections have come meanwhile, perhaps
    /// with one of them, and nothing is kept.
    pub(super) fn keep(&self, message: &ControlMessage, to: &[u32]) -> bool {
        let mut waiting = self.waiting.lock();
        let may_keep = waiting.connections.is_empty();
        if may_keep {
            waiting.kept.add(message.clone(), to.to_vec());
        }
        may_keep
    }

    /// Drops what is kept for a rank with which this one never connects.
    pub(super) fn forget(&self, at: u32) {
        self.waiting.lock().kept.forget(at);
    }
}

/// How a rank gets its connections.
pub(super) struct OnDemand {
    /// Begins to connect with a rank.
    pub connect: Box<dyn Fn(Rank) + Send>,
    pub arrivals: Arc<Arrivals>,
    /// Ranks with which this one has begun to connect, or is connected.
    pub asked: Vec<bool>,
    /// Ranks with which this one could not connect, why, and when that was.
    pub failures: BTreeMap<u32, (Error, Instant)>,
    /// Ranks that a call needs, and with which this one has begun to connect for that.
    pub needed: BTreeSet<u32>,
}

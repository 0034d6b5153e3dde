//! The engines of this process, which pass its memory to its peers and take theirs.
//!
//! An engine passes the arena to a peer when it first talks to it. A handle ([`super::export`]) may go to any
//! peer, so the arena goes to all of them when the first handle is written, and to peers of later engines at
//! once. It is on its way before the handle is, so [`super::import`] finds it.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::sys::per_process::PerProcess;

/// An engine with peers on this host.
pub trait ArenaPeers: Send + Sync {
    /// Passes the arena of this process to each peer that has not got it. Does not wait.
    fn pass_arena(&self);
    /// Takes the arenas that have come. Returns whether that of some peer has not.
    fn take_arenas(&self) -> bool;
}

#[derive(Default)]
struct AllPeers {
    engines: Vec<Weak<dyn ArenaPeers>>,
    /// Whether this process has written a handle.
    has_exported: bool,
}

impl AllPeers {
    fn living(&self) -> Vec<Arc<dyn ArenaPeers>> {
        self.engines.iter().filter_map(Weak::upgrade).collect()
    }
}

static PEERS: PerProcess<Mutex<AllPeers>> = PerProcess::new();

fn peers() -> &'static Mutex<AllPeers> {
    &PEERS.get_or(Mutex::default).value
}

/// Adds an engine.
pub fn add_peers(engine: &Arc<impl ArenaPeers + 'static>) {
    let weak = Arc::downgrade(engine);
    let has_exported = {
        let mut all = peers().lock();
        all.engines.retain(|engine| engine.strong_count() > 0);
        all.engines.push(weak);
        all.has_exported
    };
    if has_exported {
        engine.pass_arena();
    }
}

/// Whether a handle of this process may have come to a peer.
pub fn has_exported() -> bool {
    peers().lock().has_exported
}

/// Passes the arena to all peers, now and later.
pub(super) fn pass_to_all() {
    let engines = {
        let mut all = peers().lock();
        all.has_exported = true;
        all.living()
    };
    engines.iter().for_each(|engine| engine.pass_arena());
}

/// Takes the arenas of peers that have come. Returns whether that of some peer has not.
pub(super) fn take_from_all() -> bool {
    let engines = peers().lock().living();
    // All of them are asked.
    engines.iter().filter(|engine| engine.take_arenas()).count() > 0
}

/// Holds the lock of the engines.
#[cfg(test)]
pub(crate) fn hold() -> impl Drop {
    peers().lock()
}

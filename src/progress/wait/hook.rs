//! The progress hook: work of the layer above that goes on in stages while a thread waits in the engine.
//!
//! What a rank has started there (pack, send, unpack; a collective out of several) may be what another rank
//! waits for, so each wait gives it a turn: when something has moved, because its next stage may be due, and
//! before the thread rests. Threads that start and test have no wait, and the layer above looks itself.
//!
//! Cost: without a hook a wait pays one load per look, with one and nothing to do a call.

use std::sync::Arc;

use parking_lot::MutexGuard;

use super::Driver;
use crate::progress::engine::Engine;

/// Work of the layer above, as a wait sees it. Called without any lock of the engine, by any thread that
/// waits, and by several at a time. The engine keeps it to its end, so it keeps no communicator alive.
pub trait ProgressHook: Send + Sync {
    /// Whether there is any work. Called often: it reads an atomic.
    fn has_work(&self) -> bool;

    /// Begins the stages that are due, and waits for nothing: neither for the engine, nor for a lock that a
    /// thread holds which waits in the engine. Tells whether it did anything: then the thread looks again
    /// before it rests.
    fn progress(&self) -> bool;
}

impl Driver {
    /// Sets the hook. The first one that is set stays.
    pub fn set_progress_hook(&self, hook: Arc<dyn ProgressHook>) {
        self.hook.get_or_init(|| hook);
    }

    /// The hook, if it has work.
    #[inline]
    fn hook_with_work(&self) -> Option<&dyn ProgressHook> {
        self.hook.get().map(|hook| &**hook).filter(|hook| hook.has_work())
    }

    /// Lets staged work go on; tells whether it did anything. The engine is unlocked meanwhile.
    #[inline]
    pub(super) fn run_hook(&self, engine: &mut MutexGuard<'_, Engine>) -> bool {
        self.hook_with_work().is_some_and(|hook| MutexGuard::unlocked(engine, || hook.progress()))
    }

    /// Like [`Driver::run_hook`], for a thread that has not locked the engine.
    pub(super) fn run_hook_unlocked(&self) -> bool {
        self.hook_with_work().is_some_and(ProgressHook::progress)
    }
}

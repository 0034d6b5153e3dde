//! The progress hook: staged work of the layer above that makes progress while a thread waits in the engine.
//!
//! Such work (pack, send, unpack; a collective made of several) may be what another rank waits for. So each
//! wait gives it a turn when something has moved, because its next stage may be due, and before the thread
//! rests. A thread that starts and tests operations does not wait; there the layer above runs its work
//! itself.
//!
//! Cost: without a hook, a wait pays one load per look. With a hook that has no work, it pays one call.

use std::sync::Arc;

use parking_lot::MutexGuard;

use super::Driver;
use crate::progress::engine::Engine;

/// Work of the layer above, as a wait sees it. It is called without any lock of the engine, by any waiting
/// thread, and by several at a time. The engine keeps the hook until its own end, so the hook must not keep a
/// communicator alive.
pub trait ProgressHook: Send + Sync {
    /// Whether there is any work. It is called often, so it only reads an atomic.
    fn has_work(&self) -> bool;

    /// Begins the stages that are due. It must not wait, neither for the engine nor for a lock that a thread
    /// holds while it waits in the engine. Returns whether it did anything; if so, the thread looks again
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

    /// Runs staged work. Returns whether it did anything. The engine is unlocked meanwhile.
    #[inline]
    pub(super) fn run_hook(&self, engine: &mut MutexGuard<'_, Engine>) -> bool {
        self.hook_with_work().is_some_and(|hook| MutexGuard::unlocked(engine, || hook.progress()))
    }

    /// Like [`Driver::run_hook`], for a thread that has not locked the engine.
    pub(super) fn run_hook_unlocked(&self) -> bool {
        self.hook_with_work().is_some_and(ProgressHook::progress)
    }
}

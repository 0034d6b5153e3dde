//! Co-progress: another engine that works for the same ranks makes progress while a thread waits in this one.
//!
//! An operation that a rank has begun in the other engine may be what another rank waits for. Without another
//! engine, this costs nothing.

use super::Driver;

/// The other engine, as a wait sees it.
pub trait CoProgress: Send + Sync {
    /// Notes whether anything is under way over the links. Called after each look at them.
    fn note(&self, is_busy: bool);

    /// Makes progress on what the other engine has under way. Returns whether there is anything. Called with
    /// the engine of the links locked.
    fn move_on(&self) -> bool;
}

impl Driver {
    /// Sets the other engine, which from now on makes progress while a thread waits. The first one that is
    /// set stays.
    pub fn set_co_progress(&self, co_progress: impl FnOnce() -> Box<dyn CoProgress>) {
        self.co_progress.get_or_init(co_progress);
    }

    /// Makes progress in the other engine. Returns whether it has something under way. It wakes no sleeper,
    /// so the caller must look again soon.
    pub(super) fn move_other_engine(&self) -> bool {
        self.co_progress.get().is_some_and(|co_progress| co_progress.move_on())
    }

    /// Makes progress on calls for a thread that waits for something else, unless another thread does so
    /// already.
    pub fn try_move_on(&self) {
        let Some(mut engine) = self.engine.try_lock() else { return };
        if !self.move_on(&mut engine) {
            self.check_peers(&mut engine);
        }
    }
}

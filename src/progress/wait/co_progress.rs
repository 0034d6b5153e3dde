//! Another engine that works for the same ranks.
//!
//! A rank that waits in one engine must move the other on, too: what it has begun there may be what another rank waits for. Nothing
//! of this costs anything where there is no other engine.

use super::Driver;

/// The other engine, as a wait sees it.
pub trait CoProgress: Send + Sync {
    /// Told after each look at the links: whether anything is under way over them.
    fn note(&self, is_busy: bool);

    /// Moves on what the other engine has under way; whether there is anything. Called with the engine of the links locked.
    fn move_on(&self) -> bool;
}

impl Driver {
    /// From now on both move while a thread waits for one. The first that is set stays.
    pub fn set_co_progress(&self, co_progress: impl FnOnce() -> Box<dyn CoProgress>) {
        self.co_progress.get_or_init(co_progress);
    }

    /// Whether another engine has something under way; it has been moved on then. It wakes no sleeper: look again soon.
    pub(super) fn move_other_engine(&self) -> bool {
        self.co_progress.get().is_some_and(|co_progress| co_progress.move_on())
    }

    /// Moves things on for a thread that waits for something else. If another thread is at it, that is enough.
    pub fn try_move_on(&self) {
        let Some(mut engine) = self.engine.try_lock() else { return };
        if !self.move_on(&mut engine) {
            self.check_peers(&mut engine);
        }
    }
}

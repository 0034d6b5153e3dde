//! Co-progress: another engine that works for the same ranks makes progress while a thread waits in this one.
//!
//! An operation that a rank has begun in the other engine may be what another rank waits for. Without another
//! engine, this costs nothing.

/// The other engine, as a wait sees it.
pub trait CoProgress: Send + Sync {
    /// Notes whether anything is under way over the links. Called after each look at them.
    fn note(&self, is_busy: bool);

    /// Makes progress on what the other engine has under way. Returns whether there is anything. Called with
    /// the engine of the links locked.
    fn move_on(&self) -> bool;
}

//! The progress hook: staged work of the layer above that makes progress while a thread waits in the engine.
//!
//! Such work (pack, send, unpack; a collective made of several) may be what another rank waits for. So each
//! wait gives it a turn when something has moved, because its next stage may be due, and before the thread
//! rests. A thread that starts and tests operations does not wait; there the layer above runs its work
//! itself.
//!
//! Cost: without a hook, a wait pays one load per look. With a hook that has no work, it pays one call.

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

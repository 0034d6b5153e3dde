//! The receiver of log lines, which any thread may replace while others log.
//!
//! A thread that logs holds the gate for reading while the receiver runs. A thread that replaces the receiver
//! holds it for writing, so afterwards the old receiver neither runs nor is called again.
//!
//! In a child of fork, a thread that does not exist there may hold the gate for ever. So the child has a gate
//! of its own. The receiver stays: its pointer is one atomic word. The parent exchanges it before it frees
//! the old receiver, so the child finds a whole one at whatever moment it was forked. A model checks both
//! (crate `anyccl-models`).

use std::ptr;

use crate::sys::per_process::PerProcess;
use crate::sys::sync::{AtomicPtr, Ordering, RwLock};

/// See the module head.
pub(crate) struct SinkCell<S> {
    current: AtomicPtr<S>,
    gate: PerProcess<RwLock<()>>,
}

impl<S: Send + Sync> SinkCell<S> {
    /// No receiver.
    #[cfg(not(loom))]
    pub const fn new() -> SinkCell<S> {
        SinkCell { current: AtomicPtr::new(ptr::null_mut()), gate: PerProcess::new() }
    }

    /// No receiver.
    #[cfg(loom)]
    pub fn new() -> SinkCell<S> {
        SinkCell { current: AtomicPtr::new(ptr::null_mut()), gate: PerProcess::new() }
    }

    /// Replaces the receiver. Returns when the old one is not running any more.
    pub fn set(&self, sink: Option<S>) {
        let fresh = sink.map_or(ptr::null_mut(), |sink| Box::into_raw(Box::new(sink)));
        let before = {
            let _gate = self.gate().write();
            self.current.swap(fresh, Ordering::AcqRel)
        };
        if !before.is_null() {
            // SAFETY: it came from `Box::into_raw` above, and only the thread that exchanges it frees it.
            // Whoever used it held the gate and has let it go; whoever comes later finds the new one.
            drop(unsafe { Box::from_raw(before) });
        }
    }

    /// Calls `body` with the receiver, which stays until `body` returns.
    pub fn with<R>(&self, body: impl FnOnce(Option<&S>) -> R) -> R {
        let _gate = self.gate().read();
        // SAFETY: NULL is answered; else it is a whole receiver, which is freed by a thread that has held the
        // gate for writing after it was exchanged. In a child of fork, only threads of the child free
        // anything.
        body(unsafe { self.current.load(Ordering::Acquire).as_ref() })
    }

    fn gate(&self) -> &RwLock<()> {
        &self.gate.get_or(RwLock::default).value
    }

    /// Holds the gate as a thread does that replaces the receiver.
    #[cfg(test)]
    pub fn hold(&self) -> impl Drop {
        self.gate().write()
    }
}

// The module is named by path because another crate also compiles this file, from elsewhere.
#[cfg(all(test, loom))]
#[path = "sink/model.rs"]
mod model;

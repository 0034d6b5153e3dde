//! The launches of a communicator's captured calls, until the thread that runs them takes them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::order::CaptureOrder;
use crate::base::{Error, Result};
use crate::comm::device::call_queue::CallQueue;

/// Launches of calls of type `C`.
pub struct Launches<C> {
    /// Nobody calls the driver under its lock.
    pub(super) queue: CallQueue<Arc<C>>,
    /// Whether the communicator has ended. It is locked only for moments.
    is_closed: Mutex<bool>,
    /// The order of collectives in one graph.
    pub(super) order: CaptureOrder,
    /// Whether a call was captured.
    has_calls: AtomicBool,
}

impl<C> Default for Launches<C> {
    fn default() -> Launches<C> {
        Launches {
            queue: CallQueue::default(),
            is_closed: Mutex::default(),
            order: CaptureOrder::default(),
            has_calls: AtomicBool::new(false),
        }
    }
}

impl<C> Launches<C> {
    /// Adds a launch. Waits for nothing. Before the first one, `start_thread` starts the thread.
    pub fn add(&self, call: Arc<C>, start_thread: impl FnOnce() -> Result<()>) -> Result<()> {
        let is_closed = self.is_closed.lock();
        if *is_closed {
            return Err(Error::InvalidUsage("its communicator has ended".into()));
        }
        self.queue.enqueue(start_thread, || (call, ()))
    }

    /// Notes that a call is captured.
    pub(super) fn note_call(&self) {
        self.has_calls.store(true, Ordering::Relaxed);
    }

    /// Whether a call was captured, so that launches may stand before other calls in a stream.
    pub fn has_calls(&self) -> bool {
        self.has_calls.load(Ordering::Relaxed)
    }

    /// Waits until every launch has ended.
    pub fn drain(&self) {
        self.queue.drain();
    }

    /// Refuses all later launches.
    pub fn close(&self) {
        *self.is_closed.lock() = true;
        self.queue.close();
    }
}

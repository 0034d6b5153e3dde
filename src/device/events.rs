//! Events of a context: marks in streams, which show whether a stream has passed them.
//!
//! Calls borrow their events from a pool, and give them back without asking the driver. To destroy an event,
//! a thread of a real driver waits while another thread copies to pageable memory. That copy may be behind a
//! call in its stream, and the call would wait for the first thread.

use std::sync::Arc;

use parking_lot::Mutex;

use super::context_key::ContextKey;
use super::driver::CudaDriver;
use super::handles::{CudaEvent, CudaStream};
use crate::base::Result;

/// Number of events that are made at a time.
const BATCH: usize = 16;

/// The events of one communicator in one context.
pub struct Events {
    driver: &'static CudaDriver,
    context: ContextKey,
    free: Mutex<Vec<CudaEvent>>,
}

impl Events {
    /// No events yet.
    pub fn new(driver: &'static CudaDriver, context: ContextKey) -> Arc<Events> {
        Arc::new(Events { driver, context, free: Mutex::default() })
    }

    /// Their context.
    pub fn context(&self) -> ContextKey {
        self.context
    }

    /// An event for one call. The context is current in this thread.
    pub fn borrow(self: &Arc<Events>) -> Result<StreamEvent> {
        let mut free = self.free.lock();
        if free.is_empty() {
            free.push(self.driver.create_event()?);
            // More of them only save time later.
            free.extend((1..BATCH).map_while(|_| self.driver.create_event().ok()));
        }
        let event = free.pop().expect("there is one");
        Ok(StreamEvent { events: Arc::clone(self), event })
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        let free = std::mem::take(self.free.get_mut());
        if free.is_empty() || self.context.has_gone() {
            return;
        }
        // This thread may have another context, or none. Without any, the driver may refuse.
        let is_pushed = self.driver.push(self.context.context()).is_ok();
        free.into_iter().for_each(|event| self.driver.destroy_event(event));
        if is_pushed {
            self.driver.pop();
        }
    }
}

/// An event that is borrowed until this value is dropped.
pub struct StreamEvent {
    events: Arc<Events>,
    event: CudaEvent,
}

impl StreamEvent {
    /// Puts it behind everything that is in a stream of its context, which is current in this thread.
    pub fn record(&self, stream: CudaStream) -> Result<()> {
        self.events.driver.record(self.event, stream)
    }

    /// Whether its context has gone.
    pub fn has_gone(&self) -> bool {
        self.events.context.has_gone()
    }

    /// Lets what is enqueued later in another stream wait for it.
    pub fn hold_up(&self, stream: CudaStream) -> Result<()> {
        self.events.driver.wait_event(stream, self.event)
    }

    /// Whether the stream has passed it. The context is current in this thread.
    pub fn has_passed(&self) -> Result<bool> {
        self.events.driver.has_passed(self.event)
    }
}

impl Drop for StreamEvent {
    fn drop(&mut self) {
        self.events.free.lock().push(self.event);
    }
}

//! The state of a request, and the count of operations that need turns.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::active::Active;
use super::prepared::Prepared;
use crate::error::Result;
use crate::status::Status;

/// Number of operations in stages under way: they need turns while a thread waits for something else.
static STAGED: AtomicUsize = AtomicUsize::new(0);

/// The operation of a persistent request.
pub type Restart = Arc<dyn Prepared>;

/// The state of a request.
pub struct Held {
    /// Communicator whose error handler is called.
    pub(super) comm: u32,
    /// Set for a persistent request.
    pub(super) restart: Option<Restart>,
    /// The operation under way. Not set for an inactive persistent request, or while a thread waits that has
    /// taken it.
    pub(super) active: Option<Active>,
    /// Whether a thread waits for it.
    pub(super) has_waiter: bool,
}

/// Notes that one more operation in stages is under way.
pub(super) fn add_staged() {
    STAGED.fetch_add(1, Ordering::Relaxed);
}

/// Notes that an operation in stages has ended.
pub(super) fn remove_staged() {
    STAGED.fetch_sub(1, Ordering::Relaxed);
}

impl Held {
    /// The operation under way.
    pub fn active(&self) -> Option<&Active> {
        self.active.as_ref()
    }
}

/// Whether operations in stages are under way.
#[inline]
pub fn has_staged() -> bool {
    STAGED.load(Ordering::Relaxed) > 0
}

impl Held {
    /// A request for an operation under way on a communicator.
    #[inline]
    pub(super) fn active_on(comm: u32, active: Active) -> Held {
        if active.is_staged() {
            add_staged();
        }
        Held { comm, restart: None, active: Some(active), has_waiter: false }
    }

    /// The outcome, if the operation has completed. Later calls return the same outcome. The engine and
    /// generalized requests keep outcomes themselves; work in stages cannot be polled beyond its end.
    pub(super) fn poll(&mut self) -> Option<Result<Status>> {
        let active = self.active.as_mut()?;
        let outcome = active.poll()?;
        if active.is_staged() {
            remove_staged();
            *active = match &outcome {
                Ok(status) => Active::Complete(*status),
                Err(error) => Active::Failed(error.clone()),
            };
        }
        Some(outcome)
    }

    /// Takes the operation out.
    pub(super) fn take(&mut self) -> Option<Active> {
        let active = self.active.take()?;
        if active.is_staged() {
            remove_staged();
        }
        Some(active)
    }

    /// Puts the operation back.
    pub(super) fn put_back(&mut self, active: Active) {
        if active.is_staged() {
            add_staged();
        }
        self.active = Some(active);
    }
}

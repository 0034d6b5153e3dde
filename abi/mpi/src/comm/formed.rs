//! The engine's communicator of an MPI communicator. A non-blocking duplicate gets it later than its handle.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use anyccl_engine::comm::Communicator;

use crate::request;

/// The engine's communicator, once it is formed.
#[derive(Default)]
pub struct Formed(OnceLock<Arc<Communicator>>);

impl Formed {
    /// Sets it. Called once.
    pub(super) fn set(&self, engine: Communicator) {
        let is_first = self.0.set(Arc::new(engine)).is_ok();
        debug_assert!(is_first);
    }

    /// Waits for the communicator. A program that gets here communicates before the request of the duplicate
    /// is complete, which MPI does not allow. It must not hang or crash, so operations under way go on until
    /// the communicator is formed.
    #[cold]
    fn wait(&self) -> &Arc<Communicator> {
        loop {
            request::progress_staged();
            if let Some(engine) = self.0.get() {
                return engine;
            }
            std::thread::yield_now();
        }
    }
}

impl From<Communicator> for Formed {
    fn from(engine: Communicator) -> Formed {
        Formed(OnceLock::from(Arc::new(engine)))
    }
}

impl Deref for Formed {
    type Target = Arc<Communicator>;

    #[inline]
    fn deref(&self) -> &Arc<Communicator> {
        match self.0.get() {
            Some(engine) => engine,
            None => self.wait(),
        }
    }
}

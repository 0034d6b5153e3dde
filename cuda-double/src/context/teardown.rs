//! The end of a context, and of all that belongs to it.

use std::sync::atomic::Ordering;

use super::{CONTEXTS, Context};
use crate::counts::{self, Kind};

impl Context {
    /// Ends all that belongs to it, for the function `call`. Queued work runs first.
    pub(super) fn destroy(&self, call: &str) {
        self.device.drain_always(call);
        self.is_destroyed.store(true, Ordering::Release);
        crate::stream::forget_streams_of(self.handle);
        crate::event::forget_events_of(self.handle);
        crate::module::forget_modules_of(self.handle);
        crate::ipc::memory::close_all_of(self.handle);
        crate::allocation::free_all_of(self.handle);
        crate::pinned::free_all_of(self.handle);
        crate::managed::free_all_of(self.handle);
        self.per_thread.lock().clear();
        self.legacy.close();
        let _ = CONTEXTS.remove(self.handle);
        counts::add(Kind::Contexts, -1);
    }
}

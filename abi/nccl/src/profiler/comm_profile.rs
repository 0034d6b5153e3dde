//! A communicator, as a plugin sees it.

use std::ffi::{CString, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use anyccl_engine::base::Collective;
use anyccl_engine::comm::Communicator;

use super::abi::{self, Body};
use super::plugin::{About, Plugin, asked_for, plugin};

/// A communicator whose calls a plugin sees.
pub struct CommProfile {
    plugin: &'static Plugin,
    /// The plugin's name of the communicator.
    context: *mut c_void,
    /// Plugins keep its address.
    _name: CString,
    rank: c_int,
    /// Number of calls of each collective.
    made: [AtomicU64; Collective::ALL.len()],
}

// SAFETY: the plugin's pointer is only passed back to it, and plugins expect calls from any thread.
unsafe impl Send for CommProfile {}
// SAFETY: as above.
unsafe impl Sync for CommProfile {}

impl CommProfile {
    /// Introduces a communicator to the plugin. `None`: there is none, or it refuses.
    pub fn begin(engine: &Communicator) -> Option<CommProfile> {
        let plugin = plugin()?;
        let name = CString::new(engine.name()).unwrap_or_default();
        let (hosts, size, rank) = (engine.hosts(), engine.size(), engine.rank());
        let context = plugin.begin(&About { number: engine.number(), name: &name, hosts, size, rank })?;
        let made = [const { AtomicU64::new(0) }; Collective::ALL.len()];
        Some(CommProfile { plugin, context, _name: name, rank: rank as c_int, made })
    }

    /// Begins an event, if the plugin wants it or `within`, events that lie within such ones.
    pub fn start(&self, kind: u64, within: u64, parent: *mut c_void, body: Body) -> *mut c_void {
        if asked_for() & (kind | within | abi::WITHIN_OPERATIONS) == 0 {
            return ptr::null_mut();
        }
        self.plugin.start(self.context, kind, parent, self.rank, body)
    }

    /// Ends an event.
    pub fn stop(&self, event: *mut c_void) {
        self.plugin.stop(event);
    }

    /// Whether calls of functions have events of their own.
    pub fn has_function_events(&self) -> bool {
        self.plugin.has_function_events()
    }

    /// Number of the next call of a collective, among those of its kind.
    pub fn next_number(&self, collective: Collective) -> u64 {
        self.made[collective as usize].fetch_add(1, Ordering::Relaxed)
    }
}

impl Drop for CommProfile {
    fn drop(&mut self) {
        self.plugin.finish(self.context);
    }
}

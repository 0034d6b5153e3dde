//! The registry of foreign engines. Each is opened once per process, and the result is kept, success or
//! failure.

use std::sync::{Arc, OnceLock};

use super::engine::ForeignEngine;
use super::{mpi, nccl, oneccl};
use crate::base::Result;
use crate::config::BackendName;

/// A foreign engine that may be installed.
pub struct Entry {
    /// Name of the engine.
    pub name: BackendName,
    /// Looks for the engine's library and opens it. An error says which places were tried, and what was
    /// missing there.
    open: fn() -> Result<Arc<dyn ForeignEngine>>,
    opened: OnceLock<Result<Arc<dyn ForeignEngine>>>,
}

impl Entry {
    const fn new(name: BackendName, open: fn() -> Result<Arc<dyn ForeignEngine>>) -> Entry {
        Entry { name, open, opened: OnceLock::new() }
    }

    /// The opened engine. The first communicator starts it.
    pub fn open(&self) -> Result<Arc<dyn ForeignEngine>> {
        self.opened.get_or_init(self.open).clone()
    }
}

/// All foreign engines, in the order in which `anyccl info` lists them.
pub static ENGINES: [Entry; 3] = [
    Entry::new(BackendName::Nccl, nccl::open),
    Entry::new(BackendName::Mpi, mpi::open),
    Entry::new(BackendName::Oneccl, oneccl::open),
];

/// The entry of an engine; `None` for the builtin one.
pub fn entry(name: BackendName) -> Option<&'static Entry> {
    ENGINES.iter().find(|entry| entry.name == name)
}

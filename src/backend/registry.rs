//! The registry of engines: how each is opened. Once per process: what was found, or why not, is kept.

use std::sync::{Arc, OnceLock};

use super::engine::ForeignEngine;
use super::{mpi, nccl, oneccl};
use crate::base::Result;
use crate::config::BackendName;

/// An engine that may be there.
pub struct Entry {
    /// Its name.
    pub name: BackendName,
    /// Looks for its library and opens it. An error says which places were tried, and what was missing there.
    open: fn() -> Result<Arc<dyn ForeignEngine>>,
    opened: OnceLock<Result<Arc<dyn ForeignEngine>>>,
}

impl Entry {
    const fn new(name: BackendName, open: fn() -> Result<Arc<dyn ForeignEngine>>) -> Entry {
        Entry { name, open, opened: OnceLock::new() }
    }

    /// The engine. Nothing of it has been started yet: that is left to the first communicator.
    pub fn open(&self) -> Result<Arc<dyn ForeignEngine>> {
        self.opened.get_or_init(self.open).clone()
    }
}

/// Every engine of others, in the order in which `anyccl info` lists them.
pub static ENGINES: [Entry; 3] = [
    Entry::new(BackendName::Nccl, nccl::open),
    Entry::new(BackendName::Mpi, mpi::open),
    Entry::new(BackendName::Oneccl, oneccl::open),
];

/// The entry of an engine; none for the builtin one.
pub fn entry(name: BackendName) -> Option<&'static Entry> {
    ENGINES.iter().find(|entry| entry.name == name)
}

//! A store for ranks that are threads of one process.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::{Condvar, Mutex};

use super::key_value::Store;
use crate::base::{Error, Result};
use crate::sys::clock;

/// Keys and values shared by the threads that hold a clone.
#[derive(Clone, Default)]
pub struct MemoryStore {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    values: Mutex<HashMap<String, Vec<u8>>>,
    changed: Condvar,
    failure: Mutex<Option<String>>,
}

impl Shared {
    /// An error if a rank has failed.
    fn check(&self) -> Result<()> {
        match &*self.failure.lock() {
            Some(why) => Err(Error::Bootstrap(why.clone())),
            None => Ok(()),
        }
    }
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> MemoryStore {
        MemoryStore::default()
    }
}

impl Store for MemoryStore {
    fn set(&mut self, key: &str, value: &[u8], _deadline: Instant) -> Result<()> {
        let mut values = self.shared.values.lock();
        if values.get(key).is_some_and(|old| old != value) {
            return Err(Error::Bootstrap(format!(
                "the store's key \"{key}\" was set twice, to different values"
            )));
        }
        values.insert(key.into(), value.into());
        self.shared.changed.notify_all();
        Ok(())
    }

    fn get(&mut self, key: &str, deadline: Instant) -> Result<Vec<u8>> {
        let start = clock::now();
        let mut values = self.shared.values.lock();
        loop {
            if let Some(value) = values.get(key) {
                return Ok(value.clone());
            }
            self.shared.check()?;
            if clock::wait_until(&self.shared.changed, &mut values, deadline) && !values.contains_key(key) {
                let detail = format!("nobody has set the store's key \"{key}\"");
                return Err(Error::Timeout { waited: clock::since(start), detail });
            }
        }
    }

    fn fail(&mut self, why: &str) {
        self.shared.failure.lock().get_or_insert_with(|| format!("a rank has failed: {why}"));
        // Under the lock, so that no rank is between its look and its wait.
        let _values = self.shared.values.lock();
        self.shared.changed.notify_all();
    }

    fn check(&mut self, _deadline: Instant) -> Result<()> {
        self.shared.check()
    }
}

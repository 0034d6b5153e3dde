//! A key-value store that the caller provides, such as PyTorch's.

use std::time::{Duration, Instant};

use super::beacon::BeaconChannel;
use crate::base::{Error, Result};
use crate::sys::clock;

/// The operations of the caller's store. They are called on the calling thread only, one at a time, and as
/// rarely as possible: rank 0 sets one value, and the others get it.
pub trait CallerStore {
    /// Sets a value. Replaces a value that is already there.
    fn set(&mut self, key: &str, value: &[u8]) -> Result<()>;
    /// Waits until the key is set, and gives its value. [`Error::Timeout`] when the key was not set in time.
    fn get(&mut self, key: &str, timeout: Duration) -> Result<Vec<u8>>;
}

/// The only key that is used.
const KEY: &str = "anyccl/beacon";

/// The beacon of a job in the caller's store, and the deadline of the rank that reads it.
pub(crate) struct CallerBeacon<'a> {
    pub store: &'a mut dyn CallerStore,
    pub deadline: Instant,
}

impl BeaconChannel for CallerBeacon<'_> {
    fn publish(&mut self, text: &str) -> Result<()> {
        self.store.set(KEY, text.as_bytes())
    }

    fn read(&mut self) -> Result<Vec<u8>> {
        let (start, left) = (clock::now(), clock::left(self.deadline));
        self.store.get(KEY, left).map_err(|error| match error {
            Error::Timeout { .. } => Error::Timeout {
                waited: clock::since(start),
                detail: "rank 0 has set no address in the caller's store".into(),
            },
            other => other,
        })
    }

    fn name(&self) -> String {
        "the caller's store".into()
    }
}

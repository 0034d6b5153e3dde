//! The jobs of ranks that are threads of one process.

use super::job::Job;
use crate::base::{Rank, Result};
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::store::memory::MemoryStore;

impl MemoryStore {
    /// The jobs of `size` ranks that meet in a new store.
    pub fn jobs(size: u32) -> Result<Vec<Job>> {
        let (key, store) = (JobKey::random()?, MemoryStore::new());
        let job = |rank: Rank| Job {
            rank,
            size,
            key: key.clone(),
            store: Some(Box::new(store.clone())),
            source: "threads of one process",
        };
        Ok((0..size).map(job).collect())
    }
}

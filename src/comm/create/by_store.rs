//! Communicators whose ranks find each other through a store of the caller.

use super::join::deadline;
use crate::base::{Rank, Result};
use crate::bootstrap::{CallerStore, job_from_caller};
use crate::comm::communicator::{CommConfig, Communicator};
use crate::config::Config;

impl Communicator {
    /// Joins the communicator of the ranks that share `store`. Collective over its `size` ranks; `rank` is
    /// below `size`. Blocks until all have joined. The store is used on this thread only, and not after the
    /// return.
    pub fn create_with_store(
        store: &mut dyn CallerStore,
        size: u32,
        rank: Rank,
        config: &Config,
        own: &CommConfig,
    ) -> Result<Communicator> {
        Communicator::join(job_from_caller(store, size, rank, config, deadline(config, own))?, config, own)
    }
}

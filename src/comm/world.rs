//! The communicator of the whole job, one per process.

use std::sync::Arc;

use super::{CommConfig, Communicator};
use crate::base::Result;
use crate::config::Config;

/// Joins the job that the environment describes; a second call gives the same world.
pub fn world_init(_config: &Config, _own: &CommConfig) -> Result<Arc<Communicator>> {
    todo!()
}

/// The world, if it is there. An error says: call anyccl_init first.
pub fn world() -> Result<Arc<Communicator>> {
    todo!()
}

/// Leaves the world. Collective.
pub fn world_finalize() -> Result<()> {
    todo!()
}

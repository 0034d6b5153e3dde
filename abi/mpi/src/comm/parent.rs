//! What every function shares that makes a communicator from another one.

use std::sync::Arc;

use anyccl_engine::comm::{CommConfig, Communicator};

use super::{Comm, Turn};
use crate::arguments::CommHandle;
use crate::call::check_outside_callback;
use crate::error::Result;
use crate::group::Group;
use crate::topology::Topology;

/// The communicator of a handle, for a function in which its processes communicate. On an intercommunicator,
/// all calls in stages that were made before have begun their last stages.
pub fn parent(comm: CommHandle) -> Result<Arc<Comm>> {
    check_outside_callback()?;
    // Shared, because a function that is called meanwhile may free it.
    let found = Comm::from_handle(comm)?.share();
    if found.inter().is_some() {
        drop(Turn::wait(found.id));
    }
    Ok(found)
}

/// Configuration with the name of a new engine communicator, for messages.
pub(super) fn named(parent: &Comm, how: &str) -> CommConfig {
    CommConfig { name: Some(format!("{}.{how}", parent.title())), ..CommConfig::default() }
}

/// Makes a communicator that was created from `parent` known to the program.
pub(super) fn adopt(parent: &Comm, engine: Communicator, topology: Option<Topology>) -> CommHandle {
    let group = Group::new(engine.world_ranks().to_vec()).of_session(parent.group().session());
    let group = Arc::new(group);
    let topology = topology.map(Arc::new);
    Comm::publish(|id| Comm::intra(id, engine, group, parent.handler()).with_topology(topology))
}

//! Another engine, as it is attached to a communicator.

use std::sync::{Arc, OnceLock};

use super::co_progress::SharedProgress;
use super::watch::Watch;
use crate::backend::{BackendName, CapabilityTable, ForeignComm, ForeignEngine, MemoryKind, Support};
use crate::base::{Collective, Datatype, ReduceOp, Result};

/// Another engine that serves one kind of memory.
pub(in crate::comm) struct AttachedEngine {
    pub name: BackendName,
    pub engine: Arc<dyn ForeignEngine>,
    pub comm: Arc<dyn ForeignComm>,
    pub memory: MemoryKind,
    pub co_progress: Arc<SharedProgress>,
    table: CapabilityTable,
    /// Calls on memory of devices that have not ended.
    pub watch: Watch,
}

impl AttachedEngine {
    pub fn new(
        name: BackendName,
        engine: Arc<dyn ForeignEngine>,
        comm: Arc<dyn ForeignComm>,
        memory: MemoryKind,
        co_progress: Arc<SharedProgress>,
    ) -> AttachedEngine {
        let table = CapabilityTable::new(&*engine, memory);
        AttachedEngine { name, engine, comm, memory, co_progress, table, watch: Watch::default() }
    }

    /// How the engine serves a call. Operators of the program are left to the builtin engine.
    #[inline]
    pub fn support(&self, collective: Collective, datatype: Datatype, op: Option<ReduceOp>) -> Support {
        if op.is_some_and(|op| op as usize >= ReduceOp::ALL.len()) {
            return Support::Builtin;
        }
        self.table.of(collective, datatype, op)
    }

    /// Whether calls are under way that nobody waits for.
    pub fn is_at_work(&self) -> bool {
        self.watch.has_enqueued() || !self.comm.is_idle()
    }

    /// Ends the engine's calls and lets it begin no more: the communicator has failed, or is being aborted.
    pub fn stop(&self) {
        self.comm.abort();
    }

    /// Closes the engine's communicator, with nothing under way.
    pub fn close(&self) {
        self.watch.end();
        self.comm.close();
    }
}

/// The engine that serves memory of devices, or the reason why there is none. Unset until an engine is named
/// or a call needs one.
pub(in crate::comm) type DeviceEngine = OnceLock<Result<Box<AttachedEngine>>>;

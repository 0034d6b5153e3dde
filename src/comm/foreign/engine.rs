//! Another engine, as it is attached to a communicator.

use std::sync::atomic::{AtomicBool, Ordering};
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
    pub has_failed: AtomicBool,
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
        let has_failed = AtomicBool::new(false);
        AttachedEngine { name, engine, comm, memory, co_progress, table, has_failed, watch: Watch::default() }
    }

    /// How the engine serves a call. Operators of the program are left to the builtin engine.
    #[inline]
    pub fn support(&self, collective: Collective, datatype: Datatype, op: Option<ReduceOp>) -> Support {
        if op.is_some_and(|op| op as usize >= ReduceOp::ALL.len()) {
            return Support::Builtin;
        }
        self.table.of(collective, datatype, op)
    }

    /// Stops the engine from beginning further calls: the communicator has failed, or is being aborted.
    pub fn stop(&self) {
        self.has_failed.store(true, Ordering::Release);
        self.comm.abort();
    }

    /// Closes the engine's communicator, unless it has failed.
    pub fn close(&self) {
        if !self.has_failed.load(Ordering::Acquire) {
            self.comm.close();
        }
    }
}

/// The engine that serves memory of devices, or the reason why there is none. Unset until an engine is named
/// or a call needs one.
pub(in crate::comm) type DeviceEngine = OnceLock<Result<Box<AttachedEngine>>>;

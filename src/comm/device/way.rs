//! The way in which calls on memory of devices go.

use super::super::communicator::Communicator;
use crate::backend::{BackendChoice, BackendName, MemoryKind};
use crate::log_line;

/// The way in which the calls of a communicator on memory of devices go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceWay {
    /// There is none: the process has not loaded the CUDA driver.
    None,
    /// The builtin engine works on copies in page-locked host memory.
    Staged,
    /// One rank carries out collectives with one count for all ranks, by a kernel; the others go the staged
    /// way.
    Direct,
    /// Another engine makes the calls that it has; the others go the staged way.
    Engine(BackendName),
}

impl DeviceWay {
    /// The way of communicators with this choice of engines, as far as the choice alone decides it.
    pub fn of_choice(choice: &BackendChoice) -> DeviceWay {
        match choice.named(MemoryKind::Cuda).and_then(|mut named| named.next()) {
            None | Some(BackendName::Builtin) => DeviceWay::Staged,
            Some(engine) => DeviceWay::Engine(engine),
        }
    }

    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            DeviceWay::None => "none",
            DeviceWay::Staged => "staged",
            DeviceWay::Direct => "direct",
            DeviceWay::Engine(engine) => engine.name(),
        }
    }

    /// What it means.
    pub fn meaning(self) -> &'static str {
        match self {
            DeviceWay::None => "this process has not loaded the CUDA driver",
            DeviceWay::Staged => "builtin engine, on copies in page-locked host memory",
            DeviceWay::Direct => "builtin engine, by one kernel of rank 0 over the buffers of all ranks",
            DeviceWay::Engine(_) => "the engine's own calls; it wants a GPU for each rank",
        }
    }
}

/// The way of a communicator.
pub(super) fn way_of(comm: &Communicator) -> DeviceWay {
    if comm.engines.serve_devices() {
        return DeviceWay::Engine(BackendName::Nccl);
    }
    match &comm.devices {
        part if part.direct.is_some() => DeviceWay::Direct,
        part if part.kinds.may_differ() => DeviceWay::Staged,
        _ => DeviceWay::None,
    }
}

/// Logs the way. Where another engine serves such calls, its own line has said so.
pub(in crate::comm) fn log_way(comm: &Communicator) {
    let way = way_of(comm);
    if comm.devices.kinds.may_differ() && !matches!(way, DeviceWay::Engine(_)) {
        log_line!(
            Info,
            "rank {} of {} in \"{}\": cuda memory goes the way {}: {}",
            comm.rank,
            comm.size(),
            comm.name,
            way.name(),
            way.meaning()
        );
    }
}

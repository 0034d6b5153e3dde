//! The path of calls on device memory.

use super::super::communicator::Communicator;
use crate::backend::{BackendChoice, BackendName, MemoryKind};
use crate::log_line;

/// The path of the calls of a communicator on device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DevicePath {
    /// There is none: the process has not loaded the CUDA driver.
    None,
    /// The builtin engine works on copies in pinned host memory.
    Staged,
    /// One rank carries out collectives with one count for all ranks, by a kernel; the others are
    /// staged.
    Direct,
    /// Another engine makes the calls that it has; the others are staged.
    Engine(BackendName),
}

impl DevicePath {
    /// The path of communicators with this choice of engines, as far as the choice alone decides it.
    pub fn of_choice(choice: &BackendChoice) -> DevicePath {
        match choice.named(MemoryKind::Cuda).and_then(|mut named| named.next()) {
            None | Some(BackendName::Builtin) => DevicePath::Staged,
            Some(engine) => DevicePath::Engine(engine),
        }
    }

    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            DevicePath::None => "none",
            DevicePath::Staged => "staged",
            DevicePath::Direct => "direct",
            DevicePath::Engine(engine) => engine.name(),
        }
    }

    /// What it means.
    pub fn meaning(self) -> &'static str {
        match self {
            DevicePath::None => "this process has not loaded the CUDA driver",
            DevicePath::Staged => "builtin engine, on copies in pinned host memory",
            DevicePath::Direct => "builtin engine, by one kernel of rank 0 over the buffers of all ranks",
            DevicePath::Engine(_) => "the engine's own calls; it wants a GPU for each rank",
        }
    }
}

/// The path of a communicator.
pub(super) fn path_of(comm: &Communicator) -> DevicePath {
    if comm.engines.serve_devices() {
        return DevicePath::Engine(BackendName::Nccl);
    }
    match &comm.devices {
        part if part.direct.is_some() => DevicePath::Direct,
        part if part.kinds.may_differ() => DevicePath::Staged,
        _ => DevicePath::None,
    }
}

/// Logs the path. Where another engine serves such calls, its own line has said so.
pub(in crate::comm) fn log_path(comm: &Communicator) {
    let path = path_of(comm);
    if comm.devices.kinds.may_differ() && !matches!(path, DevicePath::Engine(_)) {
        log_line!(
            Info,
            "rank {} of {} in \"{}\": CUDA buffers use the {} path: {}",
            comm.rank,
            comm.size(),
            comm.name,
            path.name(),
            path.meaning()
        );
    }
}

//! The path of calls on device memory.

use std::fmt::Arguments;

use super::host::Host;
use super::part::DevicePart;
use crate::backend::{BackendChoice, BackendName, MemoryKind};
use crate::log_line;

/// The path of the calls of a communicator on device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DevicePath {
    /// There is none: the process has not loaded the CUDA driver.
    None,
    /// The builtin engine works on copies in pinned host memory.
    Staged,
    /// One rank carries out the collectives with builtin operators, by a kernel, and the receivers of long
    /// messages copy them; the other calls are staged.
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

    /// The path of a communicator with this device part. `is_left_to_engine`: its engines serve device
    /// memory.
    pub(in crate::comm) fn of<H: Host>(part: &DevicePart<H>, is_left_to_engine: bool) -> DevicePath {
        match part {
            _ if is_left_to_engine => DevicePath::Engine(BackendName::Nccl),
            part if part.direct.is_some() => DevicePath::Direct,
            part if part.kinds.may_differ() => DevicePath::Staged,
            _ => DevicePath::None,
        }
    }

    /// Logs the path of a communicator. Where another engine serves such calls, its own line has said so.
    /// `rank` names this rank in the log.
    pub(in crate::comm) fn log(self, rank: Arguments) {
        if matches!(self, DevicePath::Staged | DevicePath::Direct) {
            log_line!(Info, "{rank}: CUDA buffers use the {} path: {}", self.name(), self.meaning());
        }
    }
}

//! The way in which calls on memory of devices go.

use std::sync::atomic::{AtomicU64, Ordering};

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

impl Communicator {
    /// The way in which calls on memory of devices go. Local, and equal on all ranks that have the driver.
    pub fn device_way(&self) -> DeviceWay {
        if self.has_device_engine() {
            return DeviceWay::Engine(BackendName::Nccl);
        }
        if self.direct.is_some() {
            return DeviceWay::Direct;
        }
        if self.kinds.may_differ() { DeviceWay::Staged } else { DeviceWay::None }
    }

    /// Two numbers of buffers of this rank in calls of the direct way: those used where they are, and those
    /// copied to or from other memory of the device. A call in pieces counts once for each.
    pub fn direct_buffers(&self) -> (u64, u64) {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        self.direct.as_ref().map_or((0, 0), |way| (count(&way.in_place), count(&way.moved)))
    }

    /// Number of times that this rank has told the others about a direct call: once for each call, or for
    /// each piece of it.
    pub fn direct_exchanges(&self) -> u64 {
        self.direct.as_ref().map_or(0, |way| way.begun())
    }

    /// Logs how many buffers the direct way has used where they are.
    pub(in crate::comm) fn log_direct_buffers(&self) {
        let (in_place, moved) = self.direct_buffers();
        if in_place + moved > 0 {
            log_line!(
                Debug,
                "rank {} of {} in \"{}\": direct calls have used {in_place} buffers where they are, and have copied {moved}",
                self.rank,
                self.size(),
                self.name
            );
        }
    }

    /// Logs the way. Where another engine serves such calls, its own line has said so.
    pub(in crate::comm) fn log_device_way(&self) {
        let way = self.device_way();
        if self.kinds.may_differ() && !matches!(way, DeviceWay::Engine(_)) {
            log_line!(
                Info,
                "rank {} of {} in \"{}\": cuda memory goes the way {}: {}",
                self.rank,
                self.size(),
                self.name,
                way.name(),
                way.meaning()
            );
        }
    }
}

//! The engines of others that one communicator has.

use super::engine::{AttachedEngine, DeviceEngine};
use crate::backend::{BackendChoice, BackendName, MemoryKind, Support};
use crate::base::{Call, CallKind};

/// The other engines of a communicator, one for each kind of memory at most. The builtin engine serves the
/// rest.
pub(in crate::comm) struct Engines {
    /// The engines that the caller asked for.
    pub choice: BackendChoice,
    /// The one that serves host memory, if there is one.
    pub on_host: Option<Box<AttachedEngine>>,
    /// The one that serves memory of a device. Unset until a call first has such buffers.
    pub on_device: DeviceEngine,
}

impl Engines {
    /// No other engine yet.
    pub fn none(choice: BackendChoice) -> Engines {
        Engines { choice, on_host: None, on_device: DeviceEngine::default() }
    }

    /// The engines that have been made.
    pub fn made(&self) -> impl Iterator<Item = &AttachedEngine> {
        self.on_host.as_deref().into_iter().chain(self.made_on_device())
    }

    /// The engine that serves memory of devices, if it has been made.
    pub fn made_on_device(&self) -> Option<&AttachedEngine> {
        self.on_device.get().and_then(|outcome| outcome.as_deref().ok())
    }

    /// Whether there is none.
    pub fn are_none(&self) -> bool {
        self.made().next().is_none()
    }

    /// Whether memory of devices is left to another engine than the builtin one: the user has named it, and
    /// the ranks have not fallen back to the builtin one.
    pub fn serve_devices(&self) -> bool {
        let names = |engine: BackendName| {
            self.choice.named(MemoryKind::Cuda).is_some_and(|mut all| all.any(|name| name == engine))
        };
        match self.on_device.get() {
            Some(Ok(_)) => true,
            Some(Err(_)) => names(BackendName::Nccl) && !names(BackendName::Builtin),
            None => names(BackendName::Nccl),
        }
    }

    /// Whether this library itself, and not the user, has chosen the engine for memory of devices. That
    /// engine then gets the calls that it has, and the builtin engine the others.
    pub fn serve_devices_unasked(&self) -> bool {
        self.choice.named(MemoryKind::Cuda).is_none() && matches!(self.on_device.get(), Some(Ok(_)))
    }

    /// The engine that serves a collective call on host memory, and how.
    pub fn support(&self, call: &Call) -> (BackendName, Support) {
        let CallKind::Collective(collective) = call.kind else {
            return (BackendName::Builtin, Support::Native);
        };
        let served = self.on_host.as_ref().map(|f| (f.name, f.support(collective, call.datatype, call.op)));
        match served {
            None | Some((_, Support::Builtin)) => (BackendName::Builtin, Support::Native),
            Some(served) => served,
        }
    }

    /// How the engine for memory of devices serves a collective call with one count.
    pub fn device_support(&self, call: &Call) -> Support {
        let CallKind::Collective(collective) = call.kind else { return Support::Builtin };
        match self.on_device.get() {
            Some(Ok(foreign)) if !collective.has_layout() => {
                foreign.support(collective, call.datatype, call.op)
            }
            _ => Support::Builtin,
        }
    }

    /// Ends their calls, after a failure. A call that ends sees the failure.
    pub fn stop(&self) {
        self.made().for_each(AttachedEngine::stop);
    }
}

//! Settings of a communicator.

use std::time::Duration;

use anyccl_engine::base::{Error as EngineError, Result as EngineResult, WireFormat};
use anyccl_engine::comm::CommConfig;
use anyccl_engine::config::{BackendName, Config as Settings, MemoryKind};
use anyccl_engine::observe::log;

/// Settings of a communicator that is to be made.
///
/// ```
/// use std::time::Duration;
///
/// let config = anyccl::Config::new().name("world").timeout(Duration::from_secs(60));
/// let world = anyccl::Communicator::world_with(&config)?;
/// assert_eq!(world.name(), "world");
/// # Ok::<(), anyccl::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Config {
    name: Option<String>,
    timeout: Option<Duration>,
    interface: Option<String>,
    deterministic: Option<bool>,
    wire: Option<Option<WireFormat>>,
}

impl Config {
    /// The defaults: those of the environment, or of the communicator from which a new one is made.
    pub fn new() -> Config {
        Config::default()
    }

    /// Sets the name in errors and log lines.
    pub fn name(mut self, name: impl Into<String>) -> Config {
        self.name = Some(name.into());
        self
    }

    /// Sets the longest time for which a call may wait without progress. The default is `ANYCCL_TIMEOUT_MS`,
    /// or five minutes. Zero means no limit.
    pub fn timeout(mut self, limit: Duration) -> Config {
        self.timeout = Some(limit);
        self
    }

    /// Sets the network interfaces, in the syntax of `ANYCCL_SOCKET_IFNAME`. It counts where ranks join: a
    /// communicator that is made from another one uses its connections.
    pub fn interface(mut self, interface: impl Into<String>) -> Config {
        self.interface = Some(interface.into());
        self
    }

    /// Sets whether reductions have the same bits in every call with the same inputs among as many ranks. The
    /// default is that of the communicator from which a new one is made, else `ANYCCL_DETERMINISTIC`. All
    /// ranks give the same value.
    pub fn deterministic(mut self, yes: bool) -> Config {
        self.deterministic = Some(yes);
        self
    }

    /// Sets the format in which sums and averages of floats travel between hosts; `None`: as they are. The
    /// default is that of the communicator from which a new one is made, else `ANYCCL_WIRE`. All ranks give
    /// the same value.
    pub fn wire(mut self, format: Option<WireFormat>) -> Config {
        self.wire = Some(format);
        self
    }

    /// The settings of the process and of the communicator, as the engine takes them.
    pub(crate) fn read(&self) -> EngineResult<(Settings, CommConfig)> {
        let mut settings = Settings::from_environment()?;
        log::set_level(settings.log);
        check_backend(&settings)?;
        settings.interface.clone_from(&self.interface);
        Ok((settings, self.own()))
    }

    /// The settings of the communicator itself.
    pub(crate) fn own(&self) -> CommConfig {
        let Config { timeout, deterministic, wire, .. } = *self;
        CommConfig { name: self.name.clone(), timeout, for_devices: false, deterministic, wire }
    }
}

/// Refuses engines of others for memory of the processor. Only the builtin engine promises to leave the
/// memory of a call alone once the call has failed, and safe code relies on that.
fn check_backend(settings: &Settings) -> EngineResult<()> {
    let foreign = settings.backend.named(MemoryKind::Cpu).and_then(|mut engines| {
        let foreign = engines.find(|engine| *engine != BackendName::Builtin);
        foreign.map(BackendName::name)
    });
    match foreign {
        None => Ok(()),
        Some(name) => Err(EngineError::Unsupported(format!(
            "ANYCCL_BACKEND={}: the Rust crate uses the builtin engine, not {name}, because a call that fails must leave \
             its buffers alone",
            settings.backend
        ))),
    }
}

#[cfg(test)]
mod tests {
    use anyccl_engine::config::BackendChoice;

    use super::*;

    #[test]
    fn another_engine_for_memory_of_the_processor_is_refused_by_name() {
        let with = |text: &str| {
            let backend = BackendChoice::parse("ANYCCL_BACKEND", text).unwrap();
            check_backend(&Settings { backend, ..Settings::default() })
        };
        for accepted in ["auto", "builtin", "cuda:nccl", "nccl"] {
            with(accepted).unwrap();
        }
        let refused = with("mpi|builtin").unwrap_err().to_string();
        assert!(refused.contains("cpu:mpi|builtin") && refused.contains("not mpi"), "{refused}");
    }
}

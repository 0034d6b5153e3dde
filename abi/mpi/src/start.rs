//! The start of the engine, which `MPI_Init` and the first session share.

use std::sync::Arc;

use anyccl_engine::comm::{self as engine, CommConfig, Communicator};
use anyccl_engine::config::{self, BackendName, Config, MemoryKind};
use anyccl_engine::observe::log;
use parking_lot::Mutex;

use crate::abi::Abi;
use crate::ending;
use crate::error::{Class, Error, Result};
use crate::presence;
use crate::request;
use crate::state::{Stage, stage};

/// Held while the engine is started.
static STARTING: Mutex<()> = Mutex::new(());

/// The engine's communicator of all processes. The first call starts the engine, with all processes.
pub fn engine<A: Abi>() -> Result<Arc<Communicator>> {
    let _starting = STARTING.lock();
    if let Ok(world) = engine::world() {
        return Ok(world);
    }
    if stage() == Stage::Finalized {
        let text = "MPI_Finalize has ended communication in this process; it goes on for sessions only if one was \
                    made before";
        return Err(Error::new(Class::OTHER, text));
    }
    let mut config = Config::from_environment()?;
    // Any buffer of a call may be on a device or not, which only our own engine allows.
    config.backend = config.backend.or(MemoryKind::Cuda, BackendName::Builtin);
    log::set_level(config.log);
    check_engines(&config)?;
    presence::tell();
    request::use_bits(A::NUMBER_BITS);
    let world = engine::world_init_or_alone(&config, &CommConfig::default())?;
    world.lead_job();
    ending::SEAT.get_or_init(|| (world.rank(), world.size()));
    // In MPI, no time limit makes an operation fail.
    if config::raw("ANYCCL_TIMEOUT_MS").is_none() {
        world.set_timeout(None);
    }
    world.set_progress_hook(Arc::new(request::StagedWork));
    Ok(world)
}

/// Refuses engines that are an MPI or contain one: they would open this library itself.
fn check_engines(config: &Config) -> Result<()> {
    let mut named = config.backend.named(MemoryKind::Cpu).into_iter().flatten();
    match named.find(|name| matches!(name, BackendName::Mpi | BackendName::Oneccl)) {
        None => Ok(()),
        Some(name) => {
            let text = format!(
                "ANYCCL_BACKEND names {}, and the MPI of this program is anyccl itself, which cannot be its own engine: unset \
                 it, or set it to builtin",
                name.name()
            );
            Err(Error::new(Class::OTHER, text))
        }
    }
}

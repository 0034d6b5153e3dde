//! Ranks that find each other: by the environment, by an id, by a file, or through a store.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use anyccl_engine::base::{Error as EngineError, Result as EngineResult};
use anyccl_engine::bootstrap::{self, CallerStore, LONGEST_EXCHANGE};
use anyccl_engine::comm::{CommConfig, Communicator as Engine, world_init};
use anyccl_engine::config::Config as Settings;
use anyccl_engine::sys::clock;
use anyccl_engine::sys::per_process::PerProcess;
use parking_lot::Mutex;

use crate::call::without_unwinding;
use crate::communicator::{Communicator, WeakCommunicator};
use crate::config::Config;
use crate::error::{Error, Result};

/// The world, while a handle of it exists. A child of `fork` begins without one.
static WORLD: PerProcess<Mutex<WeakCommunicator>> = PerProcess::new();

/// The bytes that name a communicator to be. The id is a secret: whoever has it can join.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct UniqueId(bootstrap::UniqueId);

impl UniqueId {
    /// Number of bytes of an id.
    pub const BYTES: usize = bootstrap::UNIQUE_ID_BYTES;

    /// Makes a new id. One rank makes it, and every rank passes it to [`Communicator::from_id`]. Until all
    /// have joined, this process must live, because it answers them.
    pub fn new() -> Result<UniqueId> {
        let made = Config::new().read().and_then(|(settings, _)| bootstrap::UniqueId::create(&settings));
        made.map(UniqueId).map_err(|error| refused("UniqueId::new", &error))
    }

    /// The bytes, to be sent to the other ranks.
    pub fn to_bytes(self) -> [u8; UniqueId::BYTES] {
        self.0.0
    }

    /// An id from its bytes. A communicator is made only of bytes that a rank has got from an id.
    pub fn from_bytes(bytes: [u8; UniqueId::BYTES]) -> UniqueId {
        UniqueId(bootstrap::UniqueId(bytes))
    }
}

/// The secret is not shown.
impl fmt::Debug for UniqueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UniqueId").finish_non_exhaustive()
    }
}

/// A key-value store through which ranks can find each other. Rank 0 sets one value, and the others get it.
pub trait Store {
    /// Sets a value. Replaces a value that is already there.
    fn set(&mut self, key: &str, value: &[u8]) -> std::result::Result<(), StoreError>;

    /// Waits until the key is set, and gives its value. `None`: it was not set within `timeout`.
    fn get(&mut self, key: &str, timeout: Duration) -> std::result::Result<Option<Vec<u8>>, StoreError>;
}

/// Any error of a [`Store`].
pub type StoreError = Box<dyn std::error::Error + Send + Sync>;

impl Communicator {
    /// Joins the job that the environment describes: `anyccl run`, torchrun, an mpiexec (MPICH, Intel MPI,
    /// Open MPI) or srun has started this process, or `ANYCCL_RANK`, `ANYCCL_WORLD_SIZE` and `ANYCCL_STORE`
    /// are set. Without any of these, the world is this process alone.
    ///
    /// Collective: waits until all processes of the job have joined. As long as a handle of the world exists,
    /// every call gives another handle of it. After the last one is dropped, this process cannot join again.
    pub fn world() -> Result<Communicator> {
        Communicator::world_with(&Config::new())
    }

    /// Joins the job that the environment describes, with settings. They are ignored if the world exists.
    pub fn world_with(config: &Config) -> Result<Communicator> {
        let mut world = WORLD.get_or(|| Mutex::new(WeakCommunicator::none())).value.lock();
        if let Some(comm) = world.upgrade() {
            return Ok(comm);
        }
        let comm = enter("world", || {
            let (settings, own) = config.read()?;
            world_init(&settings, &own)
        })?;
        let comm = Communicator::of(comm, true);
        *world = comm.downgrade();
        Ok(comm)
    }

    /// Joins the communicator that an id names, as one of `size` ranks. Collective: waits until all have
    /// joined. A rank is a process or a thread.
    pub fn from_id(id: &UniqueId, size: usize, rank: usize) -> Result<Communicator> {
        Communicator::from_id_with(id, size, rank, &Config::new())
    }

    /// Joins the communicator that an id names, with settings.
    pub fn from_id_with(id: &UniqueId, size: usize, rank: usize, config: &Config) -> Result<Communicator> {
        join("from_id", size, rank, config, |size, rank, settings, own| {
            Engine::create(&id.0, size, rank, settings, own)
        })
    }

    /// Joins the communicator of the ranks that name the same file, which every rank must see. The file does
    /// not exist before and afterwards. A file that an earlier job has left does no harm.
    pub fn from_file(path: impl AsRef<Path>, size: usize, rank: usize) -> Result<Communicator> {
        Communicator::from_file_with(path, size, rank, &Config::new())
    }

    /// Joins the communicator of the ranks that name the same file, with settings.
    pub fn from_file_with(
        path: impl AsRef<Path>,
        size: usize,
        rank: usize,
        config: &Config,
    ) -> Result<Communicator> {
        join("from_file", size, rank, config, |size, rank, settings, own| {
            let limit = own.timeout.or(settings.timeout).filter(|limit| !limit.is_zero());
            let deadline = clock::now() + limit.unwrap_or(LONGEST_EXCHANGE);
            let found = bootstrap::exchange_id_by_file(path.as_ref(), Some(size), rank, settings, deadline)?;
            Engine::create(&found.id, size, rank, settings, own)
        })
    }

    /// Joins the communicator of the ranks that share a store. The store is used on this thread only, and not
    /// after the return. A store, or a prefix of it, may serve one communicator at a time.
    pub fn from_store(store: &mut dyn Store, size: usize, rank: usize) -> Result<Communicator> {
        Communicator::from_store_with(store, size, rank, &Config::new())
    }

    /// Joins the communicator of the ranks that share a store, with settings.
    pub fn from_store_with(
        store: &mut dyn Store,
        size: usize,
        rank: usize,
        config: &Config,
    ) -> Result<Communicator> {
        join("from_store", size, rank, config, |size, rank, settings, own| {
            Engine::create_with_store(&mut Adapter(store), size, rank, settings, own)
        })
    }
}

/// Checks what all ways of joining have in common, and joins.
pub(crate) fn join(
    call: &'static str,
    size: usize,
    rank: usize,
    config: &Config,
    how: impl FnOnce(u32, u32, &Settings, &CommConfig) -> EngineResult<Engine>,
) -> Result<Communicator> {
    // C counts ranks in an int, and ranks of C programs may be among these.
    let most = i32::MAX as usize;
    if size == 0 || size > most || rank >= size {
        let got = format!("rank {rank} of {size}; a size is 1 to {most}, and a rank is below the size");
        return Err(refused(call, &EngineError::InvalidArgument { what: "rank", got }));
    }
    // A store of the program may panic, and no memory of the program is in use yet.
    let made = config.read().and_then(|(settings, own)| how(size as u32, rank as u32, &settings, &own));
    match made {
        Ok(engine) => Ok(Communicator::of(engine.shared(), false)),
        Err(error) => Err(Error::of_engine(&error, format_args!("rank {rank} of {size}, {call}"))),
    }
}

fn enter<T>(call: &'static str, body: impl FnOnce() -> EngineResult<T>) -> Result<T> {
    without_unwinding(body).map_err(|error| refused(call, &error))
}

/// The error of a call that has no communicator yet.
fn refused(call: &str, error: &EngineError) -> Error {
    Error::of_engine(error, format_args!("{call}"))
}

/// The caller's store as the engine uses it.
struct Adapter<'a>(&'a mut dyn Store);

impl CallerStore for Adapter<'_> {
    fn set(&mut self, key: &str, value: &[u8]) -> EngineResult<()> {
        self.0.set(key, value).map_err(|error| failed("set", &error))
    }

    fn get(&mut self, key: &str, timeout: Duration) -> EngineResult<Vec<u8>> {
        let late = || EngineError::Timeout { waited: timeout, detail: format!("nobody has set \"{key}\"") };
        self.0.get(key, timeout).map_err(|error| failed("get", &error))?.ok_or_else(late)
    }
}

fn failed(what: &str, error: &StoreError) -> EngineError {
    EngineError::Bootstrap(format!("{what} of the caller's store has failed: {error}"))
}
